"""Exports all records, decrypted, row by row."""

import base64
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy
from sqlmodel import Session, SQLModel, col, select

from agreements import moments
from agreements.store.ledger import ledger
from agreements.store.tables.company_records import CompanyEntry, CompanyManager, CompanyRecord, DomainClaim, Enrolment
from agreements.store.tables.ledger_records import LedgerCheckpoint, LedgerEntry, LedgerKey
from agreements.store.tables.party_records import PartyRecord
from agreements.store.tables.records import (
    Campaign,
    DocumentRecord,
    Erasure,
    ImportedEntry,
    PersonRecord,
    Proof,
    ReleasedText,
    SignatureRecord,
    Withdrawal,
)
from agreements.vault import DataKey, DecryptionFailed, Vault, WrappedKey, place

TABLES: tuple[type[SQLModel], ...] = (
    PersonRecord,
    SignatureRecord,
    Withdrawal,
    Proof,
    CompanyRecord,
    CompanyEntry,
    CompanyManager,
    DomainClaim,
    Enrolment,
    DocumentRecord,
    ReleasedText,
    Campaign,
    Erasure,
    ImportedEntry,
    PartyRecord,
    LedgerEntry,
    LedgerCheckpoint,
    LedgerKey,
)
"""The tables of the records, in an order in which each row's parents come first."""

LEFT_OUT: Mapping[str, frozenset[str]] = {
    "person": frozenset({"wrapped_key", "ring_key_id"}),
    "company": frozenset({"wrapped_key", "ring_key_id"}),
    "company_entry": frozenset({"email_index"}),
    "proof": frozenset({"address_index"}),
    "ledger_key": frozenset({"sealed"}),
    "api_token": frozenset({"token_hash", "token_index"}),
}
"""Columns that mean nothing without our keys, or are keys themselves. What they protect is exported opened."""

_CLEAR = {("ledger_checkpoint", "signature"), ("ledger_key", "public_key"), ("document", "content")}
"""Bytes that are written as base64: two that were never sealed, and files."""
_NEVER_SEALED = {("ledger_checkpoint", "signature"), ("ledger_key", "public_key")}
_OBJECTS = {("signature", "evidence"), ("company", "details"), ("imported", "sealed"), ("ledger_entry", "detail")}
"""Sealed JSON objects."""

_BATCH_ROWS = 200
"""Rows that are read at once; of files one."""


def named(session: Session, *columns: str) -> list[dict[str, str]]:
    """What the signatures have in these columns, by name: each combination once, in order."""
    wanted = [getattr(SignatureRecord, name) for name in columns]
    return [dict(row) for row in session.execute(sqlalchemy.select(*wanted).distinct().order_by(*wanted)).mappings()]


class RecordReader:
    """Reads tables row by row; `unopened` counts values whose keys were destroyed, which come out as None."""

    def __init__(self, session: Session, vault: Vault) -> None:
        self._session = session
        self._vault = vault
        self.unopened = 0
        self._wrapped: dict[tuple[str, str], WrappedKey] = {}
        for kind, table in (("person", PersonRecord), ("company", CompanyRecord)):
            for row_id, ring, sealed in session.exec(select(table.id, table.ring_key_id, table.wrapped_key)):
                self._wrapped[kind, row_id] = WrappedKey(ring, sealed)

    def rows(self, table: type[SQLModel]) -> Iterator[dict[str, Any]]:
        """The rows of a table in the order of their keys, as plain values: times and bytes as text."""
        keys = [column.name for column in table.__table__.primary_key]  # type: ignore[attr-defined]  # a table model has it
        query = select(table).order_by(*[col(getattr(table, key)) for key in keys])
        at_once = 1 if table is DocumentRecord else _BATCH_ROWS
        for row in self._session.exec(query, execution_options={"yield_per": at_once}):
            # Sealed values name their row by its id; a log entry's key is its number.
            row_id = getattr(row, "id", None) or "/".join(str(getattr(row, key)) for key in keys)
            name, values = str(table.__tablename__), row.model_dump()
            yield {column: self._value(name, column, values[column], row, row_id) for column in self.columns(table)}
            self._session.expunge(row)

    def columns(self, table: type[SQLModel]) -> list[str]:
        """The names of what a row of that table has."""
        left_out = LEFT_OUT.get(str(table.__tablename__), frozenset())
        return [name for name in table.model_fields if name not in left_out]

    def _value(self, table: str, column: str, value: Any, row: SQLModel, row_id: str) -> Any:
        if isinstance(value, datetime):
            return moments.text(value)
        if not isinstance(value, bytes):
            return value
        found = value if (table, column) in _NEVER_SEALED else self._open(row, value, place(table, column, row_id))
        if found is None:
            self.unopened += 1
            return None
        if (table, column) in _CLEAR:
            return base64.b64encode(found).decode()
        return json.loads(found) if (table, column) in _OBJECTS else found.decode()

    def _open(self, row: SQLModel, sealed: bytes, about: str) -> bytes | None:
        """With the key of whom the row is about, else with the server's; None when no key opens it."""
        for key in self._keys(row):
            try:
                return self._vault.decrypt(key, sealed, about)
            except DecryptionFailed:
                continue
        try:
            return self._vault.decrypt_for_server(sealed, about)
        except DecryptionFailed:
            return None

    def _keys(self, row: SQLModel) -> Iterator[DataKey]:
        if isinstance(row, LedgerEntry):
            yield from self._key(row.subject_kind, row.subject_id)
            server = ledger.server_key(self._session, self._vault)
            yield from [server] if server else []
            return
        columns = row.model_dump()
        if isinstance(row, Withdrawal):
            query = select(SignatureRecord.person_id).where(col(SignatureRecord.id) == row.signature_id)
            yield from self._key("person", self._session.exec(query).one())
        for kind, table in (("person", PersonRecord), ("company", CompanyRecord)):
            yield from self._key(kind, columns["id"] if isinstance(row, table) else columns.get(f"{kind}_id") or "")

    def _key(self, kind: str, row_id: str) -> Iterator[DataKey]:
        wrapped = self._wrapped.get((kind, row_id))
        if wrapped is not None and wrapped.sealed:
            yield self._vault.unwrap(wrapped, kind, row_id)
