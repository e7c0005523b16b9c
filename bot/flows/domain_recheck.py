"""A check in the DNS, every thirty days, whether a company's domain still has its record."""

import structlog

from agreements.store.companies import company_rows, domain_claims
from agreements.store.companies.domain_claims import ClaimStatus
from bot.flows.flow_services import Services
from bot.job_queue import Job
from bot.mail import manager_emails
from bot.mail.manager_emails import ManagerNotice
from bot.network.txt_record import record

MAX_QUEUED_DOMAINS = 50  # The others wait for the next hour.

log = structlog.get_logger()


def queue_due(services: Services) -> int:
    """Queue a check of each domain that is due; gives the number."""
    now = services.clock()
    with services.sessions() as session:
        due = domain_claims.due(session, services.vault, at=now)
        # Domains whose servers do not answer stay due. Each hour begins at another one, so that they keep out no others.
        first = int(now.timestamp()) // 3600 * MAX_QUEUED_DOMAINS % max(1, len(due))
        due = (*due[first:], *due[:first])[:MAX_QUEUED_DOMAINS]
        for claim in due:
            # A domain that is queued twice is checked once.
            services.engine.enqueue(session, Job("domain", (claim.id,), "later"))
    return len(due)


def check_domain(claim_id: str, services: Services) -> None:
    """Ask the DNS; the managers are written to when the record has gone."""
    with services.sessions() as session:
        due = domain_claims.due(session, services.vault, at=services.clock())
    claim = next((found for found in due if found.id == claim_id), None)
    if claim is None:
        return
    from bot.network import dns  # noqa: PLC0415 - only where a domain is due

    # While no transaction is open: a resolver may take seconds, and SQLite has one writer.
    answer = dns.shows(claim.domain, claim.token, services.dns_servers)
    is_absent = answer == "absent" or (answer != "shown" and domain_claims.is_unanswered(claim, services.clock()))
    if answer != "shown" and not is_absent:  # An outage costs no company its domain: the next round asks again.
        log.info("domain.not-known", claim=claim_id, answer=answer)
        return
    with services.change() as context:
        if is_absent and claim.missing_since is None:  # Told once, when the time of grace begins.
            company = company_rows.find(context.session, claim.company_id)
            occasion = _occasion(claim, company.name, services)
            manager_emails.write(context, claim.company_id, occasion, server=services.server)
        domain_claims.checked(context, claim_id, present=answer == "shown")


def _occasion(claim: ClaimStatus, company: str, services: Services) -> ManagerNotice:
    name, text = record(claim.domain, claim.token)
    at = services.clock()
    values = {
        "company": company,
        "domain": claim.domain,
        "name": name,
        "text": text,
        "day": f"{at + domain_claims.MISSING_RECORD_GRACE:%Y-%m-%d}",
        "url": f"{services.url}/company/{claim.company_id}/domains",
    }
    return ManagerNotice(kind="domain-missing", values=values, once=f"domain-missing:{claim.id}:{at:%Y-%m-%d}")
