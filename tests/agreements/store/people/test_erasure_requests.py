"""Requests for erasure: one waits for each account, is logged, and is read back with its decision."""

from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.store import erasures
from agreements.store.erasures import ErasureRefused
from agreements.store.people import erasure_requests, person_rows
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import Erasure
from agreements.vault import place
from tests.agreements.store.behind import behind
from tests.within import within


def test_a_second_request_is_refused_until_the_first_is_decided(session, vault, person, at):
    first = erasure_requests.ask(within(session, vault, at, "e1", by=11))
    second = erasure_requests.ask(within(session, vault, at, "e2", by=11))
    row = session.exec(select(Erasure)).one()
    row.state, row.decided_at, row.reason = (
        "refused",
        at,
        vault.encrypt_for_server(b"Why", place("erasure", "reason", "e1")),
    )
    session.flush()
    third = erasure_requests.ask(within(session, vault, at + timedelta(days=1), "e3", by=11))

    assert (first, second, third) == (True, False, True)
    entries = [(entry.kind, entry.subject_id) for entry in session.exec(select(LedgerEntry))]
    assert entries == [("erasure.asked", "p11")] * 2
    assert [(request.state, request.reason) for request in erasure_requests.of_account(session, vault, 11)] == [
        ("asked", ""),
        ("refused", "Why"),
    ]
    assert erasure_requests.of_account(session, vault, 12) == ()


def test_a_request_of_an_unknown_account_is_logged_for_the_server(session, vault, at):
    assert erasure_requests.ask(within(session, vault, at, "e1", by=77))
    assert session.exec(select(LedgerEntry)).one().subject_kind == "server"


def test_a_request_is_taken_back_once_by_its_own_account_while_undecided(session, vault, person, at):
    erasure_requests.ask(within(session, vault, at, "e1", by=11))
    later = at + timedelta(hours=1)
    took = [
        erasure_requests.take_back(within(session, vault, later, f"l{number}", by=account_id))
        for number, account_id in enumerate((12, 11, 11), 2)
    ]
    again = erasure_requests.ask(within(session, vault, later, "e2", by=11))
    row = session.get(Erasure, "e2")
    row.state = "restricted"
    session.flush()

    assert (took, again) == ([False, True, False], True)
    entries = session.exec(select(LedgerEntry).order_by(LedgerEntry.number)).all()
    assert [(entry.kind, entry.subject_id) for entry in entries] == [
        ("erasure.asked", "p11"),
        ("erasure.withdrawn", "p11"),
        ("erasure.asked", "p11"),
    ]
    taken = session.get(Erasure, "e1")
    assert (taken.state, taken.decided_at, taken.decided_by) == ("withdrawn", later, 11)
    assert not erasure_requests.take_back(within(session, vault, later, "l10", by=11))


def test_a_request_that_an_administrator_opened_cannot_be_taken_back(session, vault, person, at):
    erasures.order(within(session, vault, at, "e1"), 11, "a court")

    assert not erasure_requests.take_back(within(session, vault, at, "l1", by=11))
    assert [request.open for request in erasure_requests.of_account(session, vault, 11)] == [False]
    assert session.get(Erasure, "e1").state == "asked"


def test_a_request_that_was_taken_back_cannot_be_decided(session, vault, person, at):
    erasure_requests.ask(within(session, vault, at, "e1", by=11))
    erasure_requests.take_back(within(session, vault, at, "l2", by=11))

    with pytest.raises(ErasureRefused, match="decided"):
        erasures.claim(session, "e1")


@pytest.mark.parametrize("account_id", [11, 77])
def test_of_two_requests_at_once_by_a_known_or_unknown_account_one_waits(sessions, vault, account_id, at):
    with sessions() as session:
        person_rows.ensure(within(session, vault, at, "p11"), Account(11, "ada"))

    def asks(name):
        return lambda session: erasure_requests.ask(within(session, vault, at, name, by=account_id))

    assert behind(sessions, asks("e1"), asks("e2")).result() is False
    with sessions() as session:
        assert [row.id for row in session.exec(select(Erasure))] == ["e1"]


@pytest.mark.parametrize("account_id", [11, 77])
def test_of_a_request_and_an_order_at_once_one_waits(sessions, vault, account_id, at):
    with sessions() as session:
        person_rows.ensure(within(session, vault, at, "p11"), Account(11, "ada"))

    def orders(session):
        return erasures.order(within(session, vault, at, "o", by=90), account_id, "a court")

    def asks(session):
        return erasure_requests.ask(within(session, vault, at, "e", by=account_id))

    with pytest.raises(ErasureRefused, match="decided"):
        behind(sessions, asks, orders).result()
    with sessions() as session:
        session.get(Erasure, "e").state = "withdrawn"
    assert behind(sessions, orders, asks).result() is False
