"""Domains that companies ask for: what anybody should look at before saying yes, and the decision with its reason."""

from flask import abort, redirect, request
from flask.typing import ResponseReturnValue

from agreements.domains.confusables import inspect_domain
from agreements.store import admin_search
from agreements.store.companies import company_rows, domain_claims, domain_states
from agreements.store.companies.companies import DomainRefused
from agreements.store.companies.company_rows import CompanyRefused
from bot.mail import manager_emails
from bot.mail.manager_emails import ManagerNotice
from bot.portal.admin.companies import refusal
from bot.portal.admin.page_context import render
from bot.portal.company.company_access import overview
from bot.portal.forms.typed_values import MAX_REASON_CHARACTERS, reason_text
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.store.pulls import rejudge


def domains_page() -> ResponseReturnValue:
    """The claims that wait, the oldest first."""
    services = portal_services()
    at = services.clock()
    with services.sessions() as records:
        claims = domain_states.pending(records, services.vault, at=at)
        names = company_rows.names(records, {claim.company_id for claim in claims})
    waiting = [(claim, inspect_domain(claim.domain), names[claim.company_id]) for claim in claims]
    return render("admin/domains.html", waiting=waiting)


def approve_domain(claim_id: str) -> ResponseReturnValue:
    """Give the company the domain without a proof by DNS."""
    return _decided(claim_id, approve=True)


def refuse_domain(claim_id: str) -> ResponseReturnValue:
    """Turn the claim down."""
    return _decided(claim_id, approve=False)


def _decided(claim_id: str, *, approve: bool) -> ResponseReturnValue:
    try:
        company_id = decide_domain(claim_id, reason_text()[:MAX_REASON_CHARACTERS], approve=approve)
    except LookupError:
        abort(404)
    except (CompanyRefused, DomainRefused) as error:
        return domain_page(claim_id, refusal(error.reason)), 409
    return redirect(f"/admin/companies/{company_id}")


def decide_domain(claim_id: str, reason: str, *, approve: bool) -> str:
    """Approve or refuse the claim and tell the managers, in one transaction; the company's id.

    Raises LookupError, CompanyRefused and DomainRefused.
    """
    services = portal_services()
    decide = domain_claims.approve if approve else domain_claims.refuse
    with services.change(signed_in().account.id) as context:
        records = context.session
        company_rows.lock_domains(records)
        found = domain_states.one(records, services.vault, claim_id, at=context.at)
        row = company_rows.locked(records, found.company_id)
        values = {"company": row.name, "domain": found.domain, "reason": reason}
        values["url"] = f"{services.settings.url}/company/{row.id}/domains"
        occasion = ManagerNotice(kind="domain-approved" if approve else "domain-refused", values=values)
        manager_emails.write(context, row.id, occasion, server=portal_services().server)
        if approve:
            rejudge.company(records, services.engine, row.id, now=context.at)
        decide(context, claim_id, reason=reason)
    return found.company_id


def domain_page(claim_id: str, error: str = "") -> str:
    """One claim with all that speaks for and against it; DNS is asked while no transaction is open."""
    services = portal_services()
    at = services.clock()
    with services.sessions() as records:
        try:
            found = domain_states.one(records, services.vault, claim_id, at=at)
        except LookupError:
            abort(404)
        others = admin_search.holders(records, found.domain, besides=found.company_id)
        address = admin_search.address_at(records, services.vault, found.claimed_by, found.domain, at=at)
    from bot.network import dns  # noqa: PLC0415 - only where a domain is looked at

    seen = inspect_domain(found.domain)
    return render(
        "admin/domains_one.html",
        claim=found,
        named=(found.claimed_by,),
        look=seen,
        hosts=dns.mail_hosts(found.domain, seen.registered, services.settings.dns_servers),
        company=overview(found.company_id),
        others=others,
        address=address,
        error=error,
        reason=request.form.get("reason", ""),
    )
