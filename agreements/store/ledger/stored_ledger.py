"""The log of the records as it is stored: what an entry says of a change and of its rows, the keys of the log, and how far it goes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import func, text
from sqlmodel import Session, SQLModel, col, select

from agreements import ledger
from agreements.ledger import Checkpoint, RowChange
from agreements.store.tables.declarations import of_table, table_of
from agreements.store.tables.ledger_records import LedgerCheckpoint, LedgerEntry, LedgerKey
from agreements.store.tables.records import PersonRecord
from agreements.vault import DataKey, DecryptionFailed, Vault, place

_ADVISORY_LOCK_KEY = 0x4C6564676572  # Any number that no other advisory lock has: "Ledger" in ASCII.
KEY_ID = "checkpoint"
"""The row of the key that signs roots, in the table `ledger_key`."""
_DETAIL = "detail"  # The row of the key that seals details about no person and no company.
DETAILS_KEY = "told"
"""The JSON key under which `details` stand in what is sealed; it is stored, so it stays."""


@dataclass(frozen=True, slots=True)
class LedgerSubject:
    """A person or a company that a change is about (`kind`, `id`), with its data `key`; without a key it is the server itself."""

    kind: str
    id: str
    key: DataKey | None = field(default=None, repr=False)


SERVER = LedgerSubject("server", "server")
"""The subject of a change that is about no person and no company."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change: its `kind` as in docs/reference/ledger.md, `actor_id` who made it (None: time alone, or GitHub's answer), the `rows` written.

    `details` are sealed with the key of the `subject`; without that key only the entry's place in the log is left.
    `deleted` names rows (table, id) that are gone.
    """

    kind: str
    actor_id: int | None
    subject: LedgerSubject
    rows: Sequence[SQLModel] = ()
    deleted: Sequence[tuple[str, str]] = ()
    details: Mapping[str, object] = field(default_factory=dict, repr=False)


def names_people() -> RowChange:
    """The mark of the entry from which on the log names people's rows: it deletes a row that never existed."""
    return RowChange(str(LedgerEntry.__tablename__), str(PersonRecord.__tablename__), None)


def columns(row: SQLModel) -> dict[str, object]:
    """The columns of a row that are hashed, by name."""
    return hashed(str(row.__tablename__), row.model_dump())


def hashed(table: str, values: Mapping[str, object]) -> dict[str, object]:
    """The same, given all columns of a row of that table."""
    declared = of_table(table_of(table))
    kept = {
        name: value
        for name, value in values.items()
        # NULL is left out: rows of earlier releases lack the column, and their hashes must stay right.
        if name in declared.hashed and not (name in declared.unless_null and value is None)
    }
    # A rotation seals these anew, so only their presence is hashed.
    return kept | {name: bool(values[name]) for name in declared.present}


def written(row: SQLModel) -> RowChange:
    """The row as an entry names it."""
    values = columns(row)
    key = "|".join(str(getattr(row, column.name)) for column in row.__table__.primary_key)  # type: ignore[attr-defined]  # a table model has it
    return RowChange(str(row.__tablename__), key, ledger.row_hash(values))


def open_details(session: Session, vault: Vault, entry: LedgerEntry, subject: LedgerSubject) -> dict[str, Any]:
    """The details of the entry, opened with its subject's key. Raises DecryptionFailed when that is not the key."""
    key = subject.key or server_key(session, vault)
    if key is None:
        raise DecryptionFailed("the key that encrypted this is gone")
    opened = json.loads(vault.decrypt(key, entry.detail, about_detail(entry.id)))
    details: dict[str, Any] = opened[DETAILS_KEY]
    return details


def public_key(session: Session, vault: Vault) -> bytes | None:
    """The key that the log is signed with; None before the log began. Raises DecryptionFailed when it was exchanged."""
    return None if session.get(LedgerKey, KEY_ID) is None else signing_key(session, vault)[1]


def server_key(session: Session, vault: Vault) -> DataKey | None:
    """The key of details about no one; None before there were any. Raises DecryptionFailed for another one."""
    return None if session.get(LedgerKey, _DETAIL) is None else ensure_server_key(session, vault)


def newest(session: Session) -> str | None:
    """The newest checkpoint as a signed note; None while nothing was recorded."""
    last = session.exec(select(LedgerCheckpoint).order_by(col(LedgerCheckpoint.size).desc()).limit(1)).first()
    key = session.get(LedgerKey, KEY_ID)
    if last is None or key is None:
        return None  # Nothing was recorded: the key is made with the first entry.
    checkpoint = Checkpoint(ledger.origin(key.public_key), last.size, bytes.fromhex(last.root))
    return ledger.note(checkpoint, key.public_key, last.signature)


@dataclass(frozen=True, slots=True)
class LedgerExtent:
    """The size of the log (`entries`), the time of its `newest` entry, and when the oldest without a checkpoint was written (`uncovered`)."""

    entries: int
    newest: datetime | None
    uncovered: datetime | None


def extent(session: Session) -> LedgerExtent:
    """The extent of the log, read from its last rows alone, so that its length costs no time."""
    last = session.exec(select(LedgerEntry).order_by(col(LedgerEntry.number).desc()).limit(1)).first()
    if last is None:
        return LedgerExtent(0, None, None)
    covered = session.exec(select(func.max(LedgerCheckpoint.size))).one() or 0
    # Entries are counted from 0: the first that no checkpoint covers has the number that is the size covered.
    uncovered = session.exec(select(LedgerEntry.at).where(LedgerEntry.number == covered)).first()
    return LedgerExtent(last.number + 1, last.at, uncovered)


def lock(session: Session) -> None:
    """Keep others from appending before this transaction ends."""
    if session.get_bind().dialect.name == "sqlite":
        # SQLite has one writer, but only once a transaction has begun to write: deleting no row begins that.
        session.execute(text("DELETE FROM ledger_key WHERE id = ''"))
    else:
        # The lock ends with the transaction, also if the process dies.
        session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK_KEY})


def ensure_server_key(session: Session, vault: Vault) -> DataKey:
    """The data key for details about no person and no company."""
    # Entries never change, but a rotation ends the ring's own keys: so details have a key that the ring only wraps.
    kept = session.get(LedgerKey, _DETAIL)
    if kept is not None:
        if kept.public_key != b"":  # Only the key that signs has a public part: the row was changed.
            raise DecryptionFailed("the key for entries without a person has no public part")
        return DataKey(vault.decrypt_for_server(kept.sealed, _about_key(_DETAIL)))
    key = vault.new_secret()
    sealed = vault.encrypt_for_server(key.secret, _about_key(_DETAIL))
    session.add(LedgerKey(id=_DETAIL, public_key=b"", sealed=sealed))
    return key


def signing_key(session: Session, vault: Vault) -> tuple[Ed25519PrivateKey, bytes]:
    """The key pair of the log, made when the first entry is written. Raises DecryptionFailed when it was exchanged."""
    kept = session.get(LedgerKey, KEY_ID)
    if kept is not None:
        key = Ed25519PrivateKey.from_private_bytes(vault.decrypt_for_server(kept.sealed, _about_key(KEY_ID)))
        # With an exchanged public key another key's checkpoints would pass.
        if key.public_key().public_bytes_raw() != kept.public_key:
            raise DecryptionFailed("the public key of the log is not the one that belongs to its private key")
        return key, kept.public_key
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    sealed = vault.encrypt_for_server(key.private_bytes_raw(), _about_key(KEY_ID))
    session.add(LedgerKey(id=KEY_ID, public_key=public, sealed=sealed))
    return key, public


def about_detail(entry_id: str) -> str:
    """The place of an entry's detail, to which it is sealed."""
    return place("ledger_entry", "detail", entry_id)


def _about_key(key_id: str) -> str:
    return place("ledger_key", "sealed", key_id)
