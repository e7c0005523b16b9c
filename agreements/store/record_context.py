"""A change of the records: its transaction, the keys, the account that makes it, the moment, and its entries in the log.

A transaction that makes, renames or revives a person notes the person's row. The next entry of the transaction names that
row; without another entry, the transaction ends with one of its own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import event
from sqlalchemy.orm import SessionTransaction
from sqlmodel import Session, SQLModel, col, select

from agreements import ledger
from agreements.ledger import Checkpoint, MerkleTree, RowChange
from agreements.store.ledger import log_subjects, row_macs, stored_ledger
from agreements.store.ledger.stored_ledger import DETAILS_KEY, SERVER, Change, LedgerSubject
from agreements.store.lookup import NewId, account_key, text_chunks, text_key
from agreements.store.tables.ledger_records import LedgerCheckpoint, LedgerEntry
from agreements.store.tables.records import PersonRecord
from agreements.vault import Vault, new_salt

_PENDING = "pending rows of the log"


@dataclass(frozen=True, slots=True)
class RecordContext:
    """The means of a change of the records; they are handed to every function that writes."""

    session: Session
    """The transaction; the caller commits it."""
    vault: Vault
    """Opens and seals what is personal."""
    by: int | None
    """The account that makes the change; None for a change by time alone, or because GitHub answered."""
    at: datetime
    """The moment of the change."""
    new_id: NewId
    """Makes the id of each new row and entry."""

    @property
    def actor(self) -> int:
        """The account that makes the change. Raises ValueError where no account does."""
        return account_key(self.by)

    def log(
        self,
        kind: str,
        about: int | LedgerSubject = SERVER,
        *,
        rows: Sequence[SQLModel] = (),
        deleted: Sequence[tuple[str, str]] = (),
        details: Mapping[str, object] | None = None,
    ) -> None:
        """Write the entry; `details` are sealed for the subject `about`: account number, subject, or server."""
        subject = (
            about if isinstance(about, LedgerSubject) else log_subjects.subject_of(self.session, self.vault, about)
        )
        self.append(
            Change(kind=kind, actor_id=self.by, subject=subject, rows=rows, deleted=deleted, details=details or {})
        )

    def append(self, *changes: Change) -> int:
        """Write an entry for each, and the signed root; the last entry's number. Call it last in a transaction."""
        # Others wait for the log until the transaction ends, and a row locked after it could be locked by one of them.
        return _append(self, [(change, self.new_id()) for change in changes])

    def note_person(self, person_id: str, kind: str) -> None:
        """Note that the person's row was written: the next entry names it, or one of that `kind` at the end."""
        noted: dict[str, tuple[RecordContext, str]] = self.session.info.setdefault(_PENDING, {})
        noted.setdefault(person_id, (self, kind))  # The first note says more: "added" before "renamed".


def _append(context: RecordContext, changes: Sequence[tuple[Change, str]]) -> int:
    """Write the entries, each with its id. The first also names the people whom the transaction made or changed."""
    session, vault = context.session, context.vault
    session.flush()  # The hashes are of rows as the database has them.
    stored_ledger.lock(session)
    last = session.exec(select(LedgerCheckpoint).order_by(col(LedgerCheckpoint.size).desc()).limit(1)).first()
    # The frontier is enough to append: the log is not read.
    tree = MerkleTree.parse(last.size, last.frontier) if last else MerkleTree()
    named: dict[tuple[str, str], tuple[int, RowChange]] = {}
    more = [] if last else [stored_ledger.names_people()]  # From the first entry on, this log names people.
    for change, rows, new_id in _with_rows(session, changes, more):
        # Each entry vouches for the signed root before it.
        previous = ledger.signed_hash(**last.model_dump()) if last else ""
        named |= {(one.table, one.id): (tree.size, one) for one in rows}
        entry = _entry(context, change, rows, tree.size, text_key(new_id))
        tree.add(ledger.leaf(stored_ledger.columns(entry), previous))
        key, public = stored_ledger.signing_key(session, vault)
        checkpoint = Checkpoint(ledger.origin(public), tree.size, tree.root)
        last = LedgerCheckpoint(
            size=tree.size,
            root=tree.root.hex(),
            frontier=tree.frontier_text,
            signature=ledger.sign(checkpoint, key),
        )
        session.add_all([entry, last])
    session.flush()
    row_macs.write(session, vault, named.values())  # In the same transaction: a row without its code covers no one.
    return tree.size - 1


def _with_rows(
    session: Session, changes: Sequence[tuple[Change, str]], more: Sequence[RowChange]
) -> Iterator[tuple[Change, list[RowChange], str]]:
    all_rows = [
        [*map(stored_ledger.written, change.rows), *(RowChange(table, key, None) for table, key in change.deleted)]
        for change, _ in changes
    ]
    # A person that the caller names itself needs no second hash, and the first entry names all others.
    named = {row.id for rows in all_rows for row in rows if row.table == PersonRecord.__tablename__}
    found = _persons(session, take_pending(session).keys() - named)
    all_rows[0] += [*map(stored_ledger.written, sorted(found, key=lambda person: person.id)), *more]
    return ((change, rows, new_id) for (change, new_id), rows in zip(changes, all_rows, strict=True))


def _entry(context: RecordContext, change: Change, rows: Sequence[RowChange], number: int, new_id: str) -> LedgerEntry:
    salt = new_salt()  # Without it, short details could be guessed from their hash.
    details = dict(change.details)
    sealed = ledger.canonical({"salt": salt.hex(), DETAILS_KEY: details})
    # An erasure of the subject takes the details with it.
    key = change.subject.key or stored_ledger.ensure_server_key(context.session, context.vault)
    return LedgerEntry(
        number=number,
        id=new_id,
        at=context.at,
        kind=text_key(change.kind),
        actor_id=change.actor_id,
        subject_kind=change.subject.kind,
        subject_id=text_key(change.subject.id),
        rows=ledger.rows_text(rows),
        commitment=ledger.commitment(salt, details),
        detail=context.vault.encrypt(key, sealed, stored_ledger.about_detail(new_id)),
    )


def take_pending(session: Session) -> dict[str, tuple[RecordContext, str]]:
    """The people noted that no entry has named yet, by id; from now on they count as named."""
    noted: dict[str, tuple[RecordContext, str]] = session.info.pop(_PENDING, {})
    return noted


def _persons(session: Session, person_ids: Iterable[str]) -> Iterator[PersonRecord]:
    # A noted person may not be there: another session made the same one, or a savepoint was rolled back.
    for chunk in text_chunks([*person_ids]):
        yield from session.exec(select(PersonRecord).where(col(PersonRecord.id).in_(chunk)))


@event.listens_for(Session, "before_commit")
def _log_those_left(session: Session) -> None:  # Last, so that the log is locked as shortly as possible.
    """Write an entry for each person whom no entry of the transaction named."""
    left = {} if session.in_nested_transaction() else take_pending(session)  # The end of a savepoint commits nothing.
    if not left:
        return
    session.flush()
    found, changes = {person.id: person for person in _persons(session, left)}, []
    for person_id, (context, kind) in left.items():
        if person_id in found:
            subject = log_subjects.subject_named(session, context.vault, "person", person_id) or SERVER
            change = Change(kind=kind, actor_id=None, subject=subject, rows=[found[person_id]])
            changes.append((change, context.new_id()))
    if changes:
        first, _ = next(iter(left.values()))
        _append(first, changes)


@event.listens_for(Session, "after_transaction_end")
def _forget(session: Session, transaction: SessionTransaction) -> None:
    """Drop the notes of a transaction that was rolled back."""
    if transaction.parent is None:  # A savepoint's notes stay: rows that are gone are left out when they are named.
        session.info.pop(_PENDING, None)
