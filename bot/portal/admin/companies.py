"""Companies for those who administer: the list, one company opened, and the decisions about it, each with its reason."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from flask import abort, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from sqlmodel import Session

from agreements.domains.confusables import mixed_words, skeleton
from agreements.store import admin_search
from agreements.store.companies import (
    company_entries,
    company_mail,
    company_requests,
    company_rows,
    domain_states,
    managers,
)
from agreements.store.companies.company_requests import CompanyStatement, Overview
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.people import documents
from agreements.store.record_context import RecordContext
from bot.mail import manager_emails, smtp
from bot.mail.manager_emails import ManagerNotice
from bot.portal.admin import lists, papers
from bot.portal.admin.page_context import PAGE_ROWS, is_confirmed, list_page, render
from bot.portal.company.company_access import REFUSALS, Unresolved, account, after_day, overview
from bot.portal.company.request import LEGAL_NAME
from bot.portal.forms import agreement_fields
from bot.portal.forms.typed_values import MAX_REASON_CHARACTERS, field, reason_text
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.portal.text.languages import language
from bot.store.outbox import Email
from bot.store.pulls import rejudge

_LEADS_TO = {"company-refused": "/company/request", "company-ended": ""}
"""Where an e-mail leads; every other to the company\'s own page."""


def companies_page() -> ResponseReturnValue:
    """All companies by name; those that wait for a decision stand first."""
    services = portal_services()
    at, accepted = services.clock(), services.catalog.accepted()
    filters = lists.chosen(lists.LISTS["companies"].filters, request.args)
    with services.sessions() as records:
        waiting = company_requests.pending(records, accepted=accepted, at=at)
        found = list_page(lambda skip, most: lists.companies(records, filters, skip, most))
        warnings = _name_warnings(records, (*waiting, *found.rows))
    return render(
        "admin/companies.html", waiting=waiting, part=found, warnings=warnings, filters=filters, listed="companies"
    )


def countersign_company(company_id: str) -> ResponseReturnValue:
    """The agreement is in force from now on; first the e-mail to its managers is shown.

    One whose text the catalog lacks would cover nobody, while the e-mail says that it is in force.
    """
    if overview(company_id).text_missing:
        return company_page(
            company_id,
            {
                "decision": _(
                    "The text that was signed is not in the catalog of agreements, so the agreement would cover nobody."
                )
            },
        ), 409
    if not is_confirmed():
        return _ask_to_countersign(company_id)
    return _decided(company_id, company_requests.countersign, _reason(), "company-countersigned")


def _ask_to_countersign(company_id: str) -> str:
    """The page that shows the e-mail and how many managers get it."""
    services, at = portal_services(), portal_services().clock()
    found = overview(company_id)
    with services.sessions() as records:
        in_office = managers.in_office(records, company_id, at=at)
        reached = managers.addresses(records, services.vault, company_id, server=services.server, at=at)
    login = next((one.account.login for one in in_office if one.account.id in reached), "–")
    values = {"company": found.name, "manager": login, "url": f"{services.settings.url}/company/{company_id}"}
    email = Email(kind="company-countersigned", to="", language=language(), values=values)
    return render(
        "admin/confirm.html",
        heading=_("Countersign the agreement of %(company)s?", company=found.name),
        people=len(reached),
        email=smtp.read(email),
        kept={"reason": _reason()},
        back=f"/admin/companies/{company_id}",
        button=_("Countersign"),
    )


def refuse_company(company_id: str) -> ResponseReturnValue:
    """The request is turned down; its managers read why."""
    return _decided(company_id, company_requests.refuse, _reason(), "company-refused")


def end_company(company_id: str) -> ResponseReturnValue:
    """The agreement ends when a day is over."""
    reason, until = _reason(), _last_day()
    if until is None:
        missing = {"until": _("Enter a date, such as 2026-12-31. The agreement ends at the end of that day.")}
        return company_page(company_id, missing), 400
    if not reason:
        return company_page(company_id, {"end-reason": _("Enter a reason.")}), 400
    return _decided(company_id, company_requests.end, reason, "company-ended", until=until)


def appoint_manager(company_id: str) -> ResponseReturnValue:
    """Put somebody into office where too few are left."""
    try:
        found = account(field("login"))
    except Unresolved as error:
        return company_page(company_id, {"login": error.sentence}), error.code

    def appoint(context: RecordContext, company_id: str, *, reason: str) -> None:
        company = company_rows.locked(context.session, company_id)
        services, by = portal_services(), signed_in().account.login
        url = f"{services.settings.url}/company/{company_id}"
        manager_emails.welcome(context, found, company.id, company.name, url=url, by=by, server=services.server)
        managers.appoint(context, company_id, found, reason=reason)

    return _decided(company_id, appoint, _reason())


def _decided(
    company_id: str, decide: Callable[..., object], reason: str, kind: str = "", **until: datetime
) -> ResponseReturnValue:
    """E-mails, rechecks and the decision in one transaction, the decision with its log entry last."""
    services = portal_services()
    try:
        with services.change(signed_in().account.id) as context:
            row = company_rows.locked(context.session, company_id)
            if kind:
                url = services.settings.url + _LEADS_TO.get(kind, f"/company/{row.id}")
                values = {"company": row.name, "reason": reason, "url": url}
                if until:
                    values["day"] = f"{until['until'] - timedelta(days=1):%Y-%m-%d}"
                # Before the countersignature nobody was told of their office: this is their e-mail of welcome.
                once = manager_emails.welcomed(url, context.at) if kind == "company-countersigned" else None
                occasion = ManagerNotice(kind=kind, values=values, once=once)
                manager_emails.write(context, row.id, occasion, server=services.server)
                rejudge.company(context.session, services.engine, row.id, *until.values(), now=context.at)
            decide(context, company_id, reason=reason, **until)
    except LookupError:
        abort(404)
    except CompanyRefused as error:
        return company_page(company_id, {"decision": refusal(error.reason)}), 409
    return redirect(f"/admin/companies/{company_id}")


def company_page(company_id: str, errors: dict[str, str] | None = None) -> str:
    """Everything that the company stated and holds, opened."""
    services = portal_services()
    at, found = services.clock(), overview(company_id)
    with services.sessions() as records:
        _row = company_rows.find(records, company_id)  # held, so that it is read once
        in_office = managers.in_office(records, company_id, at=at)
        accounts = [one.account.id for one in in_office]
        entries = company_entries.page(records, services.vault, company_id, at=at, skip=0, most=PAGE_ROWS)
        stated = company_requests.opened(records, services.vault, company_id)
        kept = documents.of_company(records, services.vault, company_id)
        return render(
            "admin/companies_one.html",
            company=found,
            stated=stated,
            details=_fields(found, stated),
            managers=in_office,
            reached=company_mail.addresses(records, services.vault, company_id, accounts, server=services.server),
            least=managers.MIN_MANAGERS,
            claims=domain_states.of_company(records, services.vault, company_id, at=at),
            entries=entries,
            kept=kept,
            named=(found.requested_by, *(one.recorded_by for one in kept)),
            services=papers.SERVICES,
            warning=_name_warnings(records, (found,)).get(company_id),
            errors=errors or {},
            sent=request.form,
        )


@dataclass(frozen=True, slots=True)
class NameWarning:
    """What is odd about a company's name: words of mixed scripts, and other companies (id and name) that look the same."""

    mixed: tuple[str, ...]
    others: tuple[tuple[str, str], ...]


def _name_warnings(records: Session, companies: Iterable[Overview]) -> dict[str, NameWarning]:
    """What should be looked at, by company; one whose name is like no other and of one script is left out."""
    alike: dict[str, list[tuple[str, str]]] = {}
    for company_id, name in admin_search.company_names(records):
        alike.setdefault(skeleton(name), []).append((company_id, name))
    found = {}
    for one in companies:
        shape = skeleton(one.name)
        others = tuple(other for other in alike.get(shape, ()) if shape and other[0] != one.id)
        if (mixed := mixed_words(one.name)) or others:
            found[one.id] = NameWarning(mixed, others)
    return found


def _fields(company: Overview, stated: CompanyStatement) -> list[tuple[str, str]]:
    """What the company and who signed for it filled in, under the labels of the agreement; a restricted signer's is left out."""
    filled = {**(stated.signed.draft.fields if stated.signed and not stated.restricted else {}), **stated.fields}
    catalog, text_language = portal_services().catalog, stated.signed.draft.language if stated.signed else "en"
    # A version that declares none of its own has the labels of another.
    known = (
        catalog.get(company.agreement, one, text_language)
        for one in (*catalog.versions(company.agreement), company.version)
    )
    fields = [field for text in known if text for field in text.fields]
    return agreement_fields.shown((LEGAL_NAME, *fields), filled, language(), own=False)


def _reason() -> str:
    return reason_text()[:MAX_REASON_CHARACTERS]


def _last_day() -> datetime | None:
    """The end of the day that was typed, UTC; None for no day."""
    try:
        return after_day(field("until"))
    except (ValueError, OverflowError):
        return None


def refusal(reason: str) -> str:
    """The sentence for what the records did not take."""
    needed = _("Enter a reason. It is required to decline, and to countersign a company without a verified domain.")
    return str(needed if reason == "reason-needed" else REFUSALS[reason])
