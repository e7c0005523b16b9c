"""The page that waits for the check of a pull request after the visitor has signed or enrolled for it."""

from datetime import datetime, timedelta

from flask import make_response, render_template, request
from flask.typing import ResponseReturnValue

from bot.portal.portal_services import reading
from bot.portal.session.visitor import VisiblePull
from bot.portal.text import finding_text
from bot.portal.text.languages import language
from bot.store.pulls import named_pulls

REFRESH_SECONDS = 3
_WAITING_PERIOD = timedelta(minutes=5)
"""The time for which the page asks again by itself."""


def page(pull: VisiblePull, since: datetime, *, receipt: str = "", enrolled_at: str = "") -> ResponseReturnValue:
    """The state of the pull request, for which the visitor signed (`receipt`) or enrolled (`enrolled_at`: the company) at `since`."""
    with reading() as (records, _vault, at):
        is_settled = named_pulls.is_settled(records, pull.id)
        newest = named_pulls.history(records, pull.id, most=1)
    is_followed = not is_settled and at - since < _WAITING_PERIOD
    shown = render_template(
        "contributor/pull_request_status.html",
        receipt=receipt,
        enrolled_at=enrolled_at,
        again=f"{request.path}?pr={pull.name}",
        pull=pull,
        is_settled=is_settled,
        is_followed=is_followed,
        conclusion=newest[0].conclusion if newest else "",
        fault=finding_text.rulebook_fault(newest[0].codes, language()) if newest else "",
    )
    answer = make_response(shown)
    if is_followed:
        answer.headers["Refresh"] = str(REFRESH_SECONDS)  # Works without a script, and leaves the address as it is.
    return answer
