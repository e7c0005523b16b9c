"""Managers name and exclude people from a day on; what has been stays, and other companies' entries are not theirs."""

from datetime import timedelta

import pytest

from agreements.facts import Entry
from agreements.store.companies import company_entries, domain_claims
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from tests.agreements.store.company import add_company
from tests.within import within

DAY = timedelta(days=1)


@pytest.fixture(name="database_url")
def _database_url(tmp_path):
    """What has to wait for each other is tested on both databases, in test_company_rows.py; here SQLite is enough."""
    return f"sqlite:///{tmp_path / 'test.db'}"


@pytest.fixture(name="act")
def _act(session, vault, at, fresh, asking):
    """Do something to c1's entries as ada (11), who asked for it."""
    asking()

    def act(what, *arguments, company_id="c1", **changes):
        context = within(session, vault, changes.pop("at", at), fresh, by=11)
        return getattr(company_entries, what)(context, company_id, *arguments, **changes)

    return act


@pytest.fixture(name="domain")
def _domain(session, vault, at, fresh):
    """A maker of domains that a company has proven; gives the entry's id."""

    def domain(name, company_id="c1", **changes):
        context = within(session, vault, at, fresh, by=11)
        claim = domain_claims.claim(context, company_id, name, addresses=[f"a@{name}"], **changes)
        domain_claims.prove(context, claim)
        return domain_claims.one(session, vault, claim, at=at).entry_id

    return domain


@pytest.fixture(name="listed")
def _listed(session, vault, at):
    """What c1's managers see: kind, key, state."""

    def listed(wanted="", at=at, rows=range(50)):
        page = company_entries.page(session, vault, "c1", rows, at=at, wanted=wanted)
        return [(one.kind, one.email or one.domain or one.account_id, one.state) for one in page.entries]

    return listed


def test_people_from_a_day_on(act, listed, logged, at):
    """At once or later, by address in any spelling or by account; one entry of the log each."""
    act("add", Entry(email="Bo@Partner.ORG"))
    act("add", Entry(account_id=77, since=at + DAY, until=at + 9 * DAY), login="cy")

    assert listed() == [("account", 77, "later"), ("email", "bo@partner.org", "in force")]
    assert listed(at=at + 9 * DAY) == [("email", "bo@partner.org", "in force"), ("account", 77, "over")]
    assert logged()[1:] == [("entry.added", "company")] * 2


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (Entry(domain="huawei.com"), "domain"),
        (Entry(email="bo@@partner.org"), "invalid"),
        (Entry(email="partner.org"), "invalid"),
        (Entry(account_id=77, since=-1), "past"),
        (Entry(account_id=77, since=2, until=2), "order"),
        (Entry(account_id=77, until=-1), "past-end"),
        (Entry(account_id=77, since=2, until=1), "order"),
    ],
)
def test_what_cannot_be_added(act, at, entry, reason):
    """A domain takes a claim; an address must be one; nothing begins in the past or ends before it begins."""
    moments = {k: at + getattr(entry, k) * DAY for k in ("since", "until") if getattr(entry, k) is not None}
    with pytest.raises(CompanyRefused, match=f"^{reason}$"):
        act("add", Entry(domain=entry.domain, email=entry.email, account_id=entry.account_id, **moments))


def test_nothing_without_a_key(act):
    """An entry that names nobody, or two at once, is an error."""
    for entry in (Entry(), Entry(email="a@b.org", account_id=1)):
        with pytest.raises(ValueError, match="account"):
            act("add", entry)


def test_the_same_twice(act, at):
    """While one runs a second is refused, by any spelling; to exclude is something else than to name."""
    first = act("add", Entry(email="bo@partner.org"))
    with pytest.raises(CompanyRefused, match="known"):
        act("add", Entry(email="BO@partner.org."))
    act("add", Entry(email="bo@partner.org"), excluded=True)
    act("end", first, until=at + DAY)
    act("add", Entry(email="bo@partner.org", since=at + DAY))


# A day after now each: from when until when an entry says it, the same for the new one, whether the new one is added.
TIMES = [
    ((39, None), (0, None), True),
    ((39, None), (0, 39), True),
    ((39, None), (0, 60), True),
    ((0, 9), (0, None), True),
    ((0, 9), (0, 10), True),
    ((1, 9), (9, 12), True),
    ((39, None), (39, None), False),
    ((0, None), (0, 9), False),
    ((0, 9), (0, 9), False),
    ((1, 9), (2, 9), False),
    ((1, 9), (1, 8), False),
]


@pytest.mark.parametrize("excluded", [False, True])
@pytest.mark.parametrize(("old", "new", "added"), TIMES)
def test_doubled_is_what_one_entry_says_all_the_time(act, logged, at, old, new, *, added, excluded):
    """What is planned for later, or ends sooner, does not stand in the way of what has to count before or after."""

    def entry(since, until):
        moments = {"since": at + since * DAY if since else None, "until": until and at + until * DAY}
        return act("add", Entry(account_id=77, **moments), excluded=excluded)

    entry(*old)
    if added:
        entry(*new)
    else:
        with pytest.raises(CompanyRefused, match="known"):
            entry(*new)
    assert logged()[1:] == [("entry.added", "company")] * (1 + added)


def test_a_removal_works_forwards_only(session, act, listed, logged, at):
    """From a day on or at once, never backwards; an end never prolongs, and once it is over it is over."""
    entry = act("add", Entry(account_id=77))
    with pytest.raises(CompanyRefused, match="past"):
        act("end", entry, until=at - DAY)
    act("end", entry, until=at + 5 * DAY)
    assert listed(at=at + 4 * DAY) == [("account", 77, "in force")]
    with pytest.raises(CompanyRefused, match="over"):
        act("end", entry, until=at + 5 * DAY + DAY / 24)
    act("end", entry, until=at + 2 * DAY, at=at + DAY)
    with pytest.raises(CompanyRefused, match="over"):
        act("end", entry, until=at + 9 * DAY, at=at + 2 * DAY)
    assert logged()[-2:] == [("entry.ended", "company")] * 2
    assert session.get(CompanyEntry, entry).since == at


def test_another_company_s_entries(session, vault, act, domain, at, fresh):
    """Do not exist here."""
    add_company(session, vault, at, "c2", countersigned_at=None)
    theirs = act("add", Entry(account_id=77), company_id="c2")
    theirs_too = domain("other.org", "c2")
    for attempt in (
        lambda: act("end", theirs, until=at + DAY),
        lambda: act("set_subdomains", theirs_too, subdomains=False),
        lambda: act("set_subdomains", theirs, company_id="c2", subdomains=False),
        lambda: act("end", "x", until=at + DAY),
        lambda: act("add", Entry(account_id=1), company_id="x"),
        lambda: company_entries.page(session, vault, "x", range(1), at=at),
        lambda: company_entries.one(session, vault, "x", theirs, at=at),
        lambda: company_entries.one(session, vault, "c1", theirs, at=at),
    ):
        with pytest.raises(LookupError):
            attempt()


def test_the_switch_for_subdomains(session, vault, act, domain, logged, at):
    """Off and on again; not over what another company holds below it, and not once it is over."""
    entry = domain("huawei.com")
    act("set_subdomains", entry, subdomains=False)
    act("set_subdomains", entry, subdomains=False)
    assert [kind for kind, _ in logged()].count("entry.changed") == 1
    add_company(session, vault, at, "c2", countersigned_at=None)
    below = domain("rd.huawei.com", "c2")
    with pytest.raises(CompanyRefused, match="taken"):
        act("set_subdomains", entry, subdomains=True)
    act("end", below, until=at, company_id="c2")
    act("set_subdomains", entry, subdomains=True)
    act("end", entry, until=at)
    with pytest.raises(CompanyRefused, match="over"):
        act("set_subdomains", entry, subdomains=False)


def test_how_an_address_counts(session, act, logged):
    """The company chooses, but not less than the rulebook asks for."""
    with pytest.raises(CompanyRefused, match="weaker"):
        act("set_mode", "linked", least="enrolled")
    act("set_mode", "enrolled", least="linked")
    act("set_mode", "enrolled", least="enrolled")
    assert session.get(CompanyRecord, "c1").domains == "enrolled"
    act("set_mode", "linked", least="linked")
    assert [kind for kind, _ in logged()] == ["company.requested", "company.changed", "company.changed"]


def test_a_company_that_is_no_more(session, act, at):
    """Names nobody new."""
    session.get(CompanyRecord, "c1").ended_at = at
    session.flush()
    with pytest.raises(CompanyRefused, match="ended"):
        act("add", Entry(account_id=77))


def test_finding_somebody_in_a_long_list(session, vault, act, domain, listed, at):
    """By address, number, login or domain, whole; page by page."""
    domain("huawei.com")
    act("add", Entry(email="bo@partner.org"))
    for number in range(60):
        act("add", Entry(account_id=100 + number), login=f"User{number}")

    assert listed(" BO@partner.org ") == [("email", "bo@partner.org", "in force")]
    assert listed("107") == listed("user7") == listed("@USER7") == [("account", 107, "in force")]
    assert listed("HUAWEI.com") == [("domain", "huawei.com", "in force")]
    assert listed("nobody") == listed("9" * 30) == listed("x@y.z") == []
    assert len(listed(rows=range(50, 100))) == 12
    assert company_entries.page(session, vault, "c1", range(50, 50 + 50), at=at).total == 62


def test_many_at_once(act, session, vault, at):
    """The good ones are added and the others say why, also those that an earlier one of the same list makes needless."""
    wanted = [Entry(account_id=7), Entry(email="no address"), Entry(account_id=7), Entry(account_id=8, since=at - DAY)]
    before = company_entries.refusals(session, vault, "c1", wanted, at=at)
    assert before == ("", "invalid", "", "past")
    assert act("add_all", [(one, "dev") for one in wanted]) == ("", "invalid", "known", "past")
    assert company_entries.refusals(session, vault, "c1", wanted, at=at) == ("known", "invalid", "known", "past")


def test_many_at_once_are_listed_by_login(act, listed):
    """Whoever compares the page with the list that was pasted finds everybody."""
    act("add_all", [(Entry(account_id=100 + number), login) for number, login in enumerate(("cy", "Bo", "dee", "Ada"))])

    assert listed() == [("account", number, "in force") for number in (103, 101, 100, 102)]
