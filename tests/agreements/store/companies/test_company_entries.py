"""Managers name and exclude people for a time, and only for their own company."""

from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Entry
from agreements.store.companies import companies, company_entries, domain_claims
from agreements.store.companies.company_entries import CompanyEntryFilter
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
        return domain_claims.read_claim(session, vault, claim, at=at).entry_id

    return domain


@pytest.fixture(name="listed")
def _listed(session, vault, at):
    """What c1's managers see: kind, key, state."""

    def listed(wanted="", at=at, rows=range(50), **only):
        only = CompanyEntryFilter(wanted=wanted, **only)
        page = company_entries.page(session, vault, "c1", rows, at=at, only=only)
        return [(entry.kind, entry.email or entry.domain or entry.account_id, entry.state) for entry in page.entries]

    return listed


@pytest.mark.slow
def test_entries_are_filtered_by_kind_and_state_and_sorted_without_a_row_on_two_pages(act, listed, domain, at):
    domain("partner.org")
    act("add", Entry(email="bo@else.org", until=at + 2 * DAY))
    act("add", Entry(account_id=77, since=at + DAY), login="zoe")
    act("add", Entry(account_id=78), login="Abe", excluded=True)
    keys = lambda **only: [key for _, key, _ in listed(**only)]  # noqa: E731 - said often below
    for state, found in {
        "covered": ["bo@else.org", "partner.org"],
        "excluded": [78],
        "later": [77],
        "over": [],
    }.items():
        assert sorted(keys(state=state), key=str) == found
    assert keys(kind="email") == keys(kind="email", state="covered") == ["bo@else.org"]
    assert len(keys(kind="?", state="?", sort="?")) == 4
    assert keys(sort="name") == [78, "partner.org", 77, "bo@else.org"]
    assert keys(sort="ends")[0] == "bo@else.org"
    assert keys(at=at + 3 * DAY, state="over") == ["bo@else.org"]
    assert listed("AB") == [("account", 78, "in force")]
    assert listed("b%") == []
    for sort in ("", "name", "newest", "ends"):
        paged = [key for number in range(4) for key in keys(sort=sort, rows=range(number, number + 1))]
        assert paged == keys(sort=sort)


def test_an_entry_that_an_exclusion_overrides_is_listed_as_excluded(session, vault, act, listed, at):
    ids = [act("add", Entry(account_id=77), login="zoe"), act("add", Entry(email="bo@else.org"))]
    act("add", Entry(account_id=78), login="Abe")
    act("add", Entry(account_id=77, since=at + DAY), login="zoe", excluded=True)
    act("add", Entry(email="bo@else.org", until=at + DAY), excluded=True)

    def overridden(at):
        return [company_entries.read_entry(session, vault, "c1", entry, at=at).overridden for entry in ids]

    assert (overridden(at), overridden(at + DAY)) == ([False, True], [True, False])
    assert [key for _, key, _ in listed(state="covered")] == [78, 77]
    assert [key for _, key, _ in listed(state="excluded")] == ["bo@else.org", "bo@else.org"]
    assert [key for _, key, _ in listed(at=at + DAY, state="excluded")] == [77, 77]
    assert [key for _, key, _ in listed()] == [78, 77, 77, "bo@else.org", "bo@else.org"]


def test_people_are_added_at_once_or_from_a_later_day_and_logged(act, listed, logged, at):
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
def test_invalid_addresses_domains_and_periods_cannot_be_added(act, at, entry, reason):
    moments = {k: at + getattr(entry, k) * DAY for k in ("since", "until") if getattr(entry, k) is not None}
    with pytest.raises(CompanyRefused, match=f"^{reason}$"):
        act("add", Entry(domain=entry.domain, email=entry.email, account_id=entry.account_id, **moments))


def test_an_entry_without_a_key_cannot_be_added(act):
    for entry in (Entry(), Entry(email="a@b.org", account_id=1)):
        with pytest.raises(ValueError, match="account"):
            act("add", entry)


def test_the_same_entry_cannot_be_added_twice(act, at):
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
def test_an_entry_is_refused_as_known_only_if_one_covers_its_whole_time(act, logged, at, old, new, *, added, excluded):
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


def test_a_removal_works_from_now_or_later_and_never_prolongs(session, act, listed, logged, at):
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


def test_entries_of_another_company_do_not_exist_here(session, vault, act, domain, at, fresh):
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
        lambda: company_entries.read_entry(session, vault, "x", theirs, at=at),
        lambda: company_entries.read_entry(session, vault, "c1", theirs, at=at),
    ):
        with pytest.raises(LookupError):
            attempt()


def test_subdomains_are_switched_off_and_on_unless_another_company_holds_one(session, vault, act, domain, logged, at):
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


def test_the_company_chooses_how_addresses_count_above_the_rulebook_s_minimum(session, act, logged):
    with pytest.raises(CompanyRefused, match="weaker"):
        act("set_mode", "linked", least="enrolled")
    act("set_mode", "enrolled", least="linked")
    act("set_mode", "enrolled", least="enrolled")
    assert session.get(CompanyRecord, "c1").domains == "enrolled"
    act("set_mode", "linked", least="linked")
    assert [kind for kind, _ in logged()] == ["company.requested", "company.changed", "company.changed"]


def test_an_ended_company_names_no_new_people(session, act, at):
    session.get(CompanyRecord, "c1").ended_at = at
    session.flush()
    with pytest.raises(CompanyRefused, match="ended"):
        act("add", Entry(account_id=77))


@pytest.mark.slow
def test_entries_are_found_by_address_number_login_or_domain_page_by_page(session, vault, act, domain, listed, at):
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


def test_of_many_people_at_once_the_good_ones_are_added_and_the_others_explained(act, session, vault, at):
    wanted = [Entry(account_id=7), Entry(email="no address"), Entry(account_id=7), Entry(account_id=8, since=at - DAY)]
    before = company_entries.refusals(session, vault, "c1", wanted, at=at)
    assert before == ("", "invalid", "", "past")
    assert act("add_all", [(entry, "dev") for entry in wanted]) == ("", "invalid", "known", "past")
    assert company_entries.refusals(session, vault, "c1", wanted, at=at) == ("known", "invalid", "known", "past")


def test_many_people_at_once_are_listed_by_login(act, listed):
    act("add_all", [(Entry(account_id=100 + number), login) for number, login in enumerate(("cy", "Bo", "dee", "Ada"))])

    assert listed() == [("account", number, "in force") for number in (103, 101, 100, 102)]


def test_the_end_and_the_subdomains_of_a_domain_are_those_of_all_its_entries(session, vault, act, domain, fresh, at):
    """Earlier releases could give a company one domain twice: the end of one left its people covered by the other."""
    first = domain("huawei.com")
    for name, period in (("huawei.com", {"until": at + 2 * DAY}), ("huawei.com", {"since": at + DAY}), ("a.org", {})):
        entry = Entry(domain=name, **{"since": at} | period)
        companies.add_entry(within(session, vault, at, fresh), session.get(CompanyRecord, "c1"), entry)

    def ends():
        return {(row.domain, row.subdomains, row.until) for row in session.exec(select(CompanyEntry))}

    act("set_subdomains", first, subdomains=False)
    assert {(domain, below) for domain, below, _ in ends()} == {("huawei.com", False), ("a.org", True)}
    act("end", first, until=at + 4 * DAY)
    assert {until for domain, _, until in ends() if domain == "huawei.com"} == {at + 2 * DAY, at + 4 * DAY}
    act("end", first, until=at + DAY)
    assert ends() == {("huawei.com", False, at + DAY), ("a.org", True, None)}
    assert domain_claims.held(session, "c1", at=at + DAY) == ("a.org",)
