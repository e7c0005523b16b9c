"""Details of log entries open with their subject's key unless the subject was erased later."""

import pytest
from sqlmodel import select

from agreements.store.integrity.entry_details import DetailsDecryptor
from agreements.store.ledger.stored_ledger import SERVER, Change, LedgerSubject
from agreements.store.people import person_rows
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.vault import WrappedKey
from tests.within import within


@pytest.fixture(name="entry")
def _entry(session, vault, at, person):
    """The columns of an entry about ada."""
    change = Change(
        kind="test.done",
        actor_id=7,
        subject=LedgerSubject("person", person.id, person_rows.data_key(vault, person)),
        details={"a": 1},
    )
    within(session, vault, at, "e1").append(change)
    return session.exec(select(LedgerEntry)).one().model_dump()


@pytest.fixture(name="wrapped")
def _wrapped(person):
    """Her key as it is stored."""
    return WrappedKey(person.ring_key_id, person.wrapped_key)


def test_a_detail_opens_as_it_was_told_with_or_without_a_subject(session, vault, at, entry, wrapped):
    details = DetailsDecryptor(session, vault)
    assert details.wrong(entry, wrapped) is None

    for number, subject in enumerate((SERVER, LedgerSubject("person", "p11")), 1):
        within(session, vault, at, f"n{number}").append(Change(kind="x.done", actor_id=7, subject=subject))
        entry = session.get(LedgerEntry, number).model_dump()
        assert DetailsDecryptor(session, vault).wrong(entry, None) is None


@pytest.mark.parametrize(
    "change",
    [
        {"detail": b"x" * 80},
        {"id": "e2"},
        {"id": "a|b"},
        {"commitment": "00"},
        {"subject_kind": "company"},
        {"detail": b""},
    ],
)
def test_a_detail_that_was_changed_or_moved_is_named(session, vault, entry, wrapped, change):
    assert DetailsDecryptor(session, vault).wrong({**entry, **change}, wrapped)


def test_a_missing_key_is_explained_only_by_a_later_entry_of_its_subject_s_erasure(session, vault, at, entry):
    gone = WrappedKey("k1", b"")
    assert DetailsDecryptor(session, vault).wrong(entry, gone)

    others = Change(kind="erasure.shredded", actor_id=9, subject=LedgerSubject("person", "p12"))
    within(session, vault, at, "n1").append(others)
    assert DetailsDecryptor(session, vault).wrong(entry, gone)

    hers = Change(kind="erasure.shredded", actor_id=9, subject=LedgerSubject("person", "p11"))
    within(session, vault, at, "n2").append(hers)
    assert DetailsDecryptor(session, vault).wrong(entry, gone) is None
    assert DetailsDecryptor(session, vault).wrong({**entry, "number": 3}, gone)
