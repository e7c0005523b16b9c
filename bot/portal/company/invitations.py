"""Employees invited by mail to enrol: a list looked through line by line, the mails, and what became of each."""

from collections import Counter
from collections.abc import Sequence

from flask import render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.domains.canonical_form import canonical_address
from agreements.store.companies import employee_invitations
from agreements.store.companies.employee_invitations import MAX_REMINDERS, REMIND_AFTER
from bot.mail import employee_emails
from bot.portal import organizations
from bot.portal.company import list_preview, people_list
from bot.portal.company.list_preview import LineOutcome, ListPreview
from bot.portal.company.people_list import PeopleListLine
from bot.portal.forms.form_action import FormRefused, change, done, form_action
from bot.portal.forms.refusals import REFUSALS
from bot.portal.forms.typed_values import page_number
from bot.portal.portal_services import portal_services, reading
from bot.portal.text.languages import Language, language

PAGE_ROWS = 50
_PURPOSE = "invite"


def invitations_page(company_id: str, preview: ListPreview | None = None) -> str:
    """The page of invited addresses, with the form for more."""
    number = page_number()
    with reading() as (records, vault, _at):
        sent = employee_invitations.of_company(records, vault, company_id)
    return render_template(
        "company/invitations.html",
        company=organizations.company(company_id),
        preview=preview or ListPreview(request.form.get("list", "")),
        chosen_language=_chosen_language() if preview else language(),
        sent=sent[(number - 1) * PAGE_ROWS : number * PAGE_ROWS],
        states=Counter(invitation.state for invitation in sent),  # Of all, on other pages, too.
        number=number,
        last=-(-len(sent) // PAGE_ROWS),
        days=REMIND_AFTER.days,
        reminders=MAX_REMINDERS,
    )


@form_action(invitations_page)
def check_invitations(company_id: str) -> ResponseReturnValue:
    """Say for each line what happens. Nothing is stored, and no e-mail is sent."""
    judged = _judged(company_id, people_list.read(people_list.sent()))
    invited = [canonical_address(outcome.line.address) for outcome in judged if outcome.outcome == "invite"]
    # Signed, so that no other lines than those that were looked through can be sent.
    good = list_preview.sign(_PURPOSE, company_id, invited)
    return invitations_page(company_id, ListPreview(request.form.get("list", ""), judged, good))


@form_action(invitations_page)
def send_invitations(company_id: str) -> ResponseReturnValue:
    """Invite the good lines of the list that was looked through, in one transaction."""
    services, company = portal_services(), organizations.company(company_id)
    if company.text_missing:  # Its agreement covers no person.
        raise FormRefused({"list": str(REFUSALS["not-in-force"])}, 409)
    good = list_preview.looked_through(_PURPOSE, company_id, "good")
    many = {"too-many": _("A company invites 2,000 people a day at most. Try again tomorrow.")}
    with change("list", sentences=many) as context:
        made = employee_invitations.invite(context, company_id, good, _chosen_language(), server=services.server)
        for invitation in made:
            employee_emails.write(context, services.url, company.name, invitation)
        employee_invitations.log_invited(context, company_id, made)
    return done(f"/company/{company_id}/invitations", _("People invited: %(count)s.", count=len(made)))


def withdraw_invitation(company_id: str, invitation_id: str) -> ResponseReturnValue:
    """Withdraw an invitation: no reminder goes out any more."""
    with change() as context:
        employee_invitations.withdraw(context, company_id, invitation_id)
    return done(f"/company/{company_id}/invitations", _("The invitation is withdrawn. No reminder is sent."))


def _judged(company_id: str, lines: Sequence[PeopleListLine]) -> tuple[LineOutcome, ...]:
    addresses, server = [canonical_address(line.address) for line in lines], portal_services().server
    with reading() as (records, vault, at):
        known = {address for address in addresses if address}
        outcomes = employee_invitations.judged(records, vault, company_id, known, server=server, at=at)
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
