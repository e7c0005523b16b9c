"""The blueprint of a company's staff: enrolment, roster, renewal, a removal tried out, the list to take away."""

from flask import Blueprint
from flask_limiter import Limiter

from bot.portal.access import open_routes
from bot.portal.company import enrol, export, renewal, roster, simulate


def make_staff(limiter: Limiter) -> Blueprint:
    """The blueprint with `/enrol`, `/me/enrolments` and the pages of `/company/<company_id>/` about its people."""
    staff = Blueprint("staff", __name__)
    open_routes(
        staff, limiter, [*enrol.routes(), *roster.routes(), *renewal.routes(), *export.routes(), *simulate.routes()]
    )
    return staff
