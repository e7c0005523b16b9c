"""A person's companies, and one company's overview: how its agreement stands, what is missing, how addresses count, its yearly review."""

from datetime import timedelta
from typing import cast

from flask import abort, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.store.companies import (
    company_agreements,
    company_entries,
    company_requests,
    company_rows,
    domain_claims,
    enrolments,
    managers,
    renewals,
    rosters,
)
from agreements.store.companies.company_entries import Mode
from agreements.store.people.signatures import ReceiptView
from bot.mail import manager_emails
from bot.mail.manager_emails import ManagerNotice
from bot.portal import organizations, receipt_files
from bot.portal.company import removal, signatory_request
from bot.portal.company.removal import Removal, RemovalEffect
from bot.portal.downloads import download, log_export, table
from bot.portal.forms import agreement_fields
from bot.portal.forms.form_action import FormRefused, change, done, form_action
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.store.pulls import rejudge

END_NOTICE = timedelta(days=30)
"""The notice that a company gives before its agreement ends: section 10 of the corporate agreement."""

_MAX_NAMED = 50

_SIGNERS_OWN = frozenset({"email", *company_requests.PERSONAL})


def my_companies() -> ResponseReturnValue:
    """The companies that this person looks after, and how to ask for one more."""
    accepted = portal_services().catalog.accepted()
    with reading() as (records, vault, at):
        mine = company_requests.of_manager(records, vault, signed_in().account.id, accepted=accepted, at=at)
    return render_template("company/overview_all.html", mine=mine, asked=signatory_request.mine())


def company_page(company_id: str, loses: RemovalEffect | None = None) -> str:
    """The overview of one company: the state of its agreement, and what is missing."""
    services, company = portal_services(), organizations.company(company_id)
    with reading() as (records, vault, at):
        stated = company_requests.opened(records, vault, company_id)
        office = managers.in_office(records, company_id, at=at)
        held = domain_claims.held(records, company_id, at=at)
    written = stated.signed.draft.language if stated.signed else language()
    text = services.catalog.get(company.agreement, company.version, written)
    signed = None if stated.restricted else stated.signed  # Restricted evidence is opened in a dispute alone.
    return render_template(
        "company/overview.html",
        company=company,
        with_whom=organizations.company_party(company_id),
        title=agreement_view.title(services.catalog, company.agreement, company.version, language()),
        details=agreement_fields.shown(text.fields if text else (), stated.fields, language()),
        refusal=stated.refusal,
        ending_why=stated.ending,
        unreached=organizations.unreached(company.id),
        signed=signed,
        few=len(office) < managers.MIN_MANAGERS,
        held=held,
        least=organizations.company_rules(company_id).people.domains,
        notice=END_NOTICE.days,
        ending=company.ended_at is not None and company.ended_at > at,
        loses=loses,
        most=_MAX_NAMED,
        enrol_url=f"{services.url}/company/{company_id}/enrol",
    )


def company_receipt(company_id: str) -> ResponseReturnValue:
    """The receipt of the company's agreement as JSON; of the signer it names no more than the company's agreement does."""
    return receipt_files.json_file(_receipt(company_id), leave_out=_SIGNERS_OWN)


def company_receipt_pdf(company_id: str) -> ResponseReturnValue:
    """The same receipt as a PDF, with the text."""
    return receipt_files.pdf_file(_receipt(company_id), leave_out=_SIGNERS_OWN)


def _receipt(company_id: str) -> ReceiptView:
    with reading() as (records, vault, _at):
        stated = company_requests.opened(records, vault, company_id)
    if stated.signed is None or stated.restricted or stated.signed.erased:
        abort(404)
    log_export("company-receipt", company_id)
    return stated.signed


@form_action(company_page)
def choose_mode(company_id: str) -> ResponseReturnValue:
    """Choose whether an address counts once GitHub links it, or only once its owner enrolled."""
    mode, here = field("mode"), f"/company/{company_id}"
    if mode not in ("linked", "enrolled"):
        raise FormRefused({"mode-linked": _("Choose when people with an address at your domains are covered.")})
    least = organizations.company_rules(company_id).people.domains
    if organizations.company(company_id).domains == mode and least in ("linked", mode):
        return done(here, _("Nothing changed. This was already the setting."))
    # The people who would lose their cover are shown first.
    loses = _lost(company_id) if mode == "enrolled" and not field("sure") else None
    if loses is not None:
        return company_page(company_id, loses)
    with change("mode-linked") as context:
        rejudge.company(context.session, portal_services().engine, company_id, now=context.at)
        company_entries.set_mode(context, company_id, cast("Mode", mode), least=least)
    return done(here, _("Saved. Your people's open pull requests are being checked again."))


@form_action(company_page)
def end_agreement(company_id: str) -> ResponseReturnValue:
    """The agreement ends after the notice that it asks for; its managers are told."""
    services, company = portal_services(), organizations.company(company_id)
    if not field("sure"):
        raise FormRefused({"sure": _("Tick the box to end the agreement.")})
    with change("sure") as context:
        until, site = context.at + END_NOTICE, services.url
        rejudge.company(context.session, services.engine, company_id, until, now=context.at)
        values = {"company": company.name, "time": f"{until:%Y-%m-%d %H:%M}", "url": site, "site": site}
        occasion = ManagerNotice(kind="company-leaves", values=values)
        manager_emails.write(context, company_id, occasion, server=services.server)
        # Last: its log entry makes others wait until the commit.
        company_requests.end(context, company_id, until=until, reason="")
    return redirect(f"/company/{company_id}")


def _lost(company_id: str) -> RemovalEffect | None:
    """Those who would lose their cover if enrolment were required, and their pull requests; None when none is known."""
    accepted, rules = portal_services().catalog.accepted(), organizations.company_rules(company_id)
    with reading() as (records, vault, at):
        roster = rosters.roster(records, vault, company_id, accepted=accepted)
        found = removal.effect(portal_services(), records, roster, Removal(at, enrolled=True), rules)
    return found if found.lost or found.red or found.red_private else None


def export_page(company_id: str) -> ResponseReturnValue:
    """The page that says what the export holds, with a button."""
    # A button, since machines follow links, and each download is an entry of the log.
    return render_template(
        "company/export.html", company=organizations.company(company_id), header=rosters.EXPORT_HEADER
    )


def export(company_id: str) -> ResponseReturnValue:
    """The file with the company's data."""
    with change() as context:  # Written down before it is handed out.
        rows = rosters.export_rows(context.session, context.vault, company_id)
        company_rows.log(
            context, company_rows.find(context.session, company_id), "company.exported", (), {"rows": len(rows)}
        )
    log_export("company", company_id)
    return download(table(rosters.EXPORT_HEADER, rows), "text/csv", f"company-{context.at:%Y-%m-%d}.csv")


def renewal_page(company_id: str) -> str:
    """The page to look through before a renewal, with the tick once it is time."""
    catalog, company = portal_services().catalog, organizations.company(company_id)
    accepted = catalog.accepted()
    with reading() as (records, vault, at):
        roster = rosters.roster(records, vault, company_id, accepted=accepted)
        in_office = managers.in_office(records, company_id, at=at)
        enrolled = enrolments.running(records, company_id, at=at)
    running = [roster_entry for roster_entry in roster.named if roster_entry.entry.runs(at)]
    return render_template(
        "company/renewal.html",
        company=company,
        title=agreement_view.title(catalog, company.agreement, company.version, language()),
        domains=[
            roster_entry.entry for roster_entry in running if roster_entry.entry.domain and not roster_entry.excluded
        ],
        named=sum(roster_entry.entry.domain is None and not roster_entry.excluded for roster_entry in running),
        excluded=sum(roster_entry.excluded for roster_entry in running),
        enrolled=len(enrolled),
        managers=in_office,
        due=company.state == "in force" and renewals.may_renew(company.renew_by, at),
    )


@form_action(renewal_page)
def renew(company_id: str) -> ResponseReturnValue:
    """Renew the agreement for another year: all is still right."""
    if not request.form.get("right"):
        raise FormRefused({"right": _("Tick the box to confirm that everything is correct.")})
    try:
        with change() as context:
            renewals.renew(context, company_id)
    except FormRefused:  # Another manager was quicker, or the agreement has ended: the page says how it stands.
        raise FormRefused({}, 409) from None
    return redirect(f"/company/{company_id}/renewal")


def overdue_page() -> ResponseReturnValue:
    """Companies in force whose review is a month late."""
    accepted = portal_services().catalog.accepted()
    with reading() as (records, _vault, at):
        missing = company_agreements.without_text(records, accepted=accepted)
        late = [company for company in renewals.overdue(records, at=at) if company[0] not in missing]
    return render_template("company/renewal_overdue.html", late=late)
