"""The log's writer: one signed entry for each change, numbered without gaps, rolled back with its change."""

import threading

import pytest
from sqlmodel import select

from agreements import ledger
from agreements.store.ledger import stored_ledger
from agreements.store.ledger.stored_ledger import SERVER, Change, LedgerSubject
from agreements.store.people import person_rows
from agreements.store.tables.ledger_records import LedgerCheckpoint, LedgerEntry, LedgerKey
from tests.within import within


def change(**fields):
    """A change by account 7 that concerns no person."""
    return Change(**{"kind": "test.done", "actor_id": 7, "subject": SERVER, **fields})


def test_each_entry_is_numbered_without_gaps_and_signed(sessions, vault, at, fresh):
    with sessions() as session:
        numbers = [within(session, vault, at, fresh).append(change()) for _ in range(5)]
    with sessions() as session:
        public = session.get(LedgerKey, "checkpoint").public_key
        found = ledger.read_note(stored_ledger.newest(session), public)
        entries = session.exec(select(LedgerEntry).order_by(LedgerEntry.number)).all()
        tree, previous = ledger.MerkleTree(), ""
        for entry in entries:
            tree.add(ledger.leaf(stored_ledger.columns(entry), previous))
            previous = ledger.signed_hash(**session.get(LedgerCheckpoint, tree.size).model_dump())

    assert numbers == [0, 1, 2, 3, 4]
    assert (found.size, found.root) == (5, tree.root)


def test_an_entry_is_rolled_back_with_its_change_and_frees_its_number(sessions, vault, at, fresh):
    def fail():
        with sessions() as session:
            within(session, vault, at, fresh).append(change())
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail()
    with sessions() as session:
        assert within(session, vault, at, fresh).append(change()) == 0


def test_a_detail_is_sealed_with_the_subject_s_key(session, vault, at, fresh, person):
    subject = LedgerSubject("person", person.id, person_rows.data_key(vault, person))
    about = change(subject=subject, rows=[person], details={"secret": "Kanarienvogel"})
    within(session, vault, at, "e1").append(about)
    entry = session.exec(select(LedgerEntry)).one()
    opened = vault.decrypt(subject.key, entry.detail, "ledger_entry|detail|e1")

    assert b"Kanarienvogel" in opened
    assert "Kanarienvogel" not in str(entry.model_dump(exclude={"detail"}))
    assert ledger.rows_of(entry.rows)[0] == stored_ledger.written(person)


def test_concurrent_writers_get_each_number_once_and_every_root_right(sessions, vault, at):
    def write(name):
        for number in range(6):
            with sessions() as session:
                within(session, vault, at, f"{name}-{number}").append(change())

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with sessions() as session:
        numbers = session.exec(select(LedgerEntry.number).order_by(LedgerEntry.number)).all()
        sizes = session.exec(select(LedgerCheckpoint.size).order_by(LedgerCheckpoint.size)).all()

    assert numbers == list(range(24))
    assert sizes == list(range(1, 25))


def test_concurrent_first_changes_make_each_key_once(sessions, vault, at, fresh):
    with sessions() as session:
        changes = [change(details={"number": number}) for number in range(3)]
        assert within(session, vault, at, fresh).append(*changes) == 2
    with sessions() as session:
        assert sorted(session.exec(select(LedgerKey.id))) == ["checkpoint", "detail"]
        public = session.get(LedgerKey, "checkpoint").public_key
        for row in session.exec(select(LedgerCheckpoint)):
            signed = ledger.Checkpoint(ledger.origin(public), row.size, bytes.fromhex(row.root))
            note = ledger.note(signed, public, row.signature)
            assert ledger.read_note(note, public).size == row.size
        entries = session.exec(select(LedgerEntry).order_by(LedgerEntry.number))
        assert [stored_ledger.open_details(session, vault, entry, SERVER) for entry in entries] == [
            {"number": n} for n in range(3)
        ]
