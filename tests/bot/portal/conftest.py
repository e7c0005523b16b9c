"""Fixtures of the portal's tests: the portal, and a company whose agreement covers an account."""

import pytest

from agreements import facts
from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from tests.bot.portal.populated import populate
from tests.logged import log_rows
from tests.within import within


@pytest.fixture(name="covered")
def _covered(portal):
    """A countersigned company that names an account, or holds a domain."""

    def covered(*, account: int | None = None, domain: str | None = None, name: str = "Huawei", version: str = "2.0"):
        draft = CompanyDraft(
            party="The CANN Authors",
            name=name,
            agreement="ccla",
            version=version,
            signed_at=portal.at,
            countersigned_at=portal.at,
        )
        with portal.services.sessions() as session:
            company = companies.add(within(session, portal.services.vault, new_id=portal.services.new_id), draft)
            entry = facts.Entry(account_id=account, domain=domain)
            companies.add_entry(
                within(session, portal.services.vault, portal.at, portal.services.new_id), company, entry
            )
            log_rows(session, portal.services.vault)

    return covered


@pytest.fixture(name="full")
def _full(portal):
    """The portal with a row of each kind."""
    return populate(portal)


@pytest.fixture(name="each_portal")
def _each_portal(database_url, github, make_portal):
    """The portal on each kind of database."""
    portal = make_portal(database_url, github)
    yield portal
    portal.database.dispose()
