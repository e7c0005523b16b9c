"""Reading domain claims; test_domain_claims.py has their changes."""

from datetime import timedelta

import pytest

from agreements.store.companies import domain_claims
from agreements.store.tables.company_records import CompanyEntry, DomainClaim
from tests.agreements.store.company import add_company

DAY = timedelta(days=1)


@pytest.fixture(name="company")
def _company(session, vault, at):
    """A maker of companies whose agreement is in force."""

    def company(company_id):
        return add_company(session, vault, at, company_id)

    return company


@pytest.fixture(name="claim")
def _claim(session, at):
    """A maker of claims of c1 as rows: open for a week unless told otherwise."""

    def claim(claim_id, **changes):
        row = {
            "company_id": "c1", "domain": f"{claim_id}.org", "subdomains": True, "token": "t", "claimed_at": at, "claimed_by": 11,
            "expires_at": at + 7 * DAY,
        }  # fmt: skip
        session.add(DomainClaim(id=claim_id, **row | changes))
        session.flush()

    return claim


@pytest.mark.slow
def test_without_claims_nothing_waits_and_an_empty_key_is_an_error(session, vault, at):
    assert domain_claims.pending(session, vault, at=at) == domain_claims.due(session, vault, at=at) == ()
    assert domain_claims.of_company(session, vault, "c1", at=at) == domain_claims.held(session, "c1", at=at) == ()
    for look in (
        lambda: domain_claims.of_company(session, vault, "", at=at),
        lambda: domain_claims.held(session, None, at=at),
        lambda: domain_claims.read_claim(session, vault, " ", at=at),
    ):
        with pytest.raises(ValueError, match="key"):
            look()


@pytest.mark.parametrize(
    ("changes", "after", "state"),
    [
        ({}, 0, "open"), ({}, 7, "expired"), ({"how": "dns", "proven": 0}, 8, "proven"), ({"how": "dns", "proven": 0, "missing": 1}, 8, "missing"),
        ({"refused": 1}, 1, "refused"), ({"refused": 1}, 9, "refused"),
    ],
)  # fmt: skip
def test_only_an_open_claim_waits_for_a_decision(session, vault, at, company, claim, changes, after, state):  # noqa: PLR0917 - fixtures are arguments
    company("c1")
    days = {"proven": "proven_at", "missing": "missing_since", "refused": "refused_at"}
    claim(
        "d1", **{days.get(name, name): at + value * DAY if name in days else value for name, value in changes.items()}
    )
    now = at + after * DAY

    found = domain_claims.read_claim(session, vault, "d1", at=now)
    assert (found.state, found.domain, found.reason, found.entry_until) == (state, "d1.org", "", None)
    assert domain_claims.of_company(session, vault, "c1", at=now) == (found,)
    assert domain_claims.pending(session, vault, at=now) == ((found,) if state == "open" else ())


def test_claims_proven_by_dns_are_looked_at_again_monthly_or_daily_after_a_miss(session, vault, at, company, claim):
    company("c1")
    claim("seen", how="dns", proven_at=at, checked_at=at + DAY)
    claim("never", how="dns", proven_at=at)
    claim("gone", how="dns", proven_at=at, checked_at=at + DAY, missing_since=at + DAY)
    claim("letter", how="administrator", proven_at=at)
    claim("open")

    def due(days):
        return {status.id for status in domain_claims.due(session, vault, at=at + days * DAY)} - {"ahead"}

    assert [due(1), due(2), due(30), due(31)] == [set(), {"gone"}, {"gone", "never"}, {"gone", "never", "seen"}]
    claim("ahead", how="dns", proven_at=at, checked_at=at + 400 * DAY)
    assert [status.id for status in domain_claims.due(session, vault, at=at + DAY)] == ["ahead"], (
        "no look was at that time"
    )


def test_a_company_s_claims_are_newest_first_and_all_claims_oldest_first(session, vault, at, company, claim):
    company("c1")
    company("c2")
    claim("b", claimed_at=at + DAY)
    claim("c", claimed_at=at)
    claim("a", claimed_at=at)
    claim("other", company_id="c2", claimed_at=at + 2 * DAY)

    assert [status.id for status in domain_claims.of_company(session, vault, "c1", at=at)] == ["b", "c", "a"]
    assert [status.id for status in domain_claims.pending(session, vault, at=at)] == ["a", "c", "b", "other"]


def test_a_company_s_domains_are_those_of_its_running_entries_each_once_and_sorted(session, at, company):
    company("c1")
    company("c2")
    for number, entry in enumerate([
        {"domain": "b.org"}, {"domain": "a.org", "since": at}, {"domain": "a.org", "until": at + DAY}, {"domain": "later.org", "since": at + DAY},
        {"domain": "over.org", "until": at}, {"domain": "out.org", "excluded": True}, {"kind": "account", "account_id": 7},
        {"domain": "theirs.org", "company_id": "c2"},
    ]):  # fmt: skip
        row = {"company_id": "c1", "kind": "domain", "excluded": False, "subdomains": True, "added_at": at}
        session.add(CompanyEntry(id=f"e{number}", **row | entry))
    session.flush()

    assert domain_claims.held(session, "c1", at=at) == ("a.org", "b.org")
    assert domain_claims.held(session, "c2", at=at) == ("theirs.org",)
    assert domain_claims.accepts_enrolments(session, "c1", "A.org", at), "without a claim there is no record to miss"
    assert not domain_claims.accepts_enrolments(session, "c1", "theirs.org", at)
    assert not domain_claims.accepts_enrolments(session, "c1", "not a domain", at)
