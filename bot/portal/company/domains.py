"""A company's domains: ask for one, show its DNS record, have it looked at, choose whether it takes in subdomains."""

from dataclasses import replace

from flask import abort, redirect, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext

from agreements.domains.domains import canonical_domain, domain_of
from agreements.store.companies import company_entries, domain_claims, domain_states
from agreements.store.companies.companies import DomainRefused
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.companies.domain_states import ClaimStatus
from agreements.store.people import emails, people
from agreements.store.people.emails import ProvenAddress
from bot.network.domain_record import record
from bot.portal.company.company_access import REFUSALS, overview, refusal_text
from bot.portal.contributor.sign import EMAIL_PROOF, GITHUB_PROOF_LIFETIME
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.store.pulls import rejudge

MAX_SHOWN_DOMAINS = 50

_NOT_SHOWN = {
    "absent": lazy_gettext(
        "The record was not found. It can take up to an hour for a new DNS record to appear. Then check again."
    ),
    "differs": lazy_gettext("The record is not visible everywhere yet. Check again in a few minutes."),
    "unknown": lazy_gettext("The DNS of this domain did not respond. Check again in a few minutes."),
}
"""What is said of a record that the DNS did not show."""


def claim_domain(company_id: str) -> ResponseReturnValue:
    """Ask for a domain at which the manager has an address of their own; that address is kept as proven."""
    services, who, typed = portal_services(), signed_in(), field("domain")
    at, name = services.clock(), canonical_domain(typed.lower().removeprefix("@")) or typed
    if not typed:
        return domains_page(company_id, {"domain": _("Enter a domain, such as example.com.")}), 400
    verified = next((address for address in who.emails if domain_of(address) == name), None)
    with services.sessions() as records:  # by itself: what follows begins with the lock on domains
        person = people.ensure(records, services.vault, account=who.account, at=at, new_id=services.new_id())
    try:
        with services.change(who.account.id) as context:
            known = emails.recently_proven(context.session, services.vault, who.account.id, at)
            proof = verified and ProvenAddress(
                address=verified, how=EMAIL_PROOF, at=at, until=at + GITHUB_PROOF_LIFETIME
            )
            domain_claims.claim(
                context,
                company_id,
                name,
                addresses=(*who.emails, *known),
                subdomains=field("subdomains") == "y",
                proven=(person, proof) if proof else None,
            )
    except (CompanyRefused, DomainRefused) as error:
        message = _no_address(name) if error.reason == "no-address" else refusal_text(error)
        if error.reason == "invalid":
            message = _(
                "This is not a valid domain. Enter the domain alone, such as example.com, without https:// or a path."
            )
        return domains_page(company_id, {"domain": message}, typed), 409
    return redirect(f"/company/{company_id}/domains")


def check_domain(company_id: str, claim_id: str) -> ResponseReturnValue:
    """Ask the DNS now, while no transaction is open; what it shows is the company's."""
    services, claim = portal_services(), _claim(company_id, claim_id)
    if claim.state not in ("open", "missing"):
        return redirect(f"/company/{company_id}/domains")
    if claim.state == "open" and not _has_address(claim.domain):
        return domains_page(company_id, {f"check-{claim_id}": _no_address(claim.domain)}), 409
    from bot.network import dns  # noqa: PLC0415 - only where somebody asks

    answer = dns.shows(claim.domain, claim.token, services.settings.dns_servers)
    if answer != "shown":
        return domains_page(company_id, {f"check-{claim_id}": str(_NOT_SHOWN[answer])}), 409
    try:
        with services.change(signed_in().account.id) as context:
            if claim.state == "open":
                rejudge.company(context.session, services.engine, company_id, now=context.at)
                domain_claims.prove(context, claim_id)
            else:
                domain_claims.checked(replace(context, by=None), claim_id, present=True)
    except (CompanyRefused, DomainRefused) as error:
        return domains_page(company_id, {f"check-{claim_id}": refusal_text(error)}), 409
    return redirect(f"/company/{company_id}/domains")


def switch_subdomains(company_id: str, claim_id: str) -> ResponseReturnValue:
    """Whether the domain takes in what is below it."""
    services, claim = portal_services(), _claim(company_id, claim_id)
    if claim.entry_id is None:
        abort(404)
    wanted = field("subdomains") == "y"
    with services.sessions() as records:
        entry = company_entries.one(records, services.vault, company_id, claim.entry_id, at=services.clock())
    if entry.subdomains == wanted:
        return redirect(f"/company/{company_id}/domains")
    try:
        with services.change(signed_in().account.id) as context:
            rejudge.company(context.session, services.engine, company_id, now=context.at)
            company_entries.set_subdomains(context, company_id, claim.entry_id, subdomains=wanted)
    except CompanyRefused as error:
        return domains_page(company_id, {f"check-{claim_id}": refusal_text(error)}), 409
    return redirect(f"/company/{company_id}/domains")


def _claim(company_id: str, claim_id: str) -> ClaimStatus:
    """The claim, if it is that company's; 404 else."""
    services = portal_services()
    with services.sessions() as records:
        try:
            found = domain_states.one(records, services.vault, claim_id, at=services.clock())
        except LookupError:
            abort(404)
    if found.company_id != company_id:
        abort(404)
    return found


def _has_address(domain: str) -> bool:
    """Whether who asks has an address at that very domain, verified by GitHub in this session or by a code in the last 12 hours."""
    services, who = portal_services(), signed_in()
    with services.sessions() as records:
        known = emails.recently_proven(records, services.vault, who.account.id, services.clock())
    return domain in {domain_of(address) for address in (*who.emails, *known)}


def _no_address(domain: str) -> str:
    """That there is none; or that the one that there is was proven too long ago, and what to do."""
    services, mine = portal_services(), signed_in().account.id
    with services.sessions() as records:
        shown = emails.of_account(records, services.vault, mine, services.clock())
    is_old = domain in {domain_of(one.proven.address) for one in shown}
    return str(REFUSALS["old-address" if is_old else "no-address"])


def domains_page(company_id: str, errors: dict[str, str] | None = None, typed: str = "") -> str:
    """All domains that the company has or claims, each with what to do next."""
    services, company = portal_services(), overview(company_id)
    with services.sessions() as records:
        claims = domain_states.of_company(records, services.vault, company_id, at=services.clock())
    own = sorted({domain for address in signed_in().emails if (domain := domain_of(address))})
    return render_template(
        "company/domains.html",
        company=company,
        claims=claims[:MAX_SHOWN_DOMAINS],
        records={one.id: record(one.domain, one.token) for one in claims[:MAX_SHOWN_DOMAINS]},
        own=own,
        typed=typed,
        errors=errors or {},
    )
