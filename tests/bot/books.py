"""Keeps books over a database: a transaction of a request that changes a record must write just one entry into the log."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import has_request_context, request
from sqlalchemy import Engine, event

from tests.bot.emails import unwritable

RECORDS = frozenset(
    {
        "signature", "withdrawal", "company", "company_entry", "company_manager", "domain_claim", "enrolment", "proof", "document",
        "person", "released_text", "campaign", "erasure", "imported", "api_token",
    }
)  # fmt: skip
_WRITE = re.compile(r'\s*(INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+"?(\w+)"?', re.IGNORECASE)
_UNSEEN = {
    ("UPDATE", "domain_claim", "checked_at"),
    ("UPDATE", "company", "reminded_at"),
    ("UPDATE", "enrolment", "reminded_at"),
    ("UPDATE", "api_token", "used_at"),
    ("UPDATE", "api_token", "token_index"),
    ("UPDATE", "person", "ring_key_id"),
}
"""Changes of a single column that is not part of the record (agreements.store.tables.declarations); the last is a lock."""


class Books:
    """Listens to an engine; `wrong` holds a line for each transaction that broke the rule."""

    def __init__(self, engine: Engine) -> None:
        self.wrong: list[str] = []
        self.entries = 0
        event.listen(engine, "before_cursor_execute", self._executed)
        event.listen(engine, "commit", self._committed)
        event.listen(engine, "rollback", self._rolled_back)

    def _executed(self, connection, _cursor, statement, _parameters, _context, many) -> None:
        found = _WRITE.match(statement)
        if found is None or not has_request_context():
            return
        verb, table = found[1].split()[0].upper(), found[2].lower()
        kept = connection.info.setdefault("books", {"records": set(), "entries": 0})
        if table == "ledger_entry":
            kept["entries"] += 1
        elif table in RECORDS and not self._unseen(verb, table, statement):
            kept["records"].add(f"{verb.lower()} {table}")

    @staticmethod
    def _unseen(verb: str, table: str, statement: str) -> bool:
        columns = re.findall(r"(?:SET |, )(\w+)\s*=", statement.partition(" WHERE ")[0])
        return len(columns) == 1 and (verb, table, columns[0]) in _UNSEEN

    def _committed(self, connection) -> None:
        kept = connection.info.pop("books", None)
        if kept is None:
            return
        self.entries += kept["entries"]
        if kept["entries"] != (1 if kept["records"] else kept["entries"]) or kept["entries"] > 1:
            changes = ", ".join(sorted(kept["records"])) or "nothing"
            self.wrong.append(f"{request.method} {request.endpoint}: {changes}; {kept['entries']} entries")

    @staticmethod
    def _rolled_back(connection) -> None:
        connection.info.pop("books", None)


@contextmanager
def kept(portal: Any) -> Iterator[Any]:
    """The portal; in the end each change has written one entry, and each e-mail that waits can be written. Closes its database."""
    books = Books(portal.database)
    yield portal
    unsaid = unwritable(portal.services.sessions, portal.services.vault)
    portal.database.dispose()
    assert books.wrong == [], books.wrong
    assert unsaid == [], unsaid
