"""Authenticates, for each row of the records, the newest log entry that names it, with a code of the key ring.

The code stands in `row_mac`; write access to the database alone makes none, and `row_check` counts no row without it.
"""

from collections.abc import Iterable

from sqlalchemy import Connection, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from agreements import ledger
from agreements.ledger import RowChange
from agreements.store.tables.declarations import table_of
from agreements.store.tables.ledger_records import RowMac
from agreements.vault import Vault

DELETED = "-"
"""Stands for the hash of a row that its newest entry deleted."""

_FOLLOWED = ("ledger_entry", "followed")
"""Table and key of the row that says how far the log was followed; no entry names it."""

_TABLE = table_of(RowMac)
_KEY = (_TABLE.c.table_name, _TABLE.c.key)


def write(session: Session, vault: Vault, named: Iterable[tuple[int, RowChange]]) -> None:
    """Store the codes of these rows, each once, with the number of the entry that names it."""
    rows = [columns(vault, entry, change) for entry, change in named]
    if not rows:
        return
    insert = (sqlite if session.get_bind().dialect.name == "sqlite" else postgresql).insert(_TABLE)
    new = {column.name: insert.excluded[column.name] for column in _TABLE.c if column not in _KEY}
    # An older entry must not overwrite a newer one: while a log is followed, others append to it.
    change = insert.on_conflict_do_update(index_elements=_KEY, set_=new, where=_TABLE.c.entry <= new["entry"])
    session.connection().execute(change, rows)


def columns(vault: Vault, entry: int, change: RowChange) -> dict[str, object]:
    """The columns of one `RowMac`."""
    ring_key_id, mac = vault.authenticate(message(change.table, change.id, entry, change.sha256))
    found = RowMac(
        table_name=change.table, key=change.id, entry=entry, sha256=change.sha256, ring_key_id=ring_key_id, mac=mac
    )
    return found.model_dump()


def message(table: str, key: str, entry: int, sha256: str | None) -> bytes:
    """The message that a code authenticates; no two rows have the same one."""
    # Canonical JSON: no two lists of parts are spelled alike.
    return ledger.canonical([table, key, entry, sha256 or DELETED])


def followed(connection: Connection) -> int:
    """The number of entries, from the first on, whose rows have codes; newer entries may have theirs, too."""
    wanted = select(_TABLE.c.entry).where(*(column == value for column, value in zip(_KEY, _FOLLOWED, strict=True)))
    return int(connection.execute(wanted).scalar_one_or_none() or 0)


def follow(session: Session, vault: Vault, named: Iterable[tuple[int, RowChange]], size: int) -> None:
    """Keep the codes of what the entries before `size` name; the caller has seen that the log's key signed them."""
    write(session, vault, [*named, (size, RowChange(*_FOLLOWED, None))])
