"""The whole of the records as one JSON object or as a folder of CSV tables in a ZIP file, written as it is read."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import IO, Any, NamedTuple

from sqlalchemy import text
from sqlmodel import Session

from agreements import moments
from agreements.catalog import Catalog
from agreements.store.people.signatures import SignatureDraft
from agreements.store.record_export import RecordReader, named
from agreements.vault import Vault
from bot import spreadsheet
from bot.db import Sessions
from bot.records import agreement_view
from bot.store.logged_tables import EXPORTED

EXPORT_VERSION = 2
"""The number of the form of an export; a form that changes gets the next number."""

_TEXT = ("agreement", "version", "language", "source_sha256")
_STATEMENT = ("statement_id", "agreement", "version", "language", "statement_sha256")
"""The columns of a signature that name the text, and those that name the sentence beside the tick."""


class _Table(NamedTuple):
    """A table as it is written: its `name`, its `columns` and its `rows`, which may be read once."""

    name: str
    columns: list[str]
    rows: Iterator[dict[str, Any]]


@contextmanager
def snapshot(sessions: Sessions) -> Iterator[Session]:
    """A session that sees the records as they are at one moment, and changes nothing."""
    with sessions() as session:
        # SQLite reads one state within a transaction; PostgreSQL shows each statement a newer one unless told.
        sqlite = session.get_bind().dialect.name == "sqlite"
        session.execute(text("BEGIN" if sqlite else "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"))
        yield session


def as_json(session: Session, vault: Vault, catalog: Catalog, *, at: datetime) -> Iterator[str]:
    """One object: `countersign_export`, `made_at`, `tables` by name, numbers `unopened` and `rows`, `complete`."""
    reader, rows = RecordReader(session, vault), 0
    yield f'{{"countersign_export": {EXPORT_VERSION}, "made_at": {json.dumps(moments.text(at))}, "tables": {{\n'
    for number, table in enumerate(_tables(session, reader, catalog)):
        yield f'{"," if number else ""}"{table.name}": ['
        for line, row in enumerate(table.rows):
            yield f"{',' if line else ''}\n{json.dumps(row, ensure_ascii=False)}"
            rows += 1
        yield "]\n"
    # What was cut off, or failed on the way, lacks `complete`.
    yield f'}}, "unopened": {reader.unopened}, "rows": {rows},\n"complete": true}}\n'


def as_csv(session: Session, vault: Vault, catalog: Catalog, file: IO[bytes], *, at: datetime) -> int:
    """A ZIP file with a CSV for each table, objects as JSON, files as base64; how many values cannot be opened."""
    reader, rows = RecordReader(session, vault), dict[str, int]()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for table in _tables(session, reader, catalog):
            with _entry(archive, f"{table.name}.csv", at) as lines:
                rows[table.name] = _write(lines, table)
        # Last, since no table tells that it is the last one, and an archive that failed is closed like any other.
        with _entry(archive, "complete.json", at) as lines:
            json.dump({"rows": rows, "unopened": reader.unopened, "complete": True}, lines, indent=1)
            lines.write("\n")
    return reader.unopened


@contextmanager
def _entry(archive: zipfile.ZipFile, name: str, at: datetime) -> Iterator[IO[str]]:
    entry = zipfile.ZipInfo(name, at.timetuple()[:6])
    entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16  # Unix rights, in the upper half.
    # The size is not known before the end, and without ZIP64 a member of over 2 GiB would fail.
    with archive.open(entry, "w", force_zip64=True) as member, io.TextIOWrapper(member, "utf-8", newline="") as lines:
        yield lines


def _tables(session: Session, reader: RecordReader, catalog: Catalog) -> Iterator[_Table]:
    for table in EXPORTED:
        yield _Table(str(table.__tablename__), reader.columns(table), reader.rows(table))
    # Signatures name texts and sentences by hashes alone: these go with them.
    yield _Table("signed_text", [*_TEXT, "source"], _texts(session, catalog))
    yield _Table("signed_statement", [*_STATEMENT, "words"], _statements(session, catalog))


def _texts(session: Session, catalog: Catalog) -> Iterator[dict[str, Any]]:
    """Each text that a person signed; `source` None when it is none of ours, or no text of that hash is there."""
    for signed in named(session, *_TEXT):
        text = catalog.get(signed["agreement"], signed["version"], signed["language"])
        found = text.source if text is not None and text.sha256 == signed["source_sha256"] else None
        yield {**signed, "source": found}


def _statements(session: Session, catalog: Catalog) -> Iterator[dict[str, Any]]:
    """Each sentence that a person declared; `words` None when we have none of that hash."""
    # A draft asks for more than the statement that is looked for.
    unused = ("source_sha256", "shown_sha256", "identity_proof", "party", "name", "email")
    rest: dict[str, Any] = dict.fromkeys(unused, "")
    for statement in named(session, *_STATEMENT):
        found = agreement_view.declared(catalog, SignatureDraft(**{**rest, **statement}))
        yield {**statement, "words": found.words if found else None}


def _write(lines: IO[str], table: _Table) -> int:
    writer, rows = csv.writer(lines), 0
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([_cell(value) for value in row.values()])
        rows += 1
    return rows


def _cell(value: Any) -> str:
    if value is None:
        return ""
    # Names and reasons are other people's words: no spreadsheet may calculate them (CSV injection).
    return spreadsheet.escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
