"""A company's domains: ask for one, show its DNS record, have it looked at, choose whether it takes in subdomains."""

from dataclasses import replace
from functools import partial

from flask import abort, redirect, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext

from agreements.domains.canonical_form import canonical_domain, domain_of
from agreements.store.companies import company_entries, domain_claims
from agreements.store.companies.domain_claims import ClaimStatus
from agreements.store.people import emails, person_rows
from bot.network.txt_record import record
from bot.portal import organizations
from bot.portal.forms.form_action import FormRefused, Sentences, change, form_action
from bot.portal.forms.refusals import REFUSALS
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in
from bot.portal.signing import github_proof
from bot.store.pulls import rejudge

_NOT_SHOWN = {
    "absent": lazy_gettext(
        "The record was not found. It can take up to an hour for a new DNS record to appear. Then check again."
    ),
    "differs": lazy_gettext("The record is not visible everywhere yet. Check again in a few minutes."),
    "unknown": lazy_gettext("The DNS of this domain did not respond. Check again in a few minutes."),
}
"""Sentences about a record that the DNS did not show."""


def domains_page(company_id: str) -> str:
    """All domains that the company has or claims, each with what to do next."""
    company = organizations.company(company_id)
    with reading() as (records, vault, at):
        claims = domain_claims.of_company(records, vault, company_id, at=at)
    return render_template(
        "company/domains.html",
        company=company,
        claims=sorted(claims, key=lambda claim: (claim.state != "open", claim.domain)),  # What waits comes first.
        records={claim.id: record(claim.domain, claim.token) for claim in claims},
        own=sorted({domain for address in signed_in().emails if (domain := domain_of(address))}),
        typed=field("domain"),
        below=field("subdomains") == "y",
    )


@form_action(domains_page)
def claim_domain(company_id: str) -> ResponseReturnValue:
    """Ask for a domain at which the manager has an address of their own; that address is kept as proven."""
    who, typed = signed_in(), field("domain")
    name = canonical_domain(typed.lower().removeprefix("@")) or typed
    if not typed:
        raise FormRefused({"domain": _("Enter a domain, such as example.com.")})
    verified = next((address for address in who.emails if domain_of(address) == name), None)
    with change() as context:  # By itself: what follows begins with the lock on domains.
        at, person = context.at, person_rows.ensure(context, who.account)
    sentences: Sentences = {
        "no-address": partial(_no_address, name),
        "invalid": _(
            "This is not a valid domain. Enter the domain alone, such as example.com, without https:// or a path."
        ),
    }
    with change("domain", sentences=sentences) as context:
        # An address that was proven to us by a mailed code does as well as one that GitHub verified.
        known = emails.recently_proven(context.session, context.vault, who.account.id, at)
        domain_claims.claim(
            context,
            company_id,
            name,
            addresses=(*who.emails, *known),
            subdomains=field("subdomains") == "y",
            proven=(person, github_proof(verified, at)) if verified else None,
        )
    return redirect(f"/company/{company_id}/domains")


@form_action(domains_page)
def check_domain(company_id: str, claim_id: str) -> ResponseReturnValue:
    """Ask the DNS now; a domain that shows the record is the company's."""
    claim, place = _claim(company_id, claim_id), f"check-{claim_id}"
    if claim.state not in ("open", "missing"):  # Decided or expired meanwhile.
        return redirect(f"/company/{company_id}/domains")
    if claim.state == "open":
        # It is to be verified by GitHub in this session, or by a code in the last 12 hours.
        with reading() as (records, vault, at):
            known = emails.recently_proven(records, vault, signed_in().account.id, at)
        if claim.domain not in {domain_of(address) for address in (*signed_in().emails, *known)}:
            raise FormRefused({place: _no_address(claim.domain)}, 409)
    from bot.network import dns  # noqa: PLC0415 - only where a record is looked at

    # No transaction is open: an answer may take seconds.
    answer = dns.shows(claim.domain, claim.token, portal_services().settings.dns_servers)
    if answer != "shown":
        raise FormRefused({place: str(_NOT_SHOWN[answer])}, 409)
    with change(place) as context:
        if claim.state == "open":
            rejudge.company(context.session, portal_services().engine, company_id, now=context.at)
            domain_claims.prove(context, claim_id)
        else:
            # The DNS says so, not the manager.
            domain_claims.checked(replace(context, by=None), claim_id, present=True)
    return redirect(f"/company/{company_id}/domains")


@form_action(domains_page)
def switch_subdomains(company_id: str, claim_id: str) -> ResponseReturnValue:
    """Choose whether the domain takes in what is below it."""
    entry_id, wanted = _claim(company_id, claim_id).entry_id or abort(404), field("subdomains") == "y"
    with reading() as (records, vault, at):
        entry = company_entries.read_entry(records, vault, company_id, entry_id, at=at)
    if entry.subdomains != wanted:  # A form that is sent twice is one change.
        with change(f"check-{claim_id}") as context:
            rejudge.company(context.session, portal_services().engine, company_id, now=context.at)
            company_entries.set_subdomains(context, company_id, entry_id, subdomains=wanted)
    return redirect(f"/company/{company_id}/domains")


def _claim(company_id: str, claim_id: str) -> ClaimStatus:
    with reading() as (records, vault, at):
        found = domain_claims.read_claim(records, vault, claim_id, at=at)
    if found.company_id != company_id:  # A manager must not learn of another company's claims.
        abort(404)
    return found


def _no_address(domain: str) -> str:
    # An address that was proven too long ago needs other advice than none at all.
    with reading() as (records, vault, at):
        shown = emails.of_account(records, vault, signed_in().account.id, at)
    is_old = domain in {domain_of(email.proven.address) for email in shown}
    return str(REFUSALS["old-address" if is_old else "no-address"])
