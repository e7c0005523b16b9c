"""The whole of the records as one JSON object or as a folder of CSV tables in a ZIP file, written as it is read."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import IO, Any

from sqlalchemy import text
from sqlmodel import Session, SQLModel

from agreements import moments
from agreements.store.exporting import TABLES, Opened
from agreements.vault import Vault
from bot.db import Sessions
from bot.store.overrides import OverrideRow
from bot.store.tokens import ApiToken

EXPORTED: tuple[type[SQLModel], ...] = (*TABLES, OverrideRow, ApiToken)
"""Every table that holds something recorded."""

NOT_EXPORTED: Mapping[str, str] = {
    "delivery": "work: what GitHub sent",
    "executor": "work: which processes live",
    "asked_license": "work: what registries tell everybody",
    "audit_account": "work: made anew every night",
    "audit_blob": "work: files as they are at GitHub",
    "audit_night": "work: what changed, ninety days",
    "audit_page": "work: made anew every night",
    "audit_post": "work: what we wrote at GitHub",
    "audit_repository": "work: what GitHub shows anyway",
    "audit_sealed": "work: files as they are at GitHub, and what was read of them",
    "first_seen": "work: what GitHub shows anyway",
    "head": "work: what GitHub shows anyway",
    "key_holder": "work: which processes have which keys",
    "license_check": "work: made anew at any time",
    "mail": "work: letters that wait",
    "one_time_code": "work: codes that are good for ten minutes",
    "owner": "work: rulebooks as last read",
    "participant": "work: what GitHub shows anyway",
    "publication": "work: what we wrote at GitHub",
    "pull": "work: what GitHub shows anyway",
    "push": "work: what GitHub sent",
    "question": "work: comments that were answered",
    "stored_facts": "work: for replay, ninety days",
    "verdict": "work: made anew from the records at any time",
    "visit": "work: who is signed in now",
}
"""Every other table, and why nobody needs it who leaves."""

VERSION = 1
"""Of the form of an export; a form that changes gets the next number."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
"""What makes a spreadsheet calculate: such a cell gets an apostrophe in front, and so does one that begins with one."""


@contextmanager
def snapshot(sessions: Sessions) -> Iterator[Session]:
    """A session that sees the records as they are at one moment, and changes nothing."""
    with sessions() as session:
        sqlite = session.get_bind().dialect.name == "sqlite"
        session.execute(text("BEGIN" if sqlite else "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"))
        yield session


def as_json(session: Session, vault: Vault, *, at: datetime) -> Iterator[str]:
    """One object: `countersign_export`, `made_at`, `tables` by name, and how many values nobody can open any more."""
    opened = Opened(session, vault)
    yield f'{{"countersign_export": {VERSION}, "made_at": {json.dumps(moments.text(at))}, "tables": {{\n'
    for number, table in enumerate(EXPORTED):
        yield f'{"," if number else ""}"{table.__tablename__}": ['
        for line, row in enumerate(opened.rows(table)):
            yield f"{',' if line else ''}\n{json.dumps(row, ensure_ascii=False)}"
        yield "]\n"
    yield f'}}, "unopened": {opened.unopened}}}\n'


def as_csv(session: Session, vault: Vault, file: IO[bytes], *, at: datetime) -> int:
    """A ZIP file with one CSV table for each of ours; how many values nobody can open any more.

    Objects are JSON in their cell, files base64.
    """
    opened = Opened(session, vault)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for table in EXPORTED:
            entry = zipfile.ZipInfo(f"{table.__tablename__}.csv", at.timetuple()[:6])
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            with (
                archive.open(entry, "w", force_zip64=True) as member,
                io.TextIOWrapper(member, "utf-8", newline="") as lines,
            ):
                _table(lines, opened, table)
    return opened.unopened


def _table(lines: IO[str], opened: Opened, table: type[SQLModel]) -> None:
    writer = csv.writer(lines)
    writer.writerow(opened.columns(table))
    for row in opened.rows(table):
        writer.writerow([_cell(value) for value in row.values()])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{written}" if isinstance(value, str) and written.startswith(_FORMULA) else written
