"""Imported entries in the portal: what counts, what waits for GitHub, and what an administrator has to decide, one by one or many at once."""

from collections.abc import Callable

from flask import abort, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext

from agreements.facts import Account
from agreements.store.imports import import_decisions
from agreements.store.imports.import_decisions import STATES, ImportLine
from agreements.store.imports.imported import COUNTED, DOUBTFUL, REFUSED, WAITING
from bot.flows import login_resolution
from bot.portal.admin.page_context import PAGE_ROWS, BulkDecision, chosen_rows, reason_errors, render
from bot.portal.forms.form_action import FormRefused, change, form_action
from bot.portal.forms.typed_values import account_number, field, person_with, reason_text
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in
from bot.store.pulls import rejudge

_PATH = "/admin/imports"

NAMES = {
    DOUBTFUL: lazy_gettext("for you to decide"),
    WAITING: lazy_gettext("waiting for GitHub"),
    COUNTED: lazy_gettext("accepted"),
    REFUSED: lazy_gettext("refused"),
}
"""The name of each state."""

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
"""The reasons for which an entry waits for a person."""


def overview(entry_id: str = "") -> str:
    """One page of the entries in one state: those to decide, unless another is asked for."""
    asked = request.args.get("state", DOUBTFUL)
    state = asked if asked in STATES else DOUBTFUL
    after = request.args.get("after", "")
    after = after if after.isalnum() and len(after) <= 64 else ""  # PostgreSQL refuses NUL in a text.
    with reading() as (records, vault, _at):
        counts = import_decisions.counts(records)
        lines = import_decisions.page(records, vault, state, after=after, most=PAGE_ROWS + 1)
    return render(
        "admin/imports.html",
        lines=lines[:PAGE_ROWS],
        following=lines[PAGE_ROWS - 1].id if len(lines) > PAGE_ROWS else "",
        state=state,
        counts=counts,
        names=NAMES,
        doubts=DOUBTS,
        about=entry_id,
        reason=request.form.get("reason", ""),
        number=request.form.get("account_id", ""),
    )


def ask() -> ResponseReturnValue:
    """Ask GitHub once more about every login that waits: for when the jobs that asked were given up."""
    with portal_services().sessions() as records:
        login_resolution.queue(records, portal_services().engine, import_decisions.waiting(records))
    return redirect(f"{_PATH}?state={WAITING}")


@form_action(overview)
def confirm(entry_id: str) -> ResponseReturnValue:
    """Accept the entry for this account, as the one that signed."""
    line, number = _line(entry_id), account_number(field("account_id"))
    errors = reason_errors(field("reason"))
    if number is None:
        errors["account_id"] = _("Enter the GitHub account number of the signer.")
    elif number == signed_in().account.id:  # Not by oneself.
        errors["account_id"] = _("You cannot confirm your own entry. Another administrator has to.")
    if errors or number is None:
        raise FormRefused(errors)
    # GitHub has named the proposed account already; the login of another one is GitHub's, not the list's.
    signer = Account(number, line.login) if number == line.account_id else person_with(number, "account_id")
    _confirmed(line, signer, field("reason"))
    return redirect(_PATH)


@form_action(overview)
def refuse(entry_id: str) -> ResponseReturnValue:
    """Decline the entry: it covers no person."""
    line = _line(entry_id)
    if errors := reason_errors(field("reason")):
        raise FormRefused(errors)
    _declined(line, field("reason"))
    return redirect(_PATH)


def confirm_imports() -> ResponseReturnValue:
    """Accept the selected entries for the proposed accounts; those without one, and one's own, are left out."""
    decision, by = BulkDecision(_PATH, _("Accept the selected entries"), _("Accept")), signed_in().account.id
    return _decide(
        decision,
        lambda line: line.account_id not in (None, by),
        lambda line: (
            line.account_id is not None and _confirmed(line, Account(line.account_id, line.login), reason_text())
        ),
    )


def refuse_imports() -> ResponseReturnValue:
    """Decline the selected entries: they cover no person."""
    decision = BulkDecision(_PATH, _("Decline the selected entries"), _("Decline"))
    return _decide(decision, lambda _line: True, lambda line: _declined(line, reason_text()))


def _decide(
    decision: BulkDecision, possible: Callable[[ImportLine], bool], decide: Callable[[ImportLine], bool]
) -> ResponseReturnValue:
    with reading() as (records, vault, _at):
        found = [import_decisions.doubtful(records, vault, row_id) for row_id in chosen_rows()]
    lines = [line for line in found if line is not None]  # None: decided since the page was shown.
    good = [line for line in lines if possible(line)]
    if (page := decision.ask([_described(line) for line in good])) is not None:
        return page
    decided = sum(decide(line) for line in good)
    return decision.done(decided, [line.login for line in lines if line not in good])


def _confirmed(line: ImportLine, signer: Account, reason: str) -> bool:
    with change() as context:
        # Not urgent: each entry of a long list asks for this.
        rejudge.people(context.session, portal_services().engine, [signer.id], queue="later")
        return import_decisions.confirm(context, line.id, signer, reason=reason) is not None


def _declined(line: ImportLine, reason: str) -> bool:
    with change() as context:
        return import_decisions.refuse(context, line.id, reason=reason)


def _described(line: ImportLine) -> str:
    number = _("number %(id)s", id=line.account_id) if line.account_id else "–"
    return f"{line.login} ({number}) · {line.agreement} {line.version} · {line.signed_at:%Y-%m-%d} UTC"


def _line(entry_id: str) -> ImportLine:
    """The entry that waits for a decision; 404 for anything else."""
    with reading() as (records, vault, _at):
        return import_decisions.doubtful(records, vault, entry_id) or abort(404)
