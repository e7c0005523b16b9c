"""Imported entries in the portal: what counts, what waits for GitHub, and what an administrator has to decide."""

from flask import abort, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext

from agreements.facts import Account
from agreements.store.imports import import_decisions
from agreements.store.imports.import_decisions import STATES, ImportLine
from agreements.store.imports.imported import COUNTED, DOUBTFUL, REFUSED, WAITING
from bot.flows import login_resolution
from bot.portal.admin.page_context import PAGE_ROWS, render
from bot.portal.forms.typed_values import MAX_REASON_CHARACTERS, account_number, field
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.store.pulls import rejudge

_PATH = "/admin/imports"

NAMES = {
    DOUBTFUL: lazy_gettext("for you to decide"),
    WAITING: lazy_gettext("waiting for GitHub"),
    COUNTED: lazy_gettext("accepted"),
    REFUSED: lazy_gettext("refused"),
}
"""What each state is called."""

DOUBTS = {
    "login-unknown": lazy_gettext("No GitHub account has this login now."),
    "no-person": lazy_gettext("This login now belongs to an organisation or a bot."),
    "account-younger": lazy_gettext(
        "The account with this login was created after the signature, so it may be someone else."
    ),
    "date-given": lazy_gettext("The list had no dates, so the age of the account proves nothing."),
    "erased": lazy_gettext("This person had their data erased here."),
    "restricted": lazy_gettext("This person requested erasure, and their data is restricted."),
    "ended": lazy_gettext("A signature of this agreement was withdrawn or revoked since then."),
}
"""Why an entry waits for a person."""


def ask() -> ResponseReturnValue:
    """Ask GitHub once more about every login that waits: for when the jobs that asked were given up."""
    with portal_services().sessions() as records:
        login_resolution.queue(records, portal_services().engine, import_decisions.waiting(records))
    return redirect(f"{_PATH}?state={WAITING}")


def confirm(entry_id: str) -> ResponseReturnValue:
    """This account is the one that signed."""
    by, reason, number = signed_in().account, field("reason"), account_number(field("account_id"))
    line = _line(entry_id)
    errors = _errors(reason)
    if number is None:
        errors["account_id"] = _("Enter the GitHub account number of the signer.")
    elif number == by.id:
        errors["account_id"] = _("You cannot confirm your own entry. Another administrator has to.")
    if errors or number is None:
        return overview(errors, entry_id), 400
    with portal_services().change(by.id) as context:
        rejudge.people(context.session, portal_services().engine, [number], queue="later")
        import_decisions.confirm(context, entry_id, Account(number, line.login), reason=reason)
    return redirect(_PATH)


def refuse(entry_id: str) -> ResponseReturnValue:
    """The entry counts for nobody."""
    reason = field("reason")
    _line(entry_id)
    if errors := _errors(reason):
        return overview(errors, entry_id), 400
    with portal_services().change(signed_in().account.id) as context:
        import_decisions.refuse(context, entry_id, reason=reason)
    return redirect(_PATH)


def overview(errors: dict[str, str] | None = None, entry_id: str = "") -> str:
    """One page of the entries in one state; those to decide unless another is asked for."""
    asked = request.args.get("state", DOUBTFUL)
    state = asked if asked in STATES else DOUBTFUL
    after = request.args.get("after", "")
    after = after if after.isalnum() and len(after) <= 64 else ""
    with portal_services().sessions() as records:
        counts = import_decisions.counts(records)
        lines = import_decisions.page(records, portal_services().vault, state, after=after, most=PAGE_ROWS + 1)
    return render(
        "admin/imports.html",
        lines=lines[:PAGE_ROWS],
        following=lines[PAGE_ROWS - 1].id if len(lines) > PAGE_ROWS else "",
        state=state,
        counts=counts,
        names=NAMES,
        doubts=DOUBTS,
        errors=errors or {},
        about=entry_id,
        reason=request.form.get("reason", ""),
        number=request.form.get("account_id", ""),
    )


def _line(entry_id: str) -> ImportLine:
    """The entry that waits for a decision; 404 for anything else."""
    with portal_services().sessions() as records:
        found = import_decisions.doubtful(records, portal_services().vault, entry_id)
    if found is None:
        abort(404)
    return found


def _errors(reason: str) -> dict[str, str]:
    if 0 < len(reason) <= MAX_REASON_CHARACTERS:
        return {}
    return {"reason": _("Enter a reason of at most %(number)s characters.", number=MAX_REASON_CHARACTERS)}
