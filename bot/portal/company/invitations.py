"""Employees invited by mail to enrol: a list looked through line by line, the mails, and what became of each."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from flask import abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.domains.domains import canonical_address
from agreements.store.companies import employee_invitations
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.companies.employee_invitations import MAX_REMINDERS, REMIND_AFTER
from bot.mail import employee_emails
from bot.portal.company import people_list
from bot.portal.company.company_access import REFUSALS, overview, refusal_text
from bot.portal.company.people_list import UNREADABLE, LineOutcome, PeopleListLine, UnreadableList
from bot.portal.forms import signed_preview
from bot.portal.forms.typed_values import page_number
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.portal.text.languages import Language, language

PAGE_ROWS = 50
_PURPOSE = "invite"


def check_invitations(company_id: str) -> ResponseReturnValue:
    """Say for each line what happens. Nothing is stored, and nobody is written to."""
    try:
        judged = _judged(company_id, people_list.read(people_list.sent()))
    except UnreadableList as error:
        errors = {"list": str(UNREADABLE[error.reason])}
        return invitations_page(company_id, errors, text=request.form.get("list", "")), 400
    invited = [canonical_address(one.line.address) for one in judged if one.outcome == "invite"]
    good = signed_preview.sign(_PURPOSE, company_id, invited)
    return invitations_page(
        company_id, text=request.form.get("list", ""), judged=judged, good=good, chosen_language=_chosen_language()
    )


def send_invitations(company_id: str) -> ResponseReturnValue:
    """Invite the good lines of the list that was looked through, in one transaction."""
    services, company = portal_services(), overview(company_id)
    if company.text_missing:
        return invitations_page(company_id, {"list": str(REFUSALS["not-in-force"])}), 409
    good = signed_preview.read(_PURPOSE, company_id, request.form.get("good", ""))
    if good is None:
        error = _("The preview is more than 30 minutes old. Check the list again.")
        return invitations_page(company_id, {"list": error}), 409
    try:
        with services.change(signed_in().account.id) as context:
            made = employee_invitations.invite(context, company_id, good, _chosen_language(), server=services.server)
            for one in made:
                employee_emails.write(context, services.settings.url, company.name, one)
            employee_invitations.log_invited(context, company_id, made)
    except CompanyRefused as refused:
        many = _("A company invites 2,000 people a day at most. Try again tomorrow.")
        return invitations_page(
            company_id, {"list": many if refused.reason == "too-many" else refusal_text(refused)}
        ), 409
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


def _judged(company_id: str, lines: Sequence[PeopleListLine]) -> tuple[LineOutcome, ...]:
    services = portal_services()
    addresses = [canonical_address(line.address) for line in lines]
    with services.sessions() as records:
        known = {one for one in addresses if one}
        outcomes = employee_invitations.judged(
            records, services.vault, company_id, known, server=services.server, at=services.clock()
        )
    found, seen = [], set[str]()
    for line, address in zip(lines, addresses, strict=True):
        if address is None:
            why = str(REFUSALS["invalid"]) if line.address else _("Enter an e-mail address.")
            found.append(LineOutcome(line, "refused", why))
        elif address in seen:
            found.append(LineOutcome(line, "refused", _("An earlier line names the same person.")))
        else:
            seen.add(address)
            found.append(LineOutcome(line, outcomes[address]))
    return tuple(found)


def _chosen_language() -> Language:
    return "zh" if request.form.get("language") == "zh" else "en"


def invitations_page(company_id: str, errors: dict[str, str] | None = None, **shown: object) -> str:
    """Who was invited, and the form for more."""
    services, number = portal_services(), page_number()
    with services.sessions() as records:
        sent = employee_invitations.of_company(records, services.vault, company_id)
    values: dict[str, Any] = {"text": "", "judged": (), "good": "", "chosen_language": language(), **shown}
    return render_template(
        "company/invitations.html",
        company=overview(company_id),
        sent=sent[(number - 1) * PAGE_ROWS : number * PAGE_ROWS],
        states=Counter(one.state for one in sent),
        number=number,
        last=-(-len(sent) // PAGE_ROWS),
        errors=errors or {},
        counts=Counter(one.outcome for one in values["judged"]),
        days=REMIND_AFTER.days,
        reminders=MAX_REMINDERS,
        **values,
    )
