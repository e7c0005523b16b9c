"""Who looks after a company: within their time, for that company only."""

from datetime import timedelta

import pytest

from agreements.store import companies, managers
from agreements.store.companies import CompanyDraft
from agreements.store.company_records import CompanyManager


@pytest.fixture(name="office")
def _office(session, vault, at):
    """Account 11 looks after company c1 for ten days, account 12 after c2 without end."""
    for key in ("c1", "c2"):
        draft = CompanyDraft(name=key, agreement="ccla", version="2.0", signed_at=at)
        companies.add(session, vault, draft, new_id=key)
    until = at + timedelta(days=10)
    session.add(CompanyManager(id="m1", company_id="c1", account_id=11, login="a", since=at, until=until, added_by=11))
    session.add(CompanyManager(id="m2", company_id="c2", account_id=12, login="b", since=at, added_by=12))
    session.flush()
    return session


@pytest.mark.parametrize(
    ("account", "company", "days", "expected"),
    [(11, "c1", 0, True), (11, "c1", 10, False), (11, "c1", -1, False), (11, "c2", 0, False), (11, "", 0, False)],
)
def test_who_manages_what(office, at, account, company, days, expected):
    """From the first moment until the end, which does not count."""
    moment = at + timedelta(days=days)

    assert managers.manages(office, account, company, at=moment) is expected
    assert (company in managers.companies_of(office, account, at=moment)) is expected
