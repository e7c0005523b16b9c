"""Whatever writes a person's row is in the log: in the entry of what was done, else in one of its own."""

import pytest
from sqlmodel import select

from agreements import ledger as arithmetic
from agreements.facts import Account
from agreements.store.ledger import ledger
from agreements.store.people import people
from agreements.store.record_context import RecordContext
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import PersonRecord
from bot.store.logged_tables import TABLES
from tests.tampering.history import History

ADA = Account(11, "ada")
ADDED, RENAMED, RETURNED = "person.added", "person.renamed", "person.returned"


def entries(sessions):
    """(kind, whom it is about, the people whose rows it names) of each."""
    with sessions() as session:
        return [
            (one.kind, one.subject_id, [row.id for row in arithmetic.rows_of(one.rows) if row.table == "person"])
            for one in session.exec(select(LedgerEntry).order_by(LedgerEntry.number))
        ]


@pytest.fixture(name="seen")
def _seen(sessions, vault, at, fresh):
    """Somebody is seen in a transaction of its own."""

    def seen(account):
        with sessions() as session:
            return people.ensure(session, vault, account=account, at=at, new_id=fresh())

    return seen


def test_who_signs_in(sessions, engine, vault, seen):
    """Made once, renamed once; who is seen again changes nothing. The log verifies."""
    person = seen(ADA)
    seen(ADA)
    seen(Account(11, "ada-l"))

    assert entries(sessions) == [(ADDED, person.id, [person.id]), (RENAMED, person.id, [person.id])]
    assert History(engine, vault).verified(tables=TABLES).rows == 1


def test_who_is_recorded_otherwise_in_the_same_transaction(sessions, vault, at, fresh):
    """The entry of what was done names the row, and there is no other."""
    with sessions() as session:
        person = people.ensure(session, vault, account=ADA, at=at, new_id=fresh())
        RecordContext(session, vault, 11, at, fresh).log("address.proven", 11)
    with sessions() as session:
        row = session.get(PersonRecord, person.id)
        (entry,) = session.exec(select(LedgerEntry))

        assert (entry.kind, ledger.written(row) in arithmetic.rows_of(entry.rows)) == ("address.proven", True)


def test_who_comes_back(sessions, vault, at, seen):
    """A new key after an erasure is named, too."""
    person = seen(ADA)
    with sessions() as session:
        row = session.get(PersonRecord, person.id)
        row.wrapped_key, row.ring_key_id, row.login = b"", "", "ada"
    seen(ADA)

    assert [kind for kind, _, _ in entries(sessions)] == [ADDED, RETURNED]


def test_many_and_some_who_are_known(sessions, vault, at, fresh, seen):
    """An entry for each who is new, none for whom another transaction had made before."""
    seen(ADA)
    with sessions() as session:
        people.make_all(session, vault, [ADA, Account(12, "bo"), Account(13, "cy")], at=at, new_id=fresh)

    assert [kind for kind, _, _ in entries(sessions)] == [ADDED] * 3
    assert len({whom for _, whom, _ in entries(sessions)}) == 3


def test_what_was_rolled_back(sessions, vault, at, fresh):
    """Neither the person nor an entry is there, also where only a savepoint was."""
    with sessions() as session:
        people.ensure(session, vault, account=ADA, at=at, new_id=fresh())
        session.rollback()
    with sessions() as session:
        nested = session.begin_nested()
        people.ensure(session, vault, account=ADA, at=at, new_id=fresh())
        nested.rollback()

    assert entries(sessions) == []


def test_who_has_no_account(sessions, vault, at, fresh):
    """Somebody who is known by an address alone is in the log, too."""
    with sessions() as session:
        person = people.add_without_account(session, vault, at=at, new_id=fresh())

    assert entries(sessions) == [(ADDED, person.id, [person.id])]
