"""Imported entries in the portal: what counts, what waits for GitHub, and what an administrator has to decide."""

from flask import Blueprint, abort, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types
from flask_babel import lazy_gettext
from flask_limiter import Limiter

from agreements.facts import Account
from agreements.store.imports import import_decisions
from agreements.store.imports.import_decisions import STATES, Line
from agreements.store.imports.imported import COUNTED, DOUBTFUL, REFUSED, WAITING
from bot.flows import login_resolution
from bot.portal.admin.page_context import PAGE, acting, render
from bot.portal.page_access import Route, Who, open_routes
from bot.portal.portal_services import portal_services
from bot.store.pulls import rejudge

_PATH = "/admin/imports"
_LONGEST_REASON = 2000
_LARGEST_ID = 2**63 - 1

NAMES = {
    DOUBTFUL: lazy_gettext("for you to decide"),
    WAITING: lazy_gettext("waiting for GitHub"),
    COUNTED: lazy_gettext("counted"),
    REFUSED: lazy_gettext("refused"),
}
"""What each state is called."""

DOUBTS = {
    "login-unknown": lazy_gettext("Nobody at GitHub has this login now."),
    "no-person": lazy_gettext("An organisation or a bot has this login now."),
    "account-younger": lazy_gettext(
        "The account that has this login now was made after the signature: it may be somebody else."
    ),
    "date-given": lazy_gettext("The list had no dates, so the age of the account proves nothing."),
    "erased": lazy_gettext("This person had their data erased here."),
    "restricted": lazy_gettext("This person asked for their data to be erased; they are restricted here."),
    "ended": lazy_gettext("A signature of this agreement was withdrawn or revoked here since then."),
}
"""Why an entry waits for a person."""


def make_imports(limiter: Limiter) -> Blueprint:
    """The blueprint with `/admin/imports` and what is below it."""
    blueprint = Blueprint("admin_imports", __name__)
    routes = (
        Route(_PATH, overview, Who.READER),
        Route(f"{_PATH}/ask", ask, Who.ADMINISTRATOR, "POST", limit="5 per minute"),
        Route(f"{_PATH}/<entry_id>/confirm", confirm, Who.ADMINISTRATOR, "POST", limit="60 per minute"),
        Route(f"{_PATH}/<entry_id>/refuse", refuse, Who.ADMINISTRATOR, "POST", limit="60 per minute"),
    )
    open_routes(blueprint, limiter, routes)
    return blueprint


def overview() -> ResponseReturnValue:
    """One page of the entries in one state; those to decide unless another is asked for."""
    return _page()


def ask() -> ResponseReturnValue:
    """Ask GitHub once more about every login that waits: for when the jobs that asked were given up."""
    with portal_services().sessions() as records:
        login_resolution.queue(records, portal_services().engine, import_decisions.waiting(records))
    return redirect(f"{_PATH}?state={WAITING}")


def confirm(entry_id: str) -> ResponseReturnValue:
    """This account is the one that signed."""
    by, reason, number = acting(), _reason(), _number(request.form.get("account_id", ""))
    line = _line(entry_id)
    errors = _errors(reason)
    if number is None:
        errors["account_id"] = _("Write the number of the GitHub account that signed.")
    elif number == by.id:
        errors["account_id"] = _("Nobody confirms themselves: another administrator has to.")
    if errors or number is None:
        return _page(errors, entry_id), 400
    with portal_services().sessions() as records:
        rejudge.people(records, portal_services().engine, [number], queue="later")
        import_decisions.confirm(
            records,
            portal_services().vault,
            entry_id,
            Account(number, line.login),
            by=by.id,
            reason=reason,
            at=portal_services().clock(),
            new_id=portal_services().new_id,
        )
    return redirect(_PATH)


def refuse(entry_id: str) -> ResponseReturnValue:
    """The entry counts for nobody."""
    by, reason = acting(), _reason()
    _line(entry_id)
    if errors := _errors(reason):
        return _page(errors, entry_id), 400
    with portal_services().sessions() as records:
        import_decisions.refuse(
            records,
            portal_services().vault,
            entry_id,
            by=by.id,
            reason=reason,
            at=portal_services().clock(),
            new_id=portal_services().new_id,
        )
    return redirect(_PATH)


def _page(errors: dict[str, str] | None = None, entry_id: str = "") -> str:
    asked = request.args.get("state", DOUBTFUL)
    state = asked if asked in STATES else DOUBTFUL
    after = request.args.get("after", "")
    after = after if after.isalnum() and len(after) <= 64 else ""
    with portal_services().sessions() as records:
        counts = import_decisions.counts(records)
        lines = import_decisions.page(records, portal_services().vault, state, after=after, most=PAGE + 1)
    return render(
        "admin/imports.html",
        lines=lines[:PAGE],
        following=lines[PAGE - 1].id if len(lines) > PAGE else "",
        state=state,
        counts=counts,
        names=NAMES,
        doubts=DOUBTS,
        errors=errors or {},
        about=entry_id,
        reason=request.form.get("reason", ""),
        number=request.form.get("account_id", ""),
    )


def _line(entry_id: str) -> Line:
    """The entry that waits for a decision; 404 for anything else."""
    with portal_services().sessions() as records:
        found = import_decisions.doubtful(records, portal_services().vault, entry_id)
    if found is None:
        abort(404)
    return found


def _reason() -> str:
    return request.form.get("reason", "").strip()


def _errors(reason: str) -> dict[str, str]:
    if 0 < len(reason) <= _LONGEST_REASON:
        return {}
    return {"reason": _("Write why, in at most %(number)s characters.", number=_LONGEST_REASON)}


def _number(text: str) -> int | None:
    text = text.strip()
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else 0
    return number if 0 < number <= _LARGEST_ID else None
