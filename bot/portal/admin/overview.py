"""The first page of the administration: what waits for somebody's decision, and how much there is."""

from flask.typing import ResponseReturnValue

from agreements.store import admin_search
from agreements.store.companies import company_requests, domain_states, renewals
from bot.portal.admin.page_context import render
from bot.portal.portal_services import portal_services
from bot.store import outbox


def overview() -> ResponseReturnValue:
    """Each thing that waits, with the way to it; and what there is."""
    services = portal_services()
    at = services.clock()
    with services.sessions() as records:
        return render(
            "admin/overview.html",
            waiting=admin_search.waiting(records, at=at),
            requests=len(company_requests.pending(records, at=at)),
            claims=len(domain_states.pending(records, services.vault, at=at)),
            overdue=len(renewals.overdue(records, at=at)),
            failed=sum(1 for _ in outbox.EMAILS.listed(records, "failed")),
        )
