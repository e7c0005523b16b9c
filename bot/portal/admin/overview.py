"""The first page of the administration: what waits for somebody's decision, and how much there is."""

from flask.typing import ResponseReturnValue

from agreements.store import admin_lists, admin_search, parties
from agreements.store.admin_lists import ListFilter
from agreements.store.companies import companies, company_requests, domain_states, renewals
from bot.portal import organizations
from bot.portal.admin.page_context import render
from bot.portal.portal_services import portal_services
from bot.records import served_parties
from bot.store import outbox


def overview() -> ResponseReturnValue:
    """Each thing that waits, with the way to it; and what there is."""
    services = portal_services()
    rulebooks = organizations.rulebooks_to_correct()
    at, accepted = services.clock(), services.catalog.accepted()
    with services.sessions() as records:
        missing = companies.without_text(records, accepted=accepted)
        uncovering = admin_lists.company_ids(
            records, ListFilter(state="text missing"), missing=missing, at=at, skip=0, most=len(missing)
        )
        return render(
            "admin/overview.html",
            rulebooks=rulebooks,
            waiting=admin_search.waiting(records, at=at),
            requests=len(company_requests.waiting(records)),
            texts_missing=len(uncovering),
            claims=len(domain_states.pending(records, services.vault, at=at)),
            overdue=sum(key not in missing for key, _name, _day in renewals.overdue(records, at=at)),
            parties=parties.count(records) + len(served_parties.unlisted(records, organizations.counting())),
            failed=outbox.EMAILS.counts(records).get("failed", 0),
        )
