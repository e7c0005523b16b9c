"""Lists for administrators: filters, orders and pages; restricted and erased people have no name."""

from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.store import admin_lists, erasures
from agreements.store.admin_lists import ListFilter
from agreements.store.people import person_rows, signatures
from agreements.store.tables.records import SignatureRecord, Withdrawal
from tests.agreements.store.company import add_company
from tests.within import within

DAY = timedelta(days=1)


@pytest.fixture(name="signed")
def _signed(session, vault, at, draft, fresh):
    """Ada, Bob and Cyd came a day after each other; ada signed twice, bob once and took it back, cyd not."""
    for number, login in enumerate(("ada", "Bob", "cyd")):
        account = Account(11 + number, login)
        person = person_rows.ensure(within(session, vault, at + number * DAY, f"p{11 + number}"), account)
        for agreement in ("icla", "ccla")[: 2 - number]:
            receipt = f"R{number}-{agreement}"
            when = at + (number + (agreement == "ccla") * 5) * DAY
            signatures.add(within(session, vault, when, fresh), person, draft(agreement=agreement), receipt=receipt)
            if login == "Bob":
                [row_id] = session.exec(select(SignatureRecord.id).where(SignatureRecord.account_id == 12))
                session.add(Withdrawal(signature_id=row_id, at=at + 9 * DAY, by_account_id=12))
    session.flush()


def receipts(session, skip=0, most=9, **wanted):
    """Of the signatures that are found."""
    return [row.receipt for row in admin_lists.signature_rows(session, ListFilter(**wanted), skip=skip, most=most)]


def test_signatures_are_filtered_by_agreement_state_and_day_and_paged(session, at, signed):
    assert receipts(session) == ["R0-ccla", "R1-icla", "R0-icla"]
    assert receipts(session, sort="oldest") == ["R0-icla", "R1-icla", "R0-ccla"]
    assert receipts(session, skip=1, most=1) == ["R1-icla"]
    assert receipts(session, agreement="icla") == ["R1-icla", "R0-icla"]
    assert receipts(session, state="ended") == ["R1-icla"]
    assert receipts(session, state="valid") == ["R0-ccla", "R0-icla"]
    assert receipts(session, since=at + DAY) == ["R0-ccla", "R1-icla"]
    assert receipts(session, until=at + DAY) == ["R0-icla"]
    assert receipts(session, state="whatever", agreement="none") == []
    row = admin_lists.signature_rows(session, ListFilter(state="ended"), skip=0, most=9)[0]
    assert (row.login, row.account_id, row.ended_at, row.company) == ("Bob", 12, at + 9 * DAY, None)
    assert admin_lists.agreements(session) == ("ccla", "icla")


def test_counts_of_signatures_include_the_first_moment_of_a_span_and_not_the_last(session, at, signed):
    spans = ((at, at + DAY), (at, at + 6 * DAY), (at - DAY, at))
    assert admin_lists.signed_between(session, *spans) == (1, 3, 0)


def test_people_are_filtered_by_state_and_day_and_sorted_with_nameless_ones_last(session, at, signed):
    def found(**wanted):
        rows = admin_lists.person_rows(session, ListFilter(**wanted), skip=0, most=9)
        return [(row.account_id, row.login, row.signed) for row in rows]

    ada, bob, cyd = (11, "ada", 2), (12, "Bob", 1), (13, "cyd", 0)
    assert found() == [cyd, bob, ada]
    assert found(sort="name") == [ada, bob, cyd]
    assert found(state="signed", sort="oldest") == [ada, bob]
    assert found(state="unsigned") == [cyd]
    assert found(since=at + DAY, until=at + 2 * DAY) == [bob]
    person_rows.find(session, 11).restricted_at = at
    erasures.shred(session, person_rows.find(session, 12), at=at)
    session.flush()
    assert found(sort="name") == [cyd, (11, None, 2), (12, None, 1)]
    assert found(state="restricted") == [(11, None, 2)]
    assert found(state="erased") == [(12, None, 1)]
    rows = admin_lists.signature_rows(session, ListFilter(), skip=0, most=9)
    assert {row.login for row in rows} == {None}


def test_a_person_who_came_back_is_listed_by_their_new_name(session, vault, at, signed):
    person = person_rows.find(session, 12)
    erasures.shred(session, person, at=at)
    person_rows.ensure(within(session, vault, at + 9 * DAY, "unused"), Account(12, "bo"))
    session.flush()

    [row] = admin_lists.person_rows(session, ListFilter(sort="name"), skip=1, most=1)
    assert (row.account_id, row.login, row.erased_at) == (12, "bo", None)
    assert admin_lists.person_rows(session, ListFilter(state="erased"), skip=0, most=9) == ()
    assert admin_lists.signature_rows(session, ListFilter(state="ended"), skip=0, most=9)[0].login == "bo"

    person.restricted_at = at + 10 * DAY
    session.flush()
    [row] = admin_lists.person_rows(session, ListFilter(state="restricted"), skip=0, most=9)
    assert (row.account_id, row.login) == (12, None)


def test_companies_are_listed_by_their_state_at_a_moment(session, vault, at, fresh):
    ids = {}
    states = {"asks": {}, "Runs": {"countersigned_at": at}, "ended": {"countersigned_at": at, "ended_at": at + DAY}}
    for number, (name, times) in enumerate(states.items()):
        row = add_company(session, vault, at + number * DAY, fresh(), name=name, countersigned_at=None)
        for column, value in times.items():
            setattr(row, column, value)
        ids[row.id] = name
    session.flush()

    def found(days=2, missing=(), **wanted):
        at_last = at + days * DAY
        rows = admin_lists.company_ids(session, ListFilter(**wanted), missing=missing, at=at_last, skip=0, most=9)
        return [ids[row] for row in rows]

    assert found() == ["asks", "ended", "Runs"]
    assert found(sort="newest") == ["ended", "Runs", "asks"]
    assert found(sort="oldest") == ["asks", "Runs", "ended"]
    assert found(state="requested") == ["asks"]
    assert found(state="in force") == ["Runs"]
    assert found(state="in force", days=0) == ["ended", "Runs"]
    assert found(state="ended") == ["ended"]
    assert found(state="text missing") == []
    assert found(state="text missing", missing=list(ids)) == ["Runs"]
    assert found(state="in force", missing=list(ids)) == []
    assert found(state="refused") == []
