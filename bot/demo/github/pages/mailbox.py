"""The page with everybody's mail: what the App's server would have sent, so that whoever plays can answer its codes."""

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from bot.demo.github.refusal import not_found
from bot.demo.github.rest.request import world

routes = Blueprint("mailbox", __name__)


@routes.get("/mailbox")
def listing() -> ResponseReturnValue:
    """All mail, the newest first, with whose address it went to; 404 where nobody brings mail."""
    bring = world().mailbox
    if bring is None:
        raise not_found()
    mails = bring()
    with world().lock:
        owners = {email.address.lower(): who for who in world().accounts.values() for email in who.emails}
    return render_template("mailbox.html", mails=[(one, owners.get(one.to.lower())) for one in mails])
