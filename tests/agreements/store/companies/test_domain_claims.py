"""A company holds a domain once its DNS or an administrator proves it and no other company holds it."""

from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account, Entry
from agreements.store.companies import companies, company_rows, domain_claims, managers
from agreements.store.companies.companies import DomainRefused
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from agreements.store.tables.ledger_records import LedgerEntry
from tests.agreements.store.company import add_company
from tests.within import within

DAY = timedelta(days=1)


@pytest.fixture(name="database_url")
def _database_url(tmp_path):
    """What has to wait for each other is tested on both databases, in test_company_rows.py; here SQLite is enough."""
    return f"sqlite:///{tmp_path / 'test.db'}"


@pytest.fixture(name="claim")
def _claim(session, vault, at, fresh, asking):
    """Claims huawei.com for c1 by ada, who has an address there, unless told otherwise."""
    asking()

    def claim(domain="huawei.com", company_id="c1", addresses=("ada@huawei.com",), **changes):
        context = within(session, vault, changes.pop("at", at), fresh, by=changes.pop("by", 11))
        return domain_claims.claim(context, company_id, domain, addresses=addresses, **changes)

    return claim


@pytest.fixture(name="do")
def _do(session, vault, at, fresh):
    """Prove, approve, refuse or check; as ada, or as administrator 90."""

    def do(what, claim_id, **changes):
        by = {"prove": 11, "checked": None}.get(what, 90)
        context = within(session, vault, changes.pop("at", at), fresh, by=changes.pop("by", by))
        reason = {"reason": "letter seen"} if what in ("approve", "refuse") else {}
        return getattr(domain_claims, what)(context, claim_id, **reason | changes)

    return do


def states(session, vault, at):
    """How c1's claims stand, the newest first."""
    return [(status.domain, status.state) for status in domain_claims.of_company(session, vault, "c1", at=at)]


def test_a_proven_claim_becomes_a_domain_entry_and_each_step_is_logged(session, vault, claim, do, logged, at):
    claim_id = claim("HUAWEI.com.")
    status = domain_claims.read_claim(session, vault, claim_id, at=at)
    assert (status.domain, status.state, len(bytes.fromhex(status.token))) == ("huawei.com", "open", 16)
    assert domain_claims.held(session, "c1", at=at) == ()

    do("prove", claim_id, at=at + DAY)
    do("prove", claim_id, at=at + 2 * DAY)
    status = domain_claims.read_claim(session, vault, claim_id, at=at + DAY)
    assert (status.state, status.how, status.proven_at) == ("proven", "dns", at + DAY)
    entry = session.get(CompanyEntry, status.entry_id)
    assert (entry.domain, entry.subdomains, entry.since, entry.until) == ("huawei.com", True, at + DAY, None)
    assert domain_claims.held(session, "c1", at=at + DAY) == ("huawei.com",)
    assert [kind for kind, _ in logged()] == ["company.requested", "domain.claimed", "domain.proven"]


def test_each_claim_has_its_own_token(session, vault, claim, at):
    """A token that another company was told proves nothing here."""
    tokens = {
        domain_claims.read_claim(session, vault, claim(d, addresses=[f"a@{d}"]), at=at).token
        for d in ("a.org", "b.org")
    }
    assert len(tokens) == 2


def test_an_open_claim_is_returned_again_and_an_expired_one_is_replaced(session, vault, claim, logged, at):
    first = claim()
    assert claim() == first
    later = claim(at=at + domain_claims.PROOF_DEADLINE)
    assert later != first
    assert len(logged()) == 3


@pytest.mark.parametrize("choices", [(True, False), (False, True), (True, False, True)])
def test_another_choice_about_subdomains_changes_the_open_claim_and_keeps_its_token(
    session, vault, claim, do, at, choices
):
    claims = {claim(subdomains=choice) for choice in choices}
    assert len(claims) == len(domain_claims.of_company(session, vault, "c1", at=at)) == 1
    do("prove", *claims)
    (entry,) = session.exec(select(CompanyEntry)).all()
    assert (entry.subdomains, domain_claims.held(session, "c1", at=at)) == (choices[-1], ("huawei.com",))


@pytest.mark.parametrize("what", ["prove", "approve"])
@pytest.mark.parametrize("until", [None, 3 * DAY])
@pytest.mark.parametrize("since", [None, -DAY])
def test_a_company_that_holds_a_domain_and_proves_it_has_one_entry_from_then_on(  # noqa: PLR0917 - fixtures are arguments
    session, vault, claim, do, at, what, since, until
):
    """The first one is of an import, or of a second open claim as earlier releases kept it; it may end some day."""
    company, claim_id = session.get(CompanyRecord, "c1"), claim(subdomains=False)
    held = Entry(domain="huawei.com", since=since and at + since, until=until and at + until)
    before = companies.add_entry(within(session, vault, at, "old"), company, held)
    do(what, claim_id, at=at + DAY)

    assert before.until == at + DAY
    assert [
        entry.id for entry in company_rows.domain_entries(session, "c1", "huawei.com", excluded=False, at=at + DAY)
    ] == [domain_claims.read_claim(session, vault, claim_id, at=at).entry_id]
    assert "old" in session.exec(select(LedgerEntry.rows).order_by(LedgerEntry.number.desc())).first()


def test_a_domain_proven_anew_accepts_enrolments_after_the_end_of_its_first_record(session, vault, claim, do, at):
    first = claim()
    do("prove", first)
    do("checked", first, present=False, at=at + DAY)
    session.get(CompanyEntry, domain_claims.read_claim(session, vault, first, at=at).entry_id).until = at + 20 * DAY
    assert not domain_claims.accepts_enrolments(session, "c1", "huawei.com", at + 19 * DAY)
    do("prove", claim(at=at + 20 * DAY), at=at + 20 * DAY)
    assert domain_claims.accepts_enrolments(session, "c1", "huawei.com", at + 20 * DAY)


@pytest.mark.parametrize(
    ("domain", "reason"),
    [
        ("gmail.com", "free-mail"), ("com.cn", "public-suffix"), ("1.2.3.4", "ip-address"), ("localhost", "single-label"),
        ("mailinator.com", "disposable"), ("www.huawei.com", "www"), ("a b.com", "invalid"), ("", "invalid"),
    ],
)  # fmt: skip
def test_a_claim_of_a_domain_that_no_company_may_hold_is_refused(claim, domain, reason):
    with pytest.raises(DomainRefused) as refused:
        claim(domain, addresses=[f"ada@{domain}"])
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    "addresses", [(), ("ada@evilhuawei.com",), ("ada@rd.huawei.com",), ("ada@huawei.com.cn",), ("huawei.com",), ("a@b@huawei.com",)]
)  # fmt: skip
def test_a_claim_needs_the_manager_s_own_address_at_that_very_domain(claim, addresses):
    with pytest.raises(CompanyRefused, match="no-address"):
        claim(addresses=addresses)


def test_a_domain_held_by_another_company_cannot_be_claimed_and_the_first_proof_wins(session, vault, claim, do, at):
    mine = claim()
    add_company(session, vault, at, "c2", countersigned_at=None)
    theirs = claim(company_id="c2")
    do("prove", mine)
    for attempt in (
        lambda: do("prove", theirs),
        lambda: do("approve", theirs),
        lambda: claim(company_id="c2"),
        lambda: claim("rd.huawei.com", company_id="c2", addresses=["a@rd.huawei.com"]),
    ):
        with pytest.raises(DomainRefused, match="taken"):
            attempt()
    with pytest.raises(CompanyRefused, match="held"):
        claim()


def test_a_token_proves_nothing_after_a_week(session, vault, claim, do, at):
    claim_id = claim()
    assert states(session, vault, at + domain_claims.PROOF_DEADLINE) == [("huawei.com", "expired")]
    for what in ("prove", "approve"):
        with pytest.raises(CompanyRefused, match="expired"):
            do(what, claim_id, at=at + domain_claims.PROOF_DEADLINE)


def test_an_approval_needs_a_reason_and_an_uninvolved_administrator(session, vault, claim, do, logged, at, fresh):  # noqa: PLR0917 - fixtures are arguments
    claim_id = claim()
    assert [status.id for status in domain_claims.pending(session, vault, at=at)] == [claim_id]
    with pytest.raises(CompanyRefused, match="reason-needed"):
        do("approve", claim_id, reason=" ")
    with pytest.raises(CompanyRefused, match="own"):
        do("approve", claim_id, by=12)
    managers.leave(within(session, vault, at, fresh, by=12), "c1", 12, successor=Account(13, "cyd"))
    with pytest.raises(CompanyRefused, match="own"):
        do("approve", claim_id, by=12)
    do("approve", claim_id)

    status = domain_claims.read_claim(session, vault, claim_id, at=at)
    assert (status.state, status.how, status.reason) == ("proven", "administrator", "letter seen")
    assert logged()[-1] == ("domain.proven", "company")
    assert domain_claims.pending(session, vault, at=at) == ()
    with pytest.raises(CompanyRefused, match="decided"):
        do("approve", claim_id)


def test_a_refused_claim_cannot_be_proven_and_may_be_asked_for_again(session, vault, claim, do, logged, at):
    claim_id = claim()
    do("refuse", claim_id, reason="A university")
    assert domain_claims.read_claim(session, vault, claim_id, at=at).reason == "A university"
    assert logged()[-1] == ("domain.refused", "company")
    with pytest.raises(CompanyRefused, match="refused"):
        do("prove", claim_id)
    assert claim() != claim_id


def test_a_missing_record_ends_new_enrolments_after_two_weeks_until_it_is_back(session, vault, claim, do, logged, at):
    claim_id = claim()
    do("prove", claim_id)
    assert domain_claims.due(session, vault, at=at + 29 * DAY) == ()
    gone = at + 30 * DAY
    assert [status.id for status in domain_claims.due(session, vault, at=gone)] == [claim_id]

    assert do("checked", claim_id, present=True, at=gone) == "same"
    assert domain_claims.due(session, vault, at=gone + DAY) == ()
    gone += 30 * DAY
    assert do("checked", claim_id, present=False, at=gone) == "missing"
    assert do("checked", claim_id, present=False, at=gone + DAY) == "same"
    assert [status.state for status in domain_claims.due(session, vault, at=gone + 2 * DAY)] == ["missing"]
    assert domain_claims.accepts_enrolments(
        session, "c1", "huawei.com", gone + domain_claims.MISSING_RECORD_GRACE - DAY
    )
    assert not domain_claims.accepts_enrolments(session, "c1", "huawei.com", gone + domain_claims.MISSING_RECORD_GRACE)
    assert domain_claims.held(session, "c1", at=gone + domain_claims.MISSING_RECORD_GRACE) == ("huawei.com",)

    back = gone + 20 * DAY
    assert do("checked", claim_id, present=True, at=back) == "returned"
    assert domain_claims.accepts_enrolments(session, "c1", "huawei.com", back)
    assert [kind for kind, _ in logged()][-2:] == ["domain.missing", "domain.returned"]


def test_people_enrol_only_by_a_domain_that_the_company_holds_now(session, vault, claim, do, at):
    claim_id = claim()
    assert not domain_claims.accepts_enrolments(session, "c1", "huawei.com", at)
    do("prove", claim_id)
    assert domain_claims.accepts_enrolments(session, "c1", "Huawei.COM", at)
    for other in ("", "rd.huawei.com", "huawei.com.cn", "gmail.com"):
        assert not domain_claims.accepts_enrolments(session, "c1", other, at)
    entry_id = domain_claims.read_claim(session, vault, claim_id, at=at).entry_id
    session.get(CompanyEntry, entry_id).until = at + DAY
    assert not domain_claims.accepts_enrolments(session, "c1", "huawei.com", at + DAY)
    assert states(session, vault, at + DAY) == [("huawei.com", "ended")]


def test_an_ended_company_claims_and_proves_nothing(session, vault, claim, do, at):
    held = claim()
    do("prove", held)
    waiting = claim("hisilicon.com", addresses=["a@hisilicon.com"])
    session.get(CompanyRecord, "c1").ended_at = at
    session.flush()
    for attempt in (lambda: claim("other.org", addresses=["a@other.org"]), lambda: do("prove", waiting)):
        with pytest.raises(CompanyRefused, match="ended"):
            attempt()
    assert domain_claims.due(session, vault, at=at + 40 * DAY) == domain_claims.pending(session, vault, at=at) == ()


def test_unknown_claims_are_errors(session, vault, do, at):
    for what in ("prove", "approve", "refuse"):
        with pytest.raises(LookupError):
            do(what, "x")
    with pytest.raises(LookupError):
        do("checked", "x", present=True)
    with pytest.raises(LookupError):
        domain_claims.read_claim(session, vault, "x", at=at)
