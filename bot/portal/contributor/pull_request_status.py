"""The page after signing for a pull request: it follows that one's check until it has turned, and leads back to it."""

from datetime import timedelta

from flask import make_response, redirect, render_template
from flask.typing import ResponseReturnValue

from bot.portal.contributor.receipt import own_receipt
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import wanted_pull
from bot.store.pulls import named_pulls

REFRESH_SECONDS = 3
_REFRESHING_DURATION = timedelta(minutes=5)
"""How long after the signature the page asks again by itself."""


def pull_request_status(receipt: str) -> ResponseReturnValue:
    """What became of the pull request in the address since that receipt; without one, the receipt."""
    view, pull = own_receipt(receipt), wanted_pull()
    if pull is None:
        return redirect(f"/receipts/{view.receipt}")
    with portal_services().sessions() as records:
        is_settled = named_pulls.is_settled(records, pull.id)
        newest = named_pulls.history(records, pull.id, most=1)
    is_followed = not is_settled and portal_services().clock() - view.signed_at < _REFRESHING_DURATION
    page = render_template(
        "contributor/pull_request_status.html",
        receipt=view.receipt,
        pull=pull,
        is_settled=is_settled,
        is_followed=is_followed,
        conclusion=newest[0].conclusion if newest else "",
    )
    answer = make_response(page)
    if is_followed:
        answer.headers["Refresh"] = str(REFRESH_SECONDS)  # works without a script, and leaves the address as it is
    return answer
