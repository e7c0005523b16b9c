"""Takes into the log what releases before did not name: the rows of people, and since when a domain's DNS record is missing.

What they were before that nobody can say. It is done once. For a day after it is done again for what processes of the
release before wrote beside those of this one; from then on such a row is one that somebody tampered with. Only an operator
with the key ring begins such a day again, after the release before ran once more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, or_, select
from sqlmodel import Session, SQLModel, col
from sqlmodel import select as select_rows

from agreements import ledger as arithmetic
from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import SERVER, Change
from agreements.store.ledger.legacy_import import ADOPTED
from agreements.store.ledger.row_check import row_key, unlogged
from agreements.store.lookup.keys import text_chunks
from agreements.store.tables.company_records import DomainClaim
from agreements.store.tables.declarations import table_of
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import PersonRecord
from agreements.vault import Vault

UPGRADE_WINDOW = timedelta(hours=24)
"""How long after the first time rows are still taken in: as long as processes of the release before may run."""

_LOT_ROWS = 2000
ROWS: Mapping[type[SQLModel], Sequence[ColumnElement[bool]]] = {
    PersonRecord: (),
    DomainClaim: (col(DomainClaim.missing_since).is_not(None),),
}
"""The tables with rows that releases before did not name, or hashed otherwise, and which of their rows may be such."""

NOT_HASHED_BEFORE: Mapping[str, str] = {"domain_claim": "missing_since"}
"""The column of a table that releases before did not hash where it was set."""

_MARK = arithmetic.rows_text([ledger.names_people()])[1:-1]


@dataclass(frozen=True, slots=True)
class NamesPeople:
    """The newest entry that says so; `began_so`: the log began with it, so nothing is taken in."""

    number: int
    at: datetime
    began_so: bool

    def is_open(self, at: datetime) -> bool:
        """Whether rows are still taken in at that moment."""
        return not self.began_so and at < self.at + UPGRADE_WINDOW


def since(connection: Connection) -> NamesPeople | None:
    """Since when the log names people; None for one of a release before, into which they were not taken yet."""
    number, kind = col(LedgerEntry.number), col(LedgerEntry.kind)
    query = (
        select(number, col(LedgerEntry.at))
        .where(or_(number == 0, kind == ADOPTED), col(LedgerEntry.rows).contains(_MARK, autoescape=True))
        .order_by(number.desc())
        .limit(1)
    )
    found = connection.execute(query).one_or_none()
    return None if found is None else NamesPeople(found[0], found[1], began_so=found[0] == 0)


def is_needed(connection: Connection, at: datetime) -> bool:
    """Whether there is a log into which rows are to be taken at that moment."""
    mark = since(connection)
    if mark is not None:
        return mark.is_open(at)
    return connection.execute(select(col(LedgerEntry.number)).limit(1)).first() is not None


def take_in(
    session: Session, vault: Vault, model: type[SQLModel], after: str, *, at: datetime, new_id: str
) -> tuple[str | None, int]:
    """Name the next rows of a table of `ROWS` that are not as the log says: the last key that was looked at, and how many.

    No key says that none is left. `after` is the key up to which rows were looked at. One transaction a call, as others
    wait for the log meanwhile. The codes of rows must have been made (`agreements.store.integrity.mac_catch_up`).
    """
    connection, table = session.connection(), table_of(model)
    ledger.lock(session)
    if not is_needed(connection, at):  # another process was quicker
        return None, 0
    key, such = row_key(table), ROWS[model]
    query = select(key).where(key > after, *such).order_by(key).limit(_LOT_ROWS)
    keys = [one for one in connection.execute(query).scalars() if one.strip()]
    rows = [
        row
        for chunk in text_chunks(unlogged(session, vault, model, keys))
        for row in session.exec(select_rows(model).where(key.in_(chunk)))
    ]
    if rows:
        ledger.append(session, vault, _change(rows), at=at, new_id=new_id)
    return keys[-1] if keys else None, len(rows)


def finish(session: Session, vault: Vault, *, at: datetime, new_id: str, anew: bool = False) -> None:
    """All was looked at: say in the log that it names people from now on, once; or (`anew`) that rows are taken in again."""
    ledger.lock(session)
    if anew or (is_needed(session.connection(), at) and since(session.connection()) is None):
        ledger.append(session, vault, _change([]), at=at, new_id=new_id)


def _change(rows: Sequence[SQLModel]) -> Change:
    """The entry; one without rows is that from which on the log names people."""
    mark = ledger.names_people()
    deleted = [] if rows else [(mark.table, mark.id)]
    return Change(kind=ADOPTED, actor_id=None, subject=SERVER, rows=rows, deleted=deleted, details={"rows": len(rows)})
