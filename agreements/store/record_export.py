"""Exports all records, decrypted, row by row, as their tables declare their sealed columns."""

import base64
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import sqlalchemy
from sqlmodel import Session, SQLModel, col, select

from agreements import moments
from agreements.store.ledger import stored_ledger
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.declarations import TableDeclaration, declaration, table_of
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import PersonRecord, SignatureRecord, Withdrawal
from agreements.vault import DataKey, DecryptionFailed, Vault, WrappedKey, place

_BATCH_ROWS = 200
"""Rows that are read at once; of files only one."""


def named(session: Session, *columns: str) -> list[dict[str, str]]:
    """The values of these columns of signatures, by name: each combination once, in order."""
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
                self._wrapped[kind, row_id] = WrappedKey(ring, sealed)  # Read once, not by one more query for each row.

    def rows(self, model: type[SQLModel]) -> Iterator[dict[str, Any]]:
        """The rows of a table in the order of their keys, as plain values: times and bytes as text."""
        table = table_of(model)
        declared, keys = declaration(table), table.primary_key.columns.keys()
        query = select(model).order_by(*[col(getattr(model, key)) for key in keys])
        at_once = 1 if "file" in declared.forms.values() else _BATCH_ROWS  # A file has up to 10 MB.
        for row in self._session.exec(query, execution_options={"yield_per": at_once}):
            # Sealed values name their row by its id; the key of a log entry is its number.
            row_id = getattr(row, "id", None) or "/".join(str(getattr(row, key)) for key in keys)
            values = row.model_dump()
            yield {
                column: self._value(declared, column, values[column], row, place(table.name, column, row_id))
                for column in self.columns(model)
            }
            self._session.expunge(row)  # SQLAlchemy would keep every row until the end.

    def columns(self, model: type[SQLModel]) -> list[str]:
        """The names of the columns of a row of that table."""
        left_out = declaration(table_of(model)).left_out
        return [name for name in model.model_fields if name not in left_out]

    def _value(self, declared: TableDeclaration, column: str, value: Any, row: SQLModel, about: str) -> Any:
        if isinstance(value, datetime):
            return moments.text(value)
        if not isinstance(value, bytes):
            return value
        form = declared.forms.get(column)
        found = value if form == "plain" else self._open(row, value, about)
        if found is None:
            self.unopened += 1
            return None
        if form in ("plain", "file"):
            return base64.b64encode(found).decode()
        return json.loads(found) if form == "object" else found.decode()

    def _open(self, row: SQLModel, sealed: bytes, about: str) -> bytes | None:
        """The value, opened with its subject's key, else with the server's; None when no key opens it."""
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
            # Entries about accounts without a key are sealed with it.
            server = stored_ledger.server_key(self._session, self._vault)
            yield from [server] if server else []
            return
        columns = row.model_dump()
        if isinstance(row, Withdrawal):
            # A withdrawal has no person of its own.
            query = select(SignatureRecord.person_id).where(col(SignatureRecord.id) == row.signature_id)
            yield from self._key("person", self._session.exec(query).one())
        for kind, table in (("person", PersonRecord), ("company", CompanyRecord)):
            yield from self._key(kind, columns["id"] if isinstance(row, table) else columns.get(f"{kind}_id") or "")

    def _key(self, kind: str, row_id: str) -> Iterator[DataKey]:
        wrapped = self._wrapped.get((kind, row_id))
        if wrapped is not None and wrapped.sealed:  # An erased person has no key.
            yield self._vault.unwrap(wrapped, kind, row_id)
