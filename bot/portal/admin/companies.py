"""A company for those who administer: all that it stated and holds, and the decisions about it, each with its reason."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from flask import redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext
from sqlmodel import Session

from agreements.domains.confusables import mixed_words, skeleton
from agreements.store import admin_search
from agreements.store.companies import (
    company_entries,
    company_mail,
    company_requests,
    company_rows,
    domain_claims,
    managers,
    paper_agreements,
)
from agreements.store.companies.company_requests import CompanyStatement, Overview
from agreements.store.people import documents
from agreements.store.record_context import RecordContext
from bot.mail import manager_emails, smtp
from bot.mail.manager_emails import ManagerNotice
from bot.portal import organizations
from bot.portal.admin import papers
from bot.portal.admin.page_context import PAGE_ROWS, is_confirmed, render
from bot.portal.admin.papers import PaperForm
from bot.portal.forms import agreement_fields
from bot.portal.forms.form_action import FormRefused, change, form_action
from bot.portal.forms.typed_values import account, after_day, field, short_reason
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in
from bot.portal.signing import LEGAL_NAME
from bot.portal.text import message_formatting
from bot.portal.text.languages import language
from bot.store.outbox import Email
from bot.store.pulls import rejudge

REFUSALS = {
    "reason-needed": lazy_gettext(
        "Enter a reason. It is required to decline, and to countersign a company without a verified domain."
    )
}
"""Refusals in other words for administrators."""

_REASONS = {
    "company-countersigned": "countersign-reason",
    "company-refused": "refuse-reason",
    "company-ended": "end-reason",
}
"""The field of the reason, by the e-mail about the decision."""

_LEADS_TO = {"company-refused": "/company/request", "company-ended": ""}
"""The page to which an e-mail leads; every other leads to the company's own page."""


def company_page(company_id: str) -> str:
    """The page with all that the company stated and holds, opened."""
    found, server = organizations.company(company_id), portal_services().server
    with reading() as (records, vault, at):
        _row = company_rows.find(records, company_id)  # Held, so that it is read once.
        in_office = managers.in_office(records, company_id, at=at)
        accounts = [manager.account.id for manager in in_office]
        entries = company_entries.page(records, vault, company_id, range(PAGE_ROWS), at=at)
        stated = company_requests.opened(records, vault, company_id)
        kept = documents.of_company(records, vault, company_id)
        return render(
            "admin/companies_one.html",
            company=found,
            stated=stated,
            details=_fields(found, stated),
            managers=in_office,
            reached=company_mail.addresses(records, vault, company_id, accounts, server=server),
            least=managers.MIN_MANAGERS,
            claims=domain_claims.of_company(records, vault, company_id, at=at),
            entries=entries,
            kept=kept,
            named=(found.requested_by, *(document.recorded_by for document in kept)),
            services=papers.SERVICES,
            warning=name_warnings(records, (found,)).get(company_id),
            sent=request.form,
        )


@form_action(company_page)
def countersign_company(company_id: str) -> ResponseReturnValue:
    """Put the agreement in force from now on; first the e-mail to its managers is shown."""
    # Without its text it would cover no person, while the e-mail says that it is in force.
    if organizations.company(company_id).text_missing:
        lacks = _("The text that was signed is not in the catalog of agreements, so the agreement would cover nobody.")
        raise FormRefused({"decision": lacks}, 409)
    if not is_confirmed():
        return _ask_to_countersign(company_id)
    with _decision(company_id, "company-countersigned") as context:
        company_requests.countersign(context, company_id, reason=short_reason())
    return redirect(f"/admin/companies/{company_id}")


def _ask_to_countersign(company_id: str) -> str:
    services, found = portal_services(), organizations.company(company_id)
    with reading() as (records, vault, at):
        in_office = managers.in_office(records, company_id, at=at)
        reached = managers.addresses(records, vault, company_id, server=services.server, at=at)
        proven = domain_claims.held(records, company_id, at=at)
    # Said before the e-mail is shown, and not only after it was confirmed.
    if not proven and not short_reason():
        raise FormRefused({_REASONS["company-countersigned"]: REFUSALS["reason-needed"]}, 409)
    # The page shows the e-mail as the first of them gets it.
    login = next((manager.account.login for manager in in_office if manager.account.id in reached), "–")
    values = {"company": found.name, "manager": login, "url": f"{services.url}/company/{company_id}"}
    email = Email(kind="company-countersigned", to="", language=language(), values=values)
    return render(
        "admin/confirm.html",
        heading=message_formatting.fill(_("Countersign the agreement of %(company)s?"), company=found.name),
        people=len(reached),
        email=smtp.read(email),
        kept={"reason": short_reason()},
        back=f"/admin/companies/{company_id}",
        button=_("Countersign"),
    )


@form_action(company_page)
def refuse_company(company_id: str) -> ResponseReturnValue:
    """Turn the request down; its managers read the reason."""
    with _decision(company_id, "company-refused") as context:
        company_requests.refuse(context, company_id, reason=short_reason())
    return redirect(f"/admin/companies/{company_id}")


@form_action(company_page)
def end_company(company_id: str) -> ResponseReturnValue:
    """End the agreement when a day is over."""
    try:
        until = after_day(field("until"))
    except ValueError:
        until = None
    errors = {} if short_reason() else {"end-reason": _("Enter a reason.")}
    if until is None:
        errors = {"until": _("Enter a date, such as 2026-12-31. The agreement ends at the end of that day."), **errors}
    if errors or until is None:
        raise FormRefused(errors)
    with _decision(company_id, "company-ended", until) as context:
        company_requests.end(context, company_id, until=until, reason=short_reason())
    return redirect(f"/admin/companies/{company_id}")


@form_action(company_page)
def appoint_manager(company_id: str) -> ResponseReturnValue:
    """Add a manager where too few are left."""
    services, errors = portal_services(), {} if short_reason() else {"appoint-reason": _("Enter a reason.")}
    try:
        found = account(field("login"), "login")  # GitHub is asked before the transaction begins.
    except FormRefused as refused:
        raise FormRefused({**refused.errors, **errors}, refused.status) from None
    if errors:
        raise FormRefused(errors)
    with change("decision") as context:
        company = company_rows.locked(context.session, company_id)  # First: see `manager_emails.welcome`.
        url, by = f"{services.url}/company/{company_id}", signed_in().account.login
        manager_emails.welcome(context, found, (company.id, company.name), url=url, by=by, server=services.server)
        managers.appoint(context, company_id, found, reason=short_reason())
    return redirect(f"/admin/companies/{company_id}")


@form_action(company_page)
def attach_file(company_id: str) -> ResponseReturnValue:
    """Keep one more file with the company's agreement."""
    filled = PaperForm({"service": field("service")})
    papers.service_and_file(filled)
    if filled.document is None:
        raise FormRefused(filled.errors)
    with change() as context:
        paper_agreements.attach(context, company_id, filled.document)
    return redirect(f"/admin/companies/{company_id}")


@contextmanager
def _decision(company_id: str, kind: str, until: datetime | None = None) -> Iterator[RecordContext]:
    """E-mails, rechecks and the decision in one transaction, the decision with its log entry last."""
    services = portal_services()
    with change("decision", places={"reason-needed": _REASONS[kind]}, sentences=REFUSALS) as context:
        row = company_rows.locked(context.session, company_id)
        url = services.url + _LEADS_TO.get(kind, f"/company/{row.id}")
        values = {"company": row.name, "reason": short_reason(), "url": url}
        if until:
            values["day"] = f"{until - timedelta(days=1):%Y-%m-%d}"  # The last day on which it counts.
        # Before the countersignature the managers were not told of their office: this is their e-mail of welcome.
        once = manager_emails.welcomed(url, context.at) if kind == "company-countersigned" else None
        occasion = ManagerNotice(kind=kind, values=values, once=once)
        manager_emails.write(context, row.id, occasion, server=services.server)
        rejudge.company(context.session, services.engine, row.id, until, now=context.at)
        yield context  # The decision comes last: its log entry makes others wait until the commit.


@dataclass(frozen=True, slots=True)
class NameWarning:
    """A warning about a company's name: its words of `mixed` scripts, and `others` (id and name) that look the same."""

    mixed: tuple[str, ...]
    others: tuple[tuple[str, str], ...]


def name_warnings(records: Session, companies: Iterable[Overview]) -> dict[str, NameWarning]:
    """The warnings by company; one whose name is like no other and of one script is left out."""
    # Names that look the same have the same skeleton (UTS 39).
    alike: dict[str, list[tuple[str, str]]] = {}
    for company_id, name in admin_search.company_names(records):
        alike.setdefault(skeleton(name), []).append((company_id, name))
    found = {}
    for company in companies:
        shape = skeleton(company.name)
        others = tuple(other for other in alike.get(shape, ()) if shape and other[0] != company.id)
        if (mixed := mixed_words(company.name)) or others:
            found[company.id] = NameWarning(mixed, others)
    return found


def _fields(company: Overview, stated: CompanyStatement) -> list[tuple[str, str]]:
    """The answers of the company and its signer, under the labels of the agreement; not a restricted signer's."""
    filled = {**(stated.signed.draft.fields if stated.signed and not stated.restricted else {}), **stated.fields}
    catalog, text_language = portal_services().catalog, stated.signed.draft.language if stated.signed else "en"
    # A version that declares none of its own has the labels of another.
    known = (
        catalog.get(company.agreement, version, text_language)
        for version in (*catalog.versions(company.agreement), company.version)
    )
    fields = [field for text in known if text for field in text.fields]
    return agreement_fields.shown((LEGAL_NAME, *fields), filled, language(), own=False)
