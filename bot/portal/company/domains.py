"""A company's domains: ask for one, show its DNS record, have it looked at, choose whether it takes in subdomains."""

from flask import abort, redirect
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types

from agreements.domains.domains import canonical_domain, domain_of
from agreements.store.companies import company_entries, domain_claims, domain_states
from agreements.store.companies.companies import DomainRefused
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.companies.domain_states import Claim
from agreements.store.people import emails, people
from agreements.store.people.emails import ProvenAddress
from bot import dns
from bot.portal.company.company_access import SAYS, acting, field, overview, render, said
from bot.portal.company.request import PROOF_LASTS
from bot.portal.contributor.signing import EMAIL_PROOF
from bot.portal.page_access import Route, Who
from bot.portal.portal_services import portal_services
from bot.store.pulls import rejudge

MOST_SHOWN = 50


def routes() -> tuple[Route, ...]:
    """Open to the company's managers."""
    page = "/company/<company_id>/domains"
    return (
        Route(page, domains_page, Who.MANAGER),
        Route(page, claim_domain, Who.MANAGER, "POST", limit="10 per minute"),
        Route(f"{page}/<claim_id>/check", check_domain, Who.MANAGER, "POST", limit="10 per minute"),
        Route(f"{page}/<claim_id>/subdomains", switch_subdomains, Who.MANAGER, "POST", limit="20 per minute"),
    )


def domains_page(company_id: str) -> ResponseReturnValue:
    """All domains that the company has or wishes for, each with what to do next."""
    return _page(company_id, {})


def claim_domain(company_id: str) -> ResponseReturnValue:
    """Ask for a domain at which the manager has an address of their own; that address is kept as proven."""
    given, who, typed = portal_services(), acting(), field("domain")
    at, name = given.clock(), canonical_domain(typed.lower().removeprefix("@")) or typed
    if not typed:
        return _page(company_id, {"domain": _("Write a domain, such as example.com.")}), 400
    verified = next((address for address in who.emails if domain_of(address) == name), None)
    with given.sessions() as records:  # by itself: what follows begins with the lock on domains
        person = people.ensure(records, given.vault, account=who.account, at=at, new_id=given.new_id())
    try:
        with given.sessions() as records:
            known = emails.fresh(records, given.vault, who.account.id, at)
            proof = verified and ProvenAddress(address=verified, how=EMAIL_PROOF, at=at, until=at + PROOF_LASTS)
            domain_claims.claim(
                records,
                given.vault,
                company_id,
                name,
                addresses=(*who.emails, *known),
                by=who.account.id,
                at=at,
                new_id=given.new_id,
                subdomains=field("subdomains") == "y",
                proven=(person, proof) if proof else None,
            )
    except (CompanyRefused, DomainRefused) as error:
        told = _no_address(name) if error.reason == "no-address" else said(error)
        return _page(company_id, {"domain": told}, typed), 409
    return redirect(f"/company/{company_id}/domains")


def check_domain(company_id: str, claim_id: str) -> ResponseReturnValue:
    """Ask the DNS now, while no transaction is open; what it shows is the company's."""
    given, claim = portal_services(), _claim(company_id, claim_id)
    if claim.state not in ("open", "missing"):
        return redirect(f"/company/{company_id}/domains")
    if claim.state == "open" and not _has_address(claim.domain):
        return _page(company_id, {f"check-{claim_id}": _no_address(claim.domain)}), 409
    answer = dns.shows(claim.domain, claim.token, given.settings.dns_servers)
    if answer != "shown":
        return _page(company_id, {f"check-{claim_id}": _not_yet(answer)}), 409
    by, at = acting().account.id, given.clock()
    try:
        with given.sessions() as records:
            if claim.state == "open":
                rejudge.company(records, given.engine, company_id, now=given.clock())
                domain_claims.prove(records, given.vault, claim_id, by=by, at=at, new_id=given.new_id)
            else:
                domain_claims.checked(records, given.vault, claim_id, present=True, at=at, new_id=given.new_id)
    except (CompanyRefused, DomainRefused) as error:
        return _page(company_id, {f"check-{claim_id}": said(error)}), 409
    return redirect(f"/company/{company_id}/domains")


def switch_subdomains(company_id: str, claim_id: str) -> ResponseReturnValue:
    """Whether the domain takes in what is below it."""
    given, claim = portal_services(), _claim(company_id, claim_id)
    if claim.entry_id is None:
        abort(404)
    wanted = field("subdomains") == "y"
    with given.sessions() as records:
        entry = company_entries.one(records, given.vault, company_id, claim.entry_id, at=given.clock())
    if entry.subdomains == wanted:
        return redirect(f"/company/{company_id}/domains")
    try:
        with given.sessions() as records:
            rejudge.company(records, given.engine, company_id, now=given.clock())
            company_entries.set_subdomains(
                records,
                given.vault,
                company_id,
                claim.entry_id,
                subdomains=wanted,
                by=acting().account.id,
                at=given.clock(),
                new_id=given.new_id,
            )
    except CompanyRefused as error:
        return _page(company_id, {f"check-{claim_id}": said(error)}), 409
    return redirect(f"/company/{company_id}/domains")


def _claim(company_id: str, claim_id: str) -> Claim:
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
    """Whether who asks has an address at that very domain, verified by GitHub in this visit or by a code in the last 12 hours."""
    given, who = portal_services(), acting()
    with given.sessions() as records:
        known = emails.fresh(records, given.vault, who.account.id, given.clock())
    return domain in {domain_of(address) for address in (*who.emails, *known)}


def _no_address(domain: str) -> str:
    """That there is none; or that the one that there is was proven too long ago, and what to do."""
    given, mine = portal_services(), acting().account.id
    with given.sessions() as records:
        shown = emails.of_account(records, given.vault, mine, given.clock())
    is_old = domain in {domain_of(one.proven.address) for one in shown}
    return str(SAYS["old-address" if is_old else "no-address"])


def _not_yet(answer: str) -> str:
    match answer:
        case "absent":
            return str(_("The record is not there. DNS may need up to an hour to show a new one; then check again."))
        case "differs":
            return str(_("Not everybody sees the record yet. Check again in a few minutes."))
        case _:
            return str(_("The DNS of this domain did not answer. Check again in a few minutes."))


def _page(company_id: str, errors: dict[str, str], typed: str = "") -> str:
    given, company = portal_services(), overview(company_id)
    with given.sessions() as records:
        claims = domain_states.of_company(records, given.vault, company_id, at=given.clock())
        switched = {
            one.entry_id: company_entries.one(
                records, given.vault, company_id, one.entry_id, at=given.clock()
            ).subdomains
            for one in claims[:MOST_SHOWN]
            if one.entry_id is not None
        }
    own = sorted({domain for address in acting().emails if (domain := domain_of(address))})
    return render(
        "company/domains.html",
        company,
        "domains",
        claims=claims[:MOST_SHOWN],
        records={one.id: dns.record(one.domain, one.token) for one in claims[:MOST_SHOWN]},
        switched=switched,
        own=own,
        typed=typed,
        errors=errors,
    )
