"""CLA assistant's list of signatures as CSV: `User Name;…;Gist URL;Gist Version;Signed At;…`, by login.

Source: cla-assistant/cla-assistant, src/client/controller/settings.js and src/client/app/home/repo-list/report/
(the head, the semicolons) and src/client/src/modals/upload.js (`user`, `created_at`).
"""

from agreements.imports.entries import (
    ImportDefaults,
    ImportFile,
    RawEntry,
    RejectedEntry,
    UnreadableImport,
    ended_by,
    shown,
)
from agreements.imports.files import TableRow, rows_of

# No column is the account's number: a field called "GitHub ID" holds what a contributor typed.
_LOGIN = ("user name", "user", "username", "github username")
_DATE = ("signed at", "created_at", "created at")
_NAME = ("name", "full name", "fullname")
_EMAIL = ("email", "e-mail", "e-mail address")
# A revision of a gist is no version: evidence only.
_NOTES = ("cla title", "gist url", "gist version", "repository owner", "repository name")


def read(content: bytes, defaults: ImportDefaults) -> ImportFile:
    """The signatures of the file. Raises UnreadableImport."""
    head, rows = rows_of(content)
    if not set(head).intersection(_LOGIN):
        raise UnreadableImport('line 1: the column "User Name" is missing')
    found = [_signature(row) for row in rows]
    return ImportFile.of(found, defaults, ["dates without a zone were read as UTC"] if found else [])


def _signature(row: TableRow) -> RawEntry | RejectedEntry:
    where = f"line {row.line}"
    if reason := ended_by(row.cells):
        return RejectedEntry(where, shown(row.first(_LOGIN)), reason)
    return RawEntry(
        where=where,
        login=row.first(_LOGIN),
        name=row.first(_NAME),
        email=row.first(_EMAIL),
        signed_at=row.first(_DATE),
        notes=[f"{name}: {row.cells[name]}" for name in _NOTES if row.cells.get(name)],
    )
