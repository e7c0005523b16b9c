"""Entries of the log, appended with a signed root for each and with the codes of the rows that they name."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import event
from sqlmodel import Session, col, select

from agreements import ledger
from agreements.ledger import Checkpoint, MerkleTree, RowChange
from agreements.store.ledger import log_subjects, pending_people, row_macs, stored_ledger
from agreements.store.ledger.stored_ledger import DETAILS_KEY, SERVER, Change
from agreements.store.lookup import text_key
from agreements.store.tables.ledger_records import LedgerCheckpoint, LedgerEntry
from agreements.store.tables.records import PersonRecord
from agreements.vault import Vault, new_salt


@dataclass(frozen=True, slots=True)
class EntryDraft:
    """An entry about to be written: the `change`, the entry's `id`, and `at`, the moment of the change."""

    change: Change
    id: str
    at: datetime


def append(session: Session, vault: Vault, drafts: Sequence[EntryDraft]) -> int:
    """Write the entries, each with the signed root; the last entry's number.

    The first entry also names the people whom the transaction made or changed.
    """
    session.flush()  # The hashes are of rows as the database has them.
    stored_ledger.lock(session)
    last = session.exec(select(LedgerCheckpoint).order_by(col(LedgerCheckpoint.size).desc()).limit(1)).first()
    # The frontier is enough to append: the log is not read.
    tree = MerkleTree.parse(last.size, last.frontier) if last else MerkleTree()
    named: dict[tuple[str, str], tuple[int, RowChange]] = {}
    all_rows = _rows(session, [draft.change for draft in drafts], is_first=last is None)
    for draft, rows in zip(drafts, all_rows, strict=True):
        # Each entry vouches for the signed root before it.
        previous = ledger.signed_hash(**last.model_dump()) if last else ""
        named |= {(row.table, row.id): (tree.size, row) for row in rows}
        entry = _entry(session, vault, draft, tree.size, rows)
        tree.add(ledger.leaf(stored_ledger.columns(entry), previous))
        last = _checkpoint(session, vault, tree)
        session.add_all([entry, last])
    session.flush()
    row_macs.write(session, vault, named.values())  # In the same transaction: a row without its code covers no one.
    return tree.size - 1


def _rows(session: Session, changes: Sequence[Change], *, is_first: bool) -> list[list[RowChange]]:
    """The rows that each entry names."""
    all_rows = [
        [*map(stored_ledger.written, change.rows), *(RowChange(table, key, None) for table, key in change.deleted)]
        for change in changes
    ]
    # A person that the caller names itself needs no second hash, and the first entry names all others.
    named = {row.id for rows in all_rows for row in rows if row.table == PersonRecord.__tablename__}
    people = pending_people.rows(session, pending_people.take(session).keys() - named)
    all_rows[0] += map(stored_ledger.written, sorted(people, key=lambda person: person.id))
    if is_first:  # From here on, this log names people.
        all_rows[0].append(stored_ledger.names_people())
    return all_rows


def _entry(session: Session, vault: Vault, draft: EntryDraft, number: int, rows: Sequence[RowChange]) -> LedgerEntry:
    change, entry_id = draft.change, text_key(draft.id)
    salt = new_salt()  # Without it, short details could be guessed from their hash.
    details = dict(change.details)
    sealed = ledger.canonical({"salt": salt.hex(), DETAILS_KEY: details})
    # An erasure of the subject takes the details with it.
    key = change.subject.key or stored_ledger.ensure_server_key(session, vault)
    return LedgerEntry(
        number=number,
        id=entry_id,
        at=draft.at,
        kind=text_key(change.kind),
        actor_id=change.actor_id,
        subject_kind=change.subject.kind,
        subject_id=text_key(change.subject.id),
        rows=ledger.rows_text(rows),
        commitment=ledger.commitment(salt, details),
        detail=vault.encrypt(key, sealed, stored_ledger.about_detail(entry_id)),
    )


def _checkpoint(session: Session, vault: Vault, tree: MerkleTree) -> LedgerCheckpoint:
    """The root of the log as it is now, signed."""
    key, public = stored_ledger.signing_key(session, vault)
    checkpoint = Checkpoint(ledger.origin(public), tree.size, tree.root)
    return LedgerCheckpoint(
        size=tree.size,
        root=tree.root.hex(),
        frontier=tree.frontier_text,
        signature=ledger.sign(checkpoint, key),
    )


@event.listens_for(Session, "before_commit")
def _name_people_left(session: Session) -> None:  # Last, so that the log is locked as shortly as possible.
    """Write an entry for each person whom no entry of the transaction named."""
    # The end of a savepoint commits nothing.
    left = {} if session.in_nested_transaction() else pending_people.take(session)
    if not left:
        return
    session.flush()
    found, drafts = {person.id: person for person in pending_people.rows(session, left)}, []
    first = next(iter(left.values()))
    for person_id, pending in left.items():
        if person_id in found:
            subject = log_subjects.subject_named(session, pending.vault, "person", person_id) or SERVER
            change = Change(kind=pending.kind, actor_id=None, subject=subject, rows=[found[person_id]])
            drafts.append(EntryDraft(change, pending.new_id(), first.at))
    if drafts:
        append(session, first.vault, drafts)
