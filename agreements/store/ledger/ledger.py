"""The log of the records: one entry for each change, in the change's own transaction, and the signed root after it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import event, func, text
from sqlalchemy.orm import SessionTransaction
from sqlmodel import Session, SQLModel, col, select

from agreements import ledger
from agreements.ledger import Checkpoint, MerkleTree, RowChange
from agreements.store.ledger import row_macs
from agreements.store.lookup import text_chunks, text_key
from agreements.store.tables.declarations import of_table, table_of
from agreements.store.tables.ledger_records import LedgerCheckpoint, LedgerEntry, LedgerKey
from agreements.store.tables.records import PersonRecord
from agreements.vault import DataKey, DecryptionFailed, Vault, new_salt, place

_ADVISORY_LOCK_KEY = 0x4C6564676572  # any number that nobody else takes: "Ledger"
KEY_ID = "checkpoint"
"""The row of the key that signs roots, in the table `ledger_key`."""
_DETAIL = "detail"
DETAILS_KEY = "told"
"""The JSON key under which `details` stand in what is sealed; it is stored, so it stays."""


@dataclass(frozen=True, slots=True)
class LedgerSubject:
    """Whom a change is about: a person or a company with its data key, or (`server`) nobody."""

    kind: str
    id: str
    key: DataKey | None = field(default=None, repr=False)


SERVER = LedgerSubject("server", "server")
"""The subject of what is about no person and no company."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What happened: `kind` as in docs/reference/ledger.md, who did it (None: nobody, by time alone), the rows that it wrote.

    `details` are kept sealed with the subject's key; erasing that key leaves the entry's place in the log, and no more.
    `deleted` names rows (table, id) that are gone.
    """

    kind: str
    actor_id: int | None
    subject: LedgerSubject
    rows: Sequence[SQLModel] = ()
    deleted: Sequence[tuple[str, str]] = ()
    details: Mapping[str, object] = field(default_factory=dict, repr=False)


def append(session: Session, vault: Vault, change: Change, *, at: datetime, new_id: str) -> int:
    """Write the entry and the signed root after it; the entry's number. Other writers wait until the transaction ends.

    Call it last in a transaction: what is locked after it could be locked by somebody who waits for it.
    """
    return append_all(session, vault, [(change, new_id)], at=at)


def append_all(session: Session, vault: Vault, changes: Sequence[tuple[Change, str]], *, at: datetime) -> int:
    """The same for several changes of one transaction, each with the id of its entry; the last entry's number.

    The first of them also names the people whom the transaction made or changed (`note_pending`).
    """
    session.flush()
    lock(session)
    last = session.exec(select(LedgerCheckpoint).order_by(col(LedgerCheckpoint.size).desc()).limit(1)).first()
    tree = MerkleTree.parse(last.size, last.frontier) if last else MerkleTree()
    named: dict[tuple[str, str], tuple[int, RowChange]] = {}
    more = [] if last else [names_people()]
    for change, rows, new_id in _with_rows(session, changes, more):
        previous = ledger.signed_hash(**last.model_dump()) if last else ""
        named |= {(one.table, one.id): (tree.size, one) for one in rows}
        entry = _entry(session, vault, change, rows, number=tree.size, at=at, new_id=text_key(new_id))
        tree.add(ledger.leaf(columns(entry), previous))
        key, public = _signing_key(session, vault)
        checkpoint = Checkpoint(ledger.origin(public), tree.size, tree.root)
        last = LedgerCheckpoint(
            size=tree.size,
            root=tree.root.hex(),
            frontier=tree.frontier_text,
            signature=ledger.sign(checkpoint, key),
        )
        session.add_all([entry, last])
    session.flush()
    row_macs.write(session, vault, named.values())
    return tree.size - 1


def names_people() -> RowChange:
    """Stands in the entry from which on the log names the row of each person: a row that there never is, as deleted."""
    return RowChange(str(LedgerEntry.__tablename__), str(PersonRecord.__tablename__), None)


def _with_rows(
    session: Session, changes: Sequence[tuple[Change, str]], more: Sequence[RowChange]
) -> Iterator[tuple[Change, list[RowChange], str]]:
    """Each change with the rows that its entry names and the entry's id; the first with `more`, and the people that no other names."""
    all_rows = [
        [*map(written, change.rows), *(RowChange(table, key, None) for table, key in change.deleted)]
        for change, _ in changes
    ]
    named = {row.id for rows in all_rows for row in rows if row.table == PersonRecord.__tablename__}
    ids = [one.row_id for one in take_pending(session) if one.row_id not in named]
    found = (
        person
        for chunk in text_chunks(ids)
        for person in session.exec(select(PersonRecord).where(col(PersonRecord.id).in_(chunk)))
    )
    all_rows[0] += [*map(written, sorted(found, key=lambda person: person.id)), *more]
    return ((change, rows, new_id) for (change, new_id), rows in zip(changes, all_rows, strict=True))


def columns(row: SQLModel) -> dict[str, object]:
    """What of a row is hashed, by column."""
    return hashed(str(row.__tablename__), row.model_dump())


def hashed(table: str, values: Mapping[str, object]) -> dict[str, object]:
    """The same of all columns of a row of that table, as the table declares them."""
    declared = of_table(table_of(table))
    kept = {
        name: value
        for name, value in values.items()
        if name in declared.hashed and not (name in declared.unless_null and value is None)
    }
    return kept | {name: bool(values[name]) for name in declared.present}


def written(row: SQLModel) -> RowChange:
    """The row as an entry names it."""
    values = columns(row)
    key = "|".join(str(getattr(row, column.name)) for column in row.__table__.primary_key)  # type: ignore[attr-defined]  # a table model has it
    return RowChange(str(row.__tablename__), key, ledger.row_hash(values))


def open_details(session: Session, vault: Vault, entry: LedgerEntry, subject: LedgerSubject) -> dict[str, Any]:
    """What the entry tells, opened with its subject's key. Raises DecryptionFailed when that is not the key."""
    key = subject.key or server_key(session, vault)
    if key is None:
        raise DecryptionFailed("the key that encrypted this is gone")
    opened = json.loads(vault.decrypt(key, entry.detail, about_detail(entry.id)))
    details: dict[str, Any] = opened[DETAILS_KEY]
    return details


def public_key(session: Session, vault: Vault) -> bytes | None:
    """The key that the log is signed with; None before it began. Raises DecryptionFailed when it was exchanged."""
    return None if session.get(LedgerKey, KEY_ID) is None else _signing_key(session, vault)[1]


def server_key(session: Session, vault: Vault) -> DataKey | None:
    """The key of what is told of nobody; None before anything was. Raises DecryptionFailed when it was exchanged."""
    return None if session.get(LedgerKey, _DETAIL) is None else _server_key(session, vault)


def newest(session: Session) -> str | None:
    """The newest checkpoint as a signed note; None while nothing was recorded."""
    last = session.exec(select(LedgerCheckpoint).order_by(col(LedgerCheckpoint.size).desc()).limit(1)).first()
    key = session.get(LedgerKey, KEY_ID)
    if last is None or key is None:
        return None
    checkpoint = Checkpoint(ledger.origin(key.public_key), last.size, bytes.fromhex(last.root))
    return ledger.note(checkpoint, key.public_key, last.signature)


@dataclass(frozen=True, slots=True)
class LedgerExtent:
    """How far the log goes; `uncovered` is when the oldest entry was written that no checkpoint covers, None: all are."""

    entries: int
    newest: datetime | None
    uncovered: datetime | None


def extent(session: Session) -> LedgerExtent:
    """By the last rows alone, whatever the log's length."""
    last = session.exec(select(LedgerEntry).order_by(col(LedgerEntry.number).desc()).limit(1)).first()
    if last is None:
        return LedgerExtent(0, None, None)
    covered = session.exec(select(func.max(LedgerCheckpoint.size))).one() or 0
    uncovered = session.exec(select(LedgerEntry.at).where(LedgerEntry.number == covered)).first()
    return LedgerExtent(last.number + 1, last.at, uncovered)


def lock(session: Session) -> None:
    """Nobody else appends before this transaction ends. SQLite has one writer anyway, once it has begun to write."""
    if session.get_bind().dialect.name == "sqlite":
        session.execute(text("DELETE FROM ledger_key WHERE id = ''"))
    else:
        session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK_KEY})


def _entry(  # noqa: PLR0913 - the session and the vault come first everywhere, the rest is one entry
    session: Session,
    vault: Vault,
    change: Change,
    rows: Sequence[RowChange],
    *,
    number: int,
    at: datetime,
    new_id: str,
) -> LedgerEntry:
    salt = new_salt()
    details = dict(change.details)
    sealed = ledger.canonical({"salt": salt.hex(), DETAILS_KEY: details})
    key = change.subject.key or _server_key(session, vault)
    return LedgerEntry(
        number=number,
        id=new_id,
        at=at,
        kind=text_key(change.kind),
        actor_id=change.actor_id,
        subject_kind=change.subject.kind,
        subject_id=text_key(change.subject.id),
        rows=ledger.rows_text(rows),
        commitment=ledger.commitment(salt, details),
        detail=vault.encrypt(key, sealed, about_detail(new_id)),
    )


def _server_key(session: Session, vault: Vault) -> DataKey:
    """The data key for what is about nobody: entries never change, so the ring's own keys, which do, can't seal them."""
    kept = session.get(LedgerKey, _DETAIL)
    if kept is not None:
        if kept.public_key != b"":
            raise DecryptionFailed("the key for entries without a person has no public part")
        return DataKey(vault.decrypt_for_server(kept.sealed, _about_key(_DETAIL)))
    key = vault.new_secret()
    sealed = vault.encrypt_for_server(key.secret, _about_key(_DETAIL))
    session.add(LedgerKey(id=_DETAIL, public_key=b"", sealed=sealed))
    return key


def _signing_key(session: Session, vault: Vault) -> tuple[Ed25519PrivateKey, bytes]:
    """The key of the log, made when the first entry is written. Raises DecryptionFailed when it was exchanged."""
    kept = session.get(LedgerKey, KEY_ID)
    if kept is not None:
        key = Ed25519PrivateKey.from_private_bytes(vault.decrypt_for_server(kept.sealed, _about_key(KEY_ID)))
        if key.public_key().public_bytes_raw() != kept.public_key:
            raise DecryptionFailed("the public key of the log is not the one that belongs to its private key")
        return key, kept.public_key
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    sealed = vault.encrypt_for_server(key.private_bytes_raw(), _about_key(KEY_ID))
    session.add(LedgerKey(id=KEY_ID, public_key=public, sealed=sealed))
    return key, public


def about_detail(entry_id: str) -> str:
    """Where an entry's detail stands."""
    return place("ledger_entry", "detail", entry_id)


def _about_key(key_id: str) -> str:
    return place("ledger_key", "sealed", key_id)


_PENDING = "pending rows of the log"


@dataclass(frozen=True, slots=True)
class PendingRow:
    """One row by its id, and the entry that is written for it alone when the transaction writes no other."""

    row_id: str
    kind: str
    vault: Vault
    at: datetime
    entry_id: str


def note_pending(session: Session, row: PendingRow) -> None:
    """The transaction's next entry must name this row; of a row that is noted already the first note stays."""
    noted: dict[str, PendingRow] = session.info.setdefault(_PENDING, {})
    noted.setdefault(row.row_id, row)


def take_pending(session: Session) -> list[PendingRow]:
    """What was noted and no entry has named yet; from now on it counts as named."""
    return list(session.info.pop(_PENDING, {}).values())


@event.listens_for(Session, "after_transaction_end")
def _forget(session: Session, transaction: SessionTransaction) -> None:
    """What was rolled back needs no entry. A savepoint's notes stay: rows that are gone are left out when they are named."""
    if transaction.parent is None:
        session.info.pop(_PENDING, None)
