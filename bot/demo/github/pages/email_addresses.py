"""E-mail: the page where people keep their addresses, to which commits are linked once verified, and the page with all mail."""

from flask import Blueprint, redirect, render_template, request
from flask.typing import ResponseReturnValue

from agreements.domains.canonical_form import canonical_address
from bot.demo.github.pages.overview_page import signed_in
from bot.demo.github.refusal import ErrorResponse, existing
from bot.demo.github.rest_request import world
from bot.demo.github.state import StoredAccount, StoredEmail

routes = Blueprint("addresses", __name__)
_PAGE = "/settings/emails"


@routes.get(_PAGE)
def listing() -> ResponseReturnValue:
    """The person's own addresses, and forms to change them."""
    return render_template("emails.html", who=signed_in())


@routes.post(_PAGE)
def add() -> ResponseReturnValue:
    """Add an address, not yet verified; 422 for what is none, or is on the account already."""
    who, address = signed_in(), _asked()
    if canonical_address(address) is None:
        raise ErrorResponse(422, "That is no e-mail address.")
    if _own(who, address) is not None:
        raise ErrorResponse(422, "That address is on your account already.")
    _not_taken(who, address)  # GitHub gives an address to one account.
    who.emails.append(StoredEmail(address, verified=False, primary=not who.emails))
    return redirect(_PAGE)


@routes.post(f"{_PAGE}/verify")
def verify() -> ResponseReturnValue:
    """Verify an address; no mail is sent here, the button stands for the link in it."""
    who = signed_in()
    email = _own(who, _asked())
    if email is None:
        raise ErrorResponse(404, "That address is not on your account.")
    _not_taken(who, email.address)  # Another account may have verified it meanwhile.
    who.emails[who.emails.index(email)] = StoredEmail(email.address, verified=True, primary=email.primary)
    return redirect(_PAGE)


def _asked() -> str:
    return request.form.get("address", "").strip()


def _own(who: StoredAccount, address: str) -> StoredEmail | None:
    return next((email for email in who.emails if email.address.lower() == address.lower()), None)


def _not_taken(who: StoredAccount, address: str) -> None:
    if world().account_of_email(address) not in (None, who):
        raise ErrorResponse(422, "That address belongs to another account.")


@routes.get("/mailbox")
def mailbox() -> ResponseReturnValue:
    """All mail, newest first, with each recipient's account, for the player; 404 in a world without a mail server."""
    owners = {email.address.lower(): who for who in world().accounts.values() for email in who.emails}
    mails = [(mail, owners.get(mail.to.lower())) for mail in existing(world().mailbox)()]
    return render_template("mailbox.html", mails=mails)
