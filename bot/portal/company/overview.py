"""A person's companies, and one company's overview: how its agreement stands, what is missing, how addresses count."""

from datetime import timedelta
from typing import cast

from flask import flash, redirect, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.store.companies import company_entries, company_requests, domain_states, managers, rosters
from agreements.store.companies.company_entries import Mode
from agreements.store.companies.company_rows import CompanyRefused
from bot.mail import manager_emails
from bot.mail.manager_emails import ManagerNotice
from bot.portal import organizations
from bot.portal.company import removal, signatory_request
from bot.portal.company.company_access import overview, refusal_text, unreached
from bot.portal.company.removal import Removal, RemovalEffect
from bot.portal.forms import agreement_fields
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.store.pulls import rejudge

END_NOTICE = timedelta(days=30)
"""How long before its end a company says so: section 10 of the corporate agreement."""

_MAX_NAMED = 50


def my_companies() -> ResponseReturnValue:
    """The companies that this person looks after, and how to ask for one more."""
    services, account_id = portal_services(), signed_in().account.id
    accepted = services.catalog.accepted()
    with services.sessions() as records:
        mine = company_requests.of_manager(records, services.vault, account_id, accepted=accepted, at=services.clock())
    return render_template("company/overview_all.html", mine=mine, asked=signatory_request.mine())


def choose_mode(company_id: str) -> ResponseReturnValue:
    """Whether an address counts once GitHub links it, or only once somebody enrolled; who loses by it is shown first."""
    services, mode = portal_services(), field("mode")
    if mode not in ("linked", "enrolled"):
        return company_page(company_id, {"mode-linked": _("Choose one of the two.")}), 400
    if overview(company_id).domains == mode and organizations.company_rules(company_id).people.domains in (
        "linked",
        mode,
    ):
        flash(_("Nothing changed. This was already the setting."))
        return redirect(f"/company/{company_id}")
    loses = _lost(company_id) if mode == "enrolled" and not field("sure") else None
    if loses is not None:
        return company_page(company_id, loses=loses)
    try:
        with services.change(signed_in().account.id) as context:
            rejudge.company(context.session, services.engine, company_id, now=context.at)
            least = organizations.company_rules(company_id).people.domains
            company_entries.set_mode(context, company_id, cast("Mode", mode), least=least)
    except CompanyRefused as error:
        return company_page(company_id, {"mode-linked": refusal_text(error)}), 409
    flash(_("Saved. Your people's open pull requests are being checked again."))
    return redirect(f"/company/{company_id}")


def end_agreement(company_id: str) -> ResponseReturnValue:
    """The agreement ends after the notice that it asks for; its managers are told."""
    services, company = portal_services(), overview(company_id)
    if not field("sure"):
        return company_page(company_id, {"sure": _("Tick the box if you want this.")}), 400
    try:
        with services.change(signed_in().account.id) as context:
            until = context.at + END_NOTICE
            rejudge.company(context.session, services.engine, company_id, until, now=context.at)
            values = {"company": company.name, "time": f"{until:%Y-%m-%d %H:%M}", "url": services.settings.url}
            occasion = ManagerNotice(kind="company-leaves", values={**values, "site": services.settings.url})
            manager_emails.write(context, company_id, occasion, server=services.server)
            company_requests.end(context, company_id, until=until, reason="")
    except CompanyRefused as error:
        return company_page(company_id, {"sure": refusal_text(error)}), 409
    return redirect(f"/company/{company_id}")


def _lost(company_id: str) -> RemovalEffect | None:
    """Whom asking for enrolment would concern, and their pull requests; None when nothing is known to change."""
    services = portal_services()
    accepted = services.catalog.accepted()
    with services.sessions() as records:
        roster = rosters.roster(records, services.vault, company_id, accepted=accepted)
        found = removal.effect(
            services, records, roster, Removal(services.clock(), enrolled=True), organizations.company_rules(company_id)
        )
    return found if found.lost or found.red or found.red_private else None


def company_page(company_id: str, errors: dict[str, str] | None = None, loses: RemovalEffect | None = None) -> str:
    """How the agreement stands."""
    services, company = portal_services(), overview(company_id)
    at = services.clock()
    with services.sessions() as records:
        stated = company_requests.opened(records, services.vault, company_id)
        office = managers.in_office(records, company_id, at=at)
        held = domain_states.held(records, company_id, at=at)
    written = stated.signed.draft.language if stated.signed else language()
    text = services.catalog.get(company.agreement, company.version, written)
    signed = None if stated.restricted else stated.signed
    return render_template(
        "company/overview.html",
        company=company,
        with_whom=organizations.company_party(company_id),
        title=agreement_view.title(services.catalog, company.agreement, company.version, language()),
        details=agreement_fields.shown(text.fields if text else (), stated.fields, language()),
        refusal=stated.refusal,
        ending_why=stated.ending,
        unreached=unreached(company.id),
        signed=signed,
        few=len(office) < managers.MIN_MANAGERS,
        held=held,
        least=organizations.company_rules(company_id).people.domains,
        notice=END_NOTICE.days,
        ending=company.ended_at is not None and company.ended_at > at,
        errors=errors or {},
        loses=loses,
        most=_MAX_NAMED,
        enrol_url=f"{services.settings.url}/company/{company_id}/enrol",
    )
