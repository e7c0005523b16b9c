"""A second verifier of the log of records, written from docs/reference/ledger.md and its tables alone: it imports nothing of the project.

python tests/tampering/second_verifier.py sqlite:///FILE|postgresql://… [KEY]    (KEY: what `countersign ledger key` printed)
It needs no key ring, so it does not see what only the ring can see; the page says what that is.
"""

import base64
import csv
import hashlib
import json
import re
import sqlite3
import sys
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

COLUMNS = Path(__file__).parents[2] / "docs" / "reference" / "ledger-columns.csv"
ENTRY = {
    "number": "number", "id": "text", "at": "moment", "kind": "text", "actor_id": "number", "subject_kind": "text",
    "subject_id": "text", "rows": "text", "commitment": "text", "detail": "bytes",
}  # fmt: skip
CHECKPOINT = {"size": "number", "root": "text", "frontier": "text", "signature": "bytes"}
NAMES_PEOPLE = ["ledger_entry", "person", None]
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}", re.ASCII)


class Wrong(Exception):
    """Something is not what the log says."""


class Database:
    """Rows of one of the two databases; values in any form that the page does not name are refused."""

    def __init__(self, connection):
        self.connection, self.is_sqlite = connection, isinstance(connection, sqlite3.Connection)

    def rows(self, table, kinds, order):
        """Each row of the table by column, as JSON takes it; None, and no more, from one on that cannot be read."""
        names = list(kinds)
        listed = ", ".join(f'"{name}"' for name in names)
        try:
            for row in self.connection.execute(f'SELECT {listed} FROM "{table}" ORDER BY {order}'):
                yield {name: self._plain(value, kinds[name]) for name, value in zip(names, row, strict=True)}
        except Exception:  # noqa: BLE001 - ValueError is ours; for text that is no UTF-8 each driver has errors of its own
            if not self.is_sqlite:
                self.connection.rollback()
            yield None

    def _plain(self, value, kind):
        if value is None:
            return None
        types = {"text": str, "bytes": bytes, "number": int, "moment": str if self.is_sqlite else datetime,
                 "true or false": int if self.is_sqlite else bool}  # fmt: skip
        if type(value) is not types[kind]:
            raise ValueError(kind)
        if kind == "bytes":
            return value.hex()
        if kind == "true or false":
            return {0: False, 1: True}[value]
        if kind != "moment":
            return value
        if not self.is_sqlite:
            return value.astimezone(UTC).isoformat(timespec="microseconds")
        if not MOMENT.fullmatch(value):
            raise ValueError(kind)
        return value.replace(" ", "T") + "+00:00"


def canonical(value):
    """Sorted keys, no blanks, UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sha256(content):
    """In hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def is_signed(public, signed):
    """Whether the log's key signed that root."""
    origin = f"countersign-ledger/{sha256(public)[:16]}"
    try:
        body = f"{origin}\n{signed['size']}\n{base64.b64encode(bytes.fromhex(signed['root'])).decode()}\n"
        Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(signed["signature"]), body.encode())
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True


def follow_log(database, public):
    """The entries, each verified with the signed root after it. Raises Wrong."""
    frontier, previous, entries = [], "", []
    entries_and_roots = zip_longest(
        database.rows("ledger_entry", ENTRY, "number"), database.rows("ledger_checkpoint", CHECKPOINT, "size")
    )
    for number, (entry, signed) in enumerate(entries_and_roots):
        if entry is None or signed is None or entry["number"] != number or signed["size"] != number + 1:
            raise Wrong(f"entry {number}: it, or the signed root after it, is missing or cannot be read")
        leaf, size = hashlib.sha256(b"\x00" + canonical({**entry, "previous": previous})).digest(), number
        while size & 1:
            leaf, size = hashlib.sha256(b"\x01" + frontier.pop() + leaf).digest(), size >> 1
        frontier.append(leaf)
        root = frontier[-1]
        for left in reversed(frontier[:-1]):
            root = hashlib.sha256(b"\x01" + left + root).digest()
        if signed["root"] != root.hex() or signed["frontier"] != ",".join(part.hex() for part in frontier):
            raise Wrong(f"entry {number}: it was changed, or the root after it")
        if not is_signed(public, signed):
            raise Wrong(f"entry {number}: the root after it was not signed by the key of this log")
        previous = sha256("".join(f"{signed[name]}\n" for name in CHECKPOINT).encode())
        entries.append(entry)
    return entries


def tables(listed):
    """Each table of the records with its columns: name → (kind of value, what is hashed), and its key, as they are listed."""
    found, keys = {}, {}
    for table, column, kind, hashed, _ in list(csv.reader(listed.splitlines()))[1:]:
        found.setdefault(table, {})[column] = (kind.removesuffix(", key"), hashed)
        if kind.endswith(", key"):
            keys.setdefault(table, []).append(column)
    return found, keys


def hashes(columns, row):
    """The hashes that the row may have: the second is that of first entries, which left out what is marked so."""
    values = {}
    for name, (_, hashed) in columns.items():
        if hashed.startswith("presence"):
            values[name] = bool(row[name])
        elif hashed == "value" or (hashed == "value unless NULL" and row[name] is not None):
            values[name] = row[name]
    early = {name: value for name, value in values.items() if not columns[name][1].endswith("not in the first entries")}
    return {sha256(canonical(values)), sha256(canonical(early))}


def compare(database, table, columns, key, newest):
    """What is wrong with the rows of a table, given the newest word on each."""
    expected = {row_id: sha for (kind, row_id), sha in newest.items() if kind == table}
    kinds = {name: kind for name, (kind, hashed) in columns.items() if not hashed.startswith("no")}
    seen, unreadable = set(), False
    for row in database.rows(table, kinds, ", ".join(f'"{name}"' for name in key)):
        if row is None:
            unreadable = True
            yield f"a row of {table} cannot be read, or holds what it never holds"
            continue
        row_id = "|".join(str(row[name]) for name in key)
        seen.add(row_id)
        if row_id not in expected:
            yield f"the row {table} {row_id} was added: no entry names it"
        elif expected[row_id] is None:
            yield f"the row {table} {row_id} that was deleted is there"
        elif expected[row_id] not in hashes(columns, row):
            yield f"the row {table} {row_id} was changed"
    for row_id in sorted(expected.keys() - seen) if not unreadable else ():
        if expected[row_id] is not None:
            yield f"the row {table} {row_id} was removed"


def findings(connection, listed, known=None):
    """Everything that is wrong, in words; `known` is the public key as the operator published it."""
    database = Database(connection)
    keys = list(database.rows("ledger_key", {"id": "text", "public_key": "bytes"}, "id"))
    public = {row["id"]: bytes.fromhex(row["public_key"] or "") for row in keys if row}.get("checkpoint", b"")
    if known is not None and base64.b64decode(known.rsplit("+", 1)[1])[1:] != public:
        return ["entry 0: the key of the log was exchanged"]
    try:
        entries = follow_log(database, public)
    except Wrong as wrong:
        return [str(wrong)]
    if public and not entries:
        return ["entry 0: it is missing: the log has its key and no entry"]
    named = [word for entry in entries for word in json.loads(entry["rows"])]
    newest = {(table, row_id): sha for table, row_id, sha in named}
    columns, key = tables(listed)
    if entries and NAMES_PEOPLE not in named:
        del columns["person"]  # a log of an earlier release, which did not name people yet
    return [finding for table in columns for finding in compare(database, table, columns[table], key[table], newest)]


def main(url, known=None):
    """0 when all is as the log says, 1 with what is not."""
    if url.startswith("sqlite:///"):
        connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    else:
        import psycopg

        connection = psycopg.connect(url)
    found = findings(connection, COLUMNS.read_text(encoding="utf-8"), known)
    print("\n".join(found) or "verified")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
