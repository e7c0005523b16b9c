"""The blueprint of the administration: every page of it with who may use it."""

from flask import Blueprint
from flask_limiter import Limiter

from bot.portal.admin import companies, domains, licenses, log, overrides, overview, papers, people, search, sessions
from bot.portal.page_access import open_routes

NAME = "admin"
_PAGES = (overview, companies, domains, papers, search, people, overrides, licenses, log, sessions)


def make_admin(limiter: Limiter) -> Blueprint:
    """The blueprint with `/admin` and what is below it, but for texts, campaigns, erasures, tokens and imports."""
    admin = Blueprint(NAME, __name__)
    open_routes(admin, limiter, [route for page in _PAGES for route in page.ROUTES])
    return admin
