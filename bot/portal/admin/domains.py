"""Domains that companies ask for: what an administrator should look at before saying yes, and the decision with its reason."""

from flask import redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from werkzeug.exceptions import NotFound

from agreements.domains.confusables import inspect_domain
from agreements.store import admin_search
from agreements.store.companies import company_rows, domain_claims
from bot.mail import manager_emails
from bot.mail.manager_emails import ManagerNotice
from bot.portal import organizations
from bot.portal.admin.companies import REFUSALS
from bot.portal.admin.page_context import BulkDecision, chosen_rows, render
from bot.portal.forms.form_action import FormRefused, change, form_action
from bot.portal.forms.typed_values import short_reason
from bot.portal.portal_services import portal_services, reading
from bot.store.pulls import rejudge


def domains_page() -> ResponseReturnValue:
    """The claims that wait, the oldest first."""
    with reading() as (records, vault, at):
        claims = domain_claims.pending(records, vault, at=at)
        names = company_rows.names(records, {claim.company_id for claim in claims})
    waiting = [(claim, inspect_domain(claim.domain), names[claim.company_id]) for claim in claims]
    return render("admin/domains.html", waiting=waiting)


def domain_page(claim_id: str) -> str:
    """The page of one claim with all that speaks for and against it."""
    with reading() as (records, vault, at):
        found = domain_claims.read_claim(records, vault, claim_id, at=at)
        others = admin_search.holders(records, found.domain, besides=found.company_id)
        address = admin_search.address_at(records, vault, found.claimed_by, found.domain, at=at)
    from bot.network import dns  # noqa: PLC0415 - only where a domain is looked at

    # DNS is asked while no transaction is open: an answer may take seconds.
    seen = inspect_domain(found.domain)
    return render(
        "admin/domains_one.html",
        claim=found,
        named=(found.claimed_by,),
        look=seen,
        hosts=dns.mail_hosts(found.domain, seen.registered, portal_services().settings.dns_servers),
        company=organizations.company(found.company_id),
        others=others,
        address=address,
        reason=request.form.get("reason", ""),
    )


@form_action(domain_page)
def approve_domain(claim_id: str) -> ResponseReturnValue:
    """Give the company the domain without a proof by DNS."""
    return redirect(f"/admin/companies/{decide_domain(claim_id, approve=True)}")


@form_action(domain_page)
def refuse_domain(claim_id: str) -> ResponseReturnValue:
    """Turn the claim down."""
    return redirect(f"/admin/companies/{decide_domain(claim_id, approve=False)}")


def approve_domains() -> ResponseReturnValue:
    """Show the selected claims and ask for the reason; once that is confirmed, approve them."""
    decision, chosen = BulkDecision("/admin/domains", _("Approve the selected domains"), _("Approve")), chosen_rows()
    with reading() as (records, vault, at):
        waiting = [claim for claim in domain_claims.pending(records, vault, at=at) if claim.id in chosen]
        shown = [
            f"{inspect_domain(claim.domain).letters} ({claim.domain}) · "
            f"{company_rows.find(records, claim.company_id).name}"
            for claim in waiting
        ]
    if (page := decision.ask(shown)) is not None:
        return page
    left = []
    for claim in waiting:  # A transaction each: one that is refused leaves the others approved.
        try:
            decide_domain(claim.id, approve=True)
        except FormRefused as refused:
            left.append(f"{claim.domain}: {refused.errors['decision']}")
        except NotFound:  # It is gone since the list was read.
            left.append(claim.domain)
    return decision.done(len(waiting) - len(left), left)


def decide_domain(claim_id: str, *, approve: bool) -> str:
    """Approve or refuse the claim and tell the managers; the company's id. Raises FormRefused; 404 if unknown."""
    services = portal_services()
    decide = domain_claims.approve if approve else domain_claims.refuse
    places = {"reason-needed": "approve-reason" if approve else "refuse-reason"}
    with change("decision", places=places, sentences=REFUSALS) as context:
        records = context.session
        # Before any other lock, as everywhere: which company holds a domain is decided under it.
        company_rows.lock_domains(records)
        found = domain_claims.read_claim(records, context.vault, claim_id, at=context.at)
        row = company_rows.locked(records, found.company_id)
        values = {"company": row.name, "domain": found.domain, "reason": short_reason()}
        values["url"] = f"{services.url}/company/{row.id}/domains"
        occasion = ManagerNotice(kind="domain-approved" if approve else "domain-refused", values=values)
        manager_emails.write(context, row.id, occasion, server=services.server)
        if approve:
            rejudge.company(records, services.engine, row.id, now=context.at)
        decide(context, claim_id, reason=short_reason())  # Last: its log entry makes others wait until the commit.
    return found.company_id
