"""Employees invited by mail to enrol: a list looked through line by line, the mails, and what became of each."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from flask import abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext

from agreements.domains.domains import canonical_address
from agreements.store.companies import employee_invitations
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.companies.employee_invitations import MOST_REMINDERS, REMIND_AFTER, Invitation
from agreements.store.record_context import RecordContext
from bot.mail import employee_emails
from bot.portal.company import people_list
from bot.portal.company.company_access import REFUSALS, overview, refusal_text
from bot.portal.company.people_list import UnreadableList
from bot.portal.forms import signed_preview
from bot.portal.forms.typed_values import page_number
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.portal.text.languages import Language, language

PAGE = 50
_PURPOSE = "invite"

_UNREADABLE = {
    "encoding": lazy_gettext("The file could not be read. Save it as CSV in UTF-8."),
    "empty": lazy_gettext("Paste a list or choose a file."),
    "long": lazy_gettext("The list can have at most 2,000 lines. Split it."),
}


@dataclass(frozen=True, slots=True)
class InvitationOutcome:
    """What happens with a line; the address stands there when it can be invited."""

    number: int
    shown: str = field(repr=False)
    outcome: str
    why: str = ""
    address: str = field(default="", repr=False)


def invitations_page(company_id: str) -> str:
    """Who was invited, and the form for more."""
    return _page(company_id)


def check_invitations(company_id: str) -> ResponseReturnValue:
    """Say for each line what happens. Nothing is stored, and nobody is written to."""
    try:
        lines = people_list.read(_sent())
    except UnreadableList as error:
        return _page(company_id, {"list": str(_UNREADABLE[error.reason])}, text=request.form.get("list", "")), 400
    judged = _judged(company_id, [(one.number, one.shown, one.address) for one in lines])
    good = signed_preview.sign(_PURPOSE, company_id, [one.address for one in judged if one.outcome == "invite"])
    return _page(
        company_id, text=request.form.get("list", ""), judged=judged, good=good, chosen_language=_chosen_language()
    )


def send_invitations(company_id: str) -> ResponseReturnValue:
    """Invite the good lines of the list that was looked through, in one transaction."""
    services = portal_services()
    good = signed_preview.read(_PURPOSE, company_id, request.form.get("good", ""))
    if good is None:
        return _page(company_id, {"list": _("The preview is more than 30 minutes old. Check the list again.")}), 409
    try:
        with services.change(signed_in().account.id) as context:
            made = employee_invitations.invite(context, company_id, good, _chosen_language())
            _mail(context, company_id, made)
            employee_invitations.log_invited(context, company_id, made)
    except CompanyRefused as error:
        many = _("A company invites 2,000 people a day at most. Try again tomorrow.")
        return _page(company_id, {"list": many if error.reason == "too-many" else refusal_text(error)}), 409
    flash(_("People invited: %(count)s.", count=len(made)))
    return redirect(f"/company/{company_id}/invitations")


def withdraw_invitation(company_id: str, invitation_id: str) -> ResponseReturnValue:
    """No reminder goes out any more."""
    try:
        with portal_services().change(signed_in().account.id) as context:
            employee_invitations.withdraw(context, company_id, invitation_id)
    except LookupError:
        abort(404)
    flash(_("The invitation is withdrawn. No reminder is sent."))
    return redirect(f"/company/{company_id}/invitations")


def _sent() -> str:
    """The list, from the file if one was chosen. Raises UnreadableList."""
    upload = request.files.get("file")
    content = upload.read() if upload else b""
    return people_list.decode(content) if content else request.form.get("list", "")


def _judged(company_id: str, lines: Sequence[tuple[int, str, str]]) -> tuple[InvitationOutcome, ...]:
    services = portal_services()
    addresses = {number: canonical_address(typed) for number, _shown, typed in lines if typed}
    with services.sessions() as records:
        known = {one for one in addresses.values() if one}
        outcomes = employee_invitations.judged(records, services.vault, company_id, known, at=services.clock())
    found, seen = [], set[str]()
    for number, shown, _typed in lines:
        address = addresses.get(number)
        if address is None:
            found.append(InvitationOutcome(number, shown, "refused", str(REFUSALS["invalid"]) if number in addresses else _("Enter an e-mail address.")))  # fmt: skip
        elif address in seen:
            found.append(InvitationOutcome(number, shown, "refused", _("An earlier line names the same person.")))
        else:
            seen.add(address)
            found.append(InvitationOutcome(number, shown, outcomes[address], address=address))
    return tuple(found)


def _mail(context: RecordContext, company_id: str, made: Sequence[Invitation]) -> None:
    services, company = portal_services(), overview(company_id)
    for one in made:
        employee_emails.write(context, services.settings.url, company.name, one)


def _chosen_language() -> Language:
    return "zh" if request.form.get("language") == "zh" else "en"


def _page(company_id: str, errors: dict[str, str] | None = None, **shown: object) -> str:
    services, number = portal_services(), page_number()
    with services.sessions() as records:
        sent = employee_invitations.of_company(records, services.vault, company_id)
    judged = shown.get("judged")
    values: dict[str, Any] = {"text": "", "judged": (), "good": "", "chosen_language": language(), **shown}
    return render_template(
        "company/invitations.html",
        company=overview(company_id),
        sent=sent[(number - 1) * PAGE : number * PAGE],
        total=len(sent),
        states=Counter(one.state for one in sent),
        number=number,
        last=-(-len(sent) // PAGE),
        errors=errors or {},
        counts=Counter(one.outcome for one in judged) if isinstance(judged, tuple) else Counter[str](),
        days=REMIND_AFTER.days,
        reminders=MOST_REMINDERS,
        **values,
    )
