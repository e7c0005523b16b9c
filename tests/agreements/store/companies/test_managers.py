"""A company's managers: their time in office, and never fewer than two by their own doing."""

from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.github_server import GITHUB_COM
from agreements.store.companies import managers
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.people import emails
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.company_records import CompanyManager, CompanyRecord
from tests.agreements.store.company import add_company
from tests.logged import log_rows
from tests.within import within


@pytest.fixture(name="office")
def _office(session, vault, at):
    """Account 11 looks after company c1 for ten days, account 12 after c2 without end."""
    for key in ("c1", "c2"):
        add_company(session, vault, at, key, countersigned_at=None)
    until = at + timedelta(days=10)
    session.add(CompanyManager(id="m1", company_id="c1", account_id=11, login="a", since=at, until=until, added_by=11))
    session.add(CompanyManager(id="m2", company_id="c2", account_id=12, login="b", since=at, added_by=12))
    log_rows(session, vault)
    session.flush()
    return session


@pytest.mark.parametrize(
    ("company", "days", "expected"),
    [("c1", 0, True), ("c1", 10, False), ("c1", -1, False), ("c2", 0, False), ("", 0, False)],
)
def test_a_manager_s_time_is_from_its_first_moment_until_before_its_end(office, vault, at, company, days, expected):
    moment = at + timedelta(days=days)

    assert managers.manages(office, vault, 11, company, at=moment) is expected
    assert (company in managers.companies_of(office, vault, 11, at=moment)) is expected


@pytest.fixture(name="change")
def _change(session, vault, at, fresh, asking):
    """Appoint a person to c1, or let them leave it, as ada (11) unless `by` names another; ada and bob (12) begin."""
    asking()

    def change(what, whom, **changes):
        context = within(session, vault, changes.pop("at", at), fresh, by=changes.pop("by", 11))
        getattr(managers, what)(context, "c1", whom, **changes)
        return [manager.account.id for manager in managers.in_office(session, "c1", at=at)]

    return change


def test_a_manager_appoints_another_once_and_it_is_logged(change, logged):
    assert change("appoint", Account(13, "cy")) == [11, 12, 13]
    with pytest.raises(CompanyRefused, match="already"):
        change("appoint", Account(13, "cy"))
    assert logged()[1:] == [("manager.appointed", "company")]


def test_an_administrator_appoints_another_person_only_where_too_few_managers_are_left(session, at, change, logged):
    with pytest.raises(CompanyRefused, match="enough"):
        change("appoint", Account(13, "cy"), by=90, reason="they asked me to")
    session.exec(select(CompanyManager).where(CompanyManager.account_id == 12)).one().until = at
    company = session.get(CompanyRecord, "c1")
    company.ended_at = at
    session.flush()
    with pytest.raises(CompanyRefused, match="ended"):
        change("appoint", Account(13, "cy"), by=90, reason="both have left")
    company.ended_at = None
    session.flush()
    for reason, whom, why in (("", 13, "reason-needed"), ("both have left", 90, "own")):
        with pytest.raises(CompanyRefused, match=why):
            change("appoint", Account(whom, "x"), by=90, reason=reason)
    assert logged()[1:] == []
    assert change("appoint", Account(13, "cy"), by=90, reason="one has left") == [11, 13]
    assert logged()[1:] == [("manager.appointed", "company")]


def test_a_manager_of_the_last_two_leaves_only_with_a_successor(session, at, change, logged):
    session.get(CompanyRecord, "c1").countersigned_at = at
    with pytest.raises(CompanyRefused, match="successor-needed"):
        change("leave", 12)
    with pytest.raises(CompanyRefused, match="already"):
        change("leave", 12, successor=Account(11, "ada"))
    assert change("leave", 12, successor=Account(13, "cy")) == [11, 13]
    change("appoint", Account(14, "dan"))
    assert change("leave", 11) == [13, 14]
    assert [kind for kind, _ in logged()] == ["company.requested", "manager.left", "manager.appointed", "manager.left"]
    with pytest.raises(LookupError):
        change("leave", 11)


def test_any_manager_may_leave_before_the_countersignature(change, logged):
    """They may have been named without being asked."""
    assert change("leave", 12, by=12) == [11]
    assert change("leave", 11) == []
    assert logged()[1:] == [("manager.left", "company")] * 2


def test_a_company_has_a_limited_number_of_managers(change):
    for number in range(managers.MIN_MANAGERS, managers.MAX_MANAGERS):
        change("appoint", Account(100 + number, f"u{number}"))
    with pytest.raises(CompanyRefused, match="too-many"):
        change("appoint", Account(99, "u"))


def test_managers_are_written_to_at_the_address_proven_for_longest(session, vault, at, person, change):
    for days, address in enumerate(("b@huawei.com", "c@huawei.com", "a@huawei.com")):
        until = at + timedelta(days=days % 2 + 1)
        proven = ProvenAddress(address=address, how="github-verified", at=at, until=until)
        emails.prove(within(session, vault, new_id=address[0]), person, proven)
    for when in (at, at + timedelta(days=365)):
        assert managers.addresses(session, vault, "c1", server=GITHUB_COM, at=when) == {11: "c@huawei.com"}
