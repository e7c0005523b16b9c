"""The blueprint of a company's staff: enrolment, roster, renewal, a removal tried out, the list to take away."""

from flask import Blueprint
from flask_limiter import Limiter

from bot.portal.company import enrolment_pages, export, removal_preview, renewal, roster
from bot.portal.page_access import open_routes


def make_staff(limiter: Limiter) -> Blueprint:
    """The blueprint with `/enrol`, `/me/enrolments` and the pages of `/company/<company_id>/` about its people."""
    staff = Blueprint("staff", __name__)
    open_routes(
        staff,
        limiter,
        [*enrolment_pages.routes(), *roster.routes(), *renewal.routes(), *export.routes(), *removal_preview.routes()],
    )
    return staff
