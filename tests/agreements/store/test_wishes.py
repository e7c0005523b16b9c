"""The wish to be erased: one that waits for each account, in the log, read back with its decision."""

from datetime import timedelta

from sqlmodel import select

from agreements.store import wishes
from agreements.store.ledger_records import LedgerEntry
from agreements.store.records import Erasure
from agreements.vault import place


def test_one_wish_waits(session, vault, person, at):
    """A second one is refused until the first is decided; each accepted one has its entry, about the person."""
    first = wishes.ask(session, vault, 11, at=at, new_id="e1", entry_id="l1")
    second = wishes.ask(session, vault, 11, at=at, new_id="e2", entry_id="l2")
    row = session.exec(select(Erasure)).one()
    row.state, row.decided_at, row.reason = (
        "refused",
        at,
        vault.seal_for_server(b"Why", place("erasure", "reason", "e1")),
    )
    session.flush()
    third = wishes.ask(session, vault, 11, at=at + timedelta(days=1), new_id="e3", entry_id="l3")

    assert (first, second, third) == (True, False, True)
    entries = [(entry.kind, entry.subject_id) for entry in session.exec(select(LedgerEntry))]
    assert entries == [("erasure.asked", "p11")] * 2
    assert [(one.state, one.reason) for one in wishes.of_account(session, vault, 11)] == [
        ("asked", ""),
        ("refused", "Why"),
    ]
    assert wishes.of_account(session, vault, 12) == ()


def test_a_wish_of_somebody_unknown(session, vault, at):
    """Of somebody who never signed nothing but the wish is there."""
    assert wishes.ask(session, vault, 77, at=at, new_id="e1", entry_id="l1")
    assert session.exec(select(LedgerEntry)).one().subject_kind == "server"
