"""What a transaction noted is named by its next entry, once; what was rolled back by none."""

from agreements.store.ledger import pending_rows
from agreements.store.ledger.pending_rows import PendingRow


def noted(vault, at, row_id="p1", kind="person.added"):
    """A row that waits for an entry."""
    return PendingRow(row_id, kind, vault, at, f"e-{kind}")


def test_each_once_with_its_first_note(sessions, vault, at):
    """A person who is made and renamed in one transaction was made."""
    with sessions() as session:
        pending_rows.note(session, noted(vault, at))
        pending_rows.note(session, noted(vault, at, kind="person.renamed"))
        pending_rows.note(session, noted(vault, at, "p2"))

        assert [(one.row_id, one.kind) for one in pending_rows.take(session)] == [
            ("p1", "person.added"),
            ("p2", "person.added"),
        ]
        assert pending_rows.take(session) == []


def test_the_end_of_a_transaction(session, vault, at):
    """Another transaction of the same session begins with nothing; a savepoint is none."""
    pending_rows.note(session, noted(vault, at))
    with session.begin_nested():
        pass
    assert len(pending_rows.take(session)) == 1
    pending_rows.note(session, noted(vault, at))
    session.rollback()

    assert pending_rows.take(session) == []
