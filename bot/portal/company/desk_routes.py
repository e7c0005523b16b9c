"""The blueprint of a company's desk: its request, overview, domains, people and managers."""

from flask import Blueprint
from flask_limiter import Limiter

from bot.portal.company import domains, managers, overview, people, request_pages
from bot.portal.page_access import open_routes


def make_desk(limiter: Limiter) -> Blueprint:
    """The blueprint with `/company` and the pages below it that the company's managers work with."""
    desk = Blueprint("desk", __name__)
    pages = (request_pages, overview, domains, people, managers)
    open_routes(desk, limiter, [route for page in pages for route in page.routes()])
    return desk
