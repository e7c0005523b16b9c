"""Decisions about many rows: domains approved, imported entries decided, with one reason and one confirmation."""

from collections.abc import Callable, Sequence

from flask import flash, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.domains.confusables import inspect_domain
from agreements.facts import Account
from agreements.store.companies import company_rows, domain_states
from agreements.store.companies.companies import DomainRefused
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.imports import import_decisions
from agreements.store.imports.import_decisions import ImportLine
from bot.portal.admin.companies import refusal
from bot.portal.admin.domains import decide_domain
from bot.portal.admin.page_context import render
from bot.portal.forms.typed_values import MAX_REASON_CHARACTERS, reason_text
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.store.pulls import rejudge

MAX_DECISIONS = 50
"""How many rows one action decides: as many as a page shows."""


def approve_domains() -> ResponseReturnValue:
    """Show the selected claims and ask for the reason; once that is confirmed, approve each in a transaction of its own."""
    services = portal_services()
    at, chosen = services.clock(), _chosen()
    with services.sessions() as records:
        waiting = [one for one in domain_states.pending(records, services.vault, at=at) if one.id in chosen]
        shown = [
            f"{inspect_domain(one.domain).letters} ({one.domain}) · {company_rows.find(records, one.company_id).name}"
            for one in waiting
        ]
    if not waiting:
        return _nothing("/admin/domains")
    heading = _("Approve the selected domains")
    if not _is_confirmed():
        return _ask(heading, shown, _("Approve"), "/admin/domains")
    left = []
    for one in waiting:
        try:
            decide_domain(one.id, reason_text(), approve=True)
        except (CompanyRefused, DomainRefused) as error:
            left.append(f"{one.domain}: {refusal(error.reason)}")
        except LookupError:
            left.append(one.domain)
    return _done(len(waiting) - len(left), left, "/admin/domains")


def confirm_imports() -> ResponseReturnValue:
    """Accept the selected entries for the accounts that are proposed; one without an account, and one's own, is left out."""
    by = signed_in().account.id
    return _decide_imports(
        _("Accept the selected entries"), _("Accept"), lambda line: line.account_id not in (None, by), _accepted
    )


def refuse_imports() -> ResponseReturnValue:
    """Decline the selected entries: they count for nobody."""
    return _decide_imports(_("Decline the selected entries"), _("Decline"), lambda _line: True, _declined)


def _decide_imports(
    heading: str, button: str, possible: Callable[[ImportLine], bool], decide: Callable[[ImportLine], bool]
) -> ResponseReturnValue:
    services = portal_services()
    with services.sessions() as records:
        found = [import_decisions.doubtful(records, services.vault, one) for one in _chosen()]
    lines = [line for line in found if line is not None]
    good = [line for line in lines if possible(line)]
    if not good:
        return _nothing("/admin/imports")
    if not _is_confirmed():
        shown = [_described(line) for line in good]
        return _ask(heading, shown, button, "/admin/imports")
    decided = sum(decide(line) for line in good)
    return _done(decided, [line.login for line in lines if line not in good], "/admin/imports")


def _accepted(line: ImportLine) -> bool:
    assert line.account_id is not None
    with portal_services().change(signed_in().account.id) as context:
        rejudge.people(context.session, portal_services().engine, [line.account_id], queue="later")
        account = Account(line.account_id, line.login)
        return import_decisions.confirm(context, line.id, account, reason=reason_text()) is not None


def _declined(line: ImportLine) -> bool:
    with portal_services().change(signed_in().account.id) as context:
        return import_decisions.refuse(context, line.id, reason=reason_text())


def _described(line: ImportLine) -> str:
    number = _("number %(id)s", id=line.account_id) if line.account_id else "–"
    return f"{line.login} ({number}) · {line.agreement} {line.version} · {line.signed_at:%Y-%m-%d}"


def _chosen() -> tuple[str, ...]:
    """The ids of the rows that are ticked, each once."""
    return tuple(dict.fromkeys(one for one in request.form.getlist("chosen") if one.isalnum() and len(one) <= 64))[:MAX_DECISIONS]  # fmt: skip


def _is_confirmed() -> bool:
    return bool(request.form.get("confirmed")) and 0 < len(reason_text()) <= MAX_REASON_CHARACTERS


def _ask(heading: str, shown: Sequence[str], button: str, back: str) -> ResponseReturnValue:
    error = ""
    if request.form.get("confirmed"):
        error = _("Enter a reason of at most %(number)s characters.", number=MAX_REASON_CHARACTERS)
    page = render(
        "admin/confirm_several.html",
        heading=heading,
        shown=shown,
        button=button,
        back=back,
        chosen=_chosen(),
        error=error,
        reason=request.form.get("reason", ""),
    )
    return (page, 400) if error else page


def _done(count: int, left: Sequence[str], back: str) -> ResponseReturnValue:
    flash(_("Decided: %(count)s.", count=count))
    for one in left:
        flash(_("Left out: %(what)s", what=one))
    return redirect(back)


def _nothing(back: str) -> ResponseReturnValue:
    flash(_("Select at least one entry that is still undecided."))
    return redirect(back)
