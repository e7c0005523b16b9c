"""Authenticates rows that live for minutes or days, so that no log entry names them, and deletes them at their end.

The code in the column `mac` covers every other column but one that the key ring itself seals: write access to the
database alone neither makes nor changes such a row.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, Protocol

from sqlalchemy import Table, delete, func, select, update
from sqlmodel import Session, SQLModel

from agreements import ledger
from agreements.store.tables.declarations import declaration, declared, table_of
from agreements.vault import Vault

BATCH_ROWS = 1000
"""Rows that get new codes in one transaction."""


RefusalReason = Literal["no-code", "wrong-code", "unknown-key", "unlogged"]


class RowRefused(Exception):
    """A row that opens and proves nothing. `row`: its key, None where that is a secret's hash.

    `why`: it has no code (`no-code`), its code does not fit (`wrong-code`), the key ring lacks the key that made it
    (`unknown-key`), or the log says otherwise (`unlogged`).
    """

    def __init__(self, table: str, row: str | None, why: RefusalReason) -> None:
        self.table, self.row, self.why = table, row, why
        super().__init__(f"a row of {table} is refused: {why}")


class TransientRow(Protocol):
    """A row with a code (`mac`); None in rows of releases that made none."""

    mac: str | None


def authenticate(vault: Vault, row: TransientRow) -> None:
    """Give the row its code: after its last change, in the same transaction."""
    row.mac = _code(vault, _message(row))


def is_authentic(vault: Vault, row: TransientRow) -> bool:
    """Whether a key of the ring made the row's code, for the row as it is."""
    key_id, _, code = (row.mac or "").partition(":")
    return vault.is_authentic(key_id, code, _message(row))


def check(vault: Vault, row: TransientRow, *, secret_key: bool = False) -> None:
    """Raises RowRefused unless the row is authentic; `secret_key` keeps its key out of what is said."""
    if is_authentic(vault, row):
        return
    why: RefusalReason = "wrong-code" if row.mac else "no-code"
    if row.mac and row.mac.partition(":")[0] not in vault.ids:  # A retired key is told apart from a forgery.
        why = "unknown-key"
    raise RowRefused(_table(row).name, None if secret_key else _key(row), why)


def authenticate_anew(
    session: Session, vault: Vault, model: type[SQLModel], after: str | None
) -> tuple[int, str | None]:
    """Make codes with the current key for one lot of rows behind `after`; how many, and the last key or None."""
    table = table_of(model)
    (key,) = table.primary_key.columns
    query = select(model).where(key > (after or ""), table.c.mac.is_not(None)).order_by(key).limit(BATCH_ROWS)
    found, moved = session.scalars(query).all(), 0
    for row in found:
        old, mine = row.mac, _key(row)  # type: ignore[attr-defined]  # the caller names tables that have it
        if old.startswith(f"{vault.ids[0]}:"):
            continue
        # A code that no key of the ring made is taken away: the row opens nothing with it or without it.
        new = _code(vault, _message(row)) if is_authentic(vault, row) else None  # type: ignore[arg-type]  # as above
        # Only where the row is as it was read: a process that changed it since gave it a code of the current key.
        session.execute(update(table).where(key == mine, table.c.mac == old).values(mac=new))
        moved += 1
    return moved, _key(found[-1]) if found else None


def authenticated_by(session: Session, model: type[SQLModel]) -> Mapping[str, int]:
    """The number of rows whose codes each key of the ring made."""
    mac = table_of(model).c.mac
    is_sqlite = session.get_bind().dialect.name == "sqlite"
    key_id = func.substr(mac, 1, func.instr(mac, ":") - 1) if is_sqlite else func.split_part(mac, ":", 1)
    rows = session.execute(select(key_id, func.count()).where(mac.is_not(None)).group_by(key_id))
    return {str(name): int(count) for name, count in rows}


def purge(session: Session, *, at: datetime) -> int:
    """Delete the rows whose retention, as their tables declare it, is over; the number of rows."""
    deleted = 0
    for model, said in declared(lambda said: said.retention).items():
        assert said.retention is not None
        table, (column, span) = table_of(model), said.retention
        gone = session.execute(delete(table).where(table.c[column] <= at - span))
        deleted += int(getattr(gone, "rowcount", 0))
    return deleted


def _code(vault: Vault, message: bytes) -> str:
    return ":".join(vault.authenticate(message))


def _message(row: object) -> bytes:
    table = _table(row)
    # What the ring seals is bound to its row already, and a rotation seals it anew.
    left_out = {"mac", declaration(table).sealed}
    values = {name: getattr(row, name) for name in set(table.c.keys()) - left_out}
    # The prefix keeps these codes apart from those in `row_mac`, whose messages are JSON lists.
    return f"transient|{table.name}|{ledger.row_hash(values)}".encode()


def _key(row: object) -> str:
    (key,) = _table(row).primary_key.columns
    return str(getattr(row, key.name))


def _table(row: object) -> Table:
    return table_of(row)  # type: ignore[arg-type]  # a row of a table model
