"""Signatures made before they were recorded, by other tools or on paper: when they were recorded is in the log."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, cast, func, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import col

from agreements.store.tables.ledger_records import LedgerEntry

KINDS = ("login.confirmed", "signature.imported", "signature.recorded")
"""The kinds of entries that name them. Every other signature is recorded as it is made."""


def recorded() -> ColumnElement[bool]:
    """Says of a LedgerEntry that it is one of those."""
    return col(LedgerEntry.kind).in_(KINDS)


def ids(dialect: str, since: datetime) -> Select[Any]:
    """The ids of the signatures that were recorded at or after that moment."""
    # Rows are named as [table, id, hash]: see agreements.ledger.rows_text.
    word: Any
    if dialect == "sqlite":
        word = func.json_each(LedgerEntry.rows).table_valued("value", joins_implicitly=True).c.value
        table, row_id = func.json_extract(word, "$[0]"), func.json_extract(word, "$[1]")
    else:
        word = func.jsonb_array_elements(cast(LedgerEntry.rows, JSONB)).column_valued("word", joins_implicitly=True)
        table, row_id = word.op("->>")(0), word.op("->>")(1)
    return select(row_id).select_from(LedgerEntry).where(recorded(), col(LedgerEntry.at) >= since, table == "signature")
