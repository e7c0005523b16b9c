"""Every way to change one row of a logged table: each column to another valid value and to NULL, two rows' values exchanged, the row removed, copied."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Boolean, Integer, LargeBinary, Table, create_engine, text

from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import of_table

CHOICES = {
    ("company", "domains"): ("linked", "enrolled"),
    ("company_entry", "kind"): ("domain", "email", "account"),
    ("domain_claim", "how"): ("dns", "administrator"),
    ("agreement_party", "how"): ("derived", "administrator", "recorded"),
    ("override", "kind"): ("cla", "dco"),
}
"""The values of columns that the database itself checks."""
UNCHECKED = {
    "sqlite": "PRAGMA ignore_check_constraints = ON",
    "postgresql": "SET LOCAL session_replication_role = replica",
}
"""What a transaction begins with that the database itself is not to refuse."""
_FREEING = {
    "sqlite": "SELECT 'DROP TRIGGER ' || name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint"
    " WHERE contype = 'c' AND connamespace = 'public'::regnamespace",
}
SOME_MOMENT = datetime(2026, 6, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Attack:
    """What is done to a table: its rows before and after; `column` is the one that was changed, "" for whole rows."""

    table: Table
    column: str
    what: str
    before: tuple[dict, ...]
    rows: tuple[dict, ...]

    def __str__(self):
        return f"{self.table.name}.{self.column} {self.what}"

    @property
    def is_free(self):
        """Whether the table declares that this column is not verified."""
        return self.column in of_table(self.table).free

    @property
    def is_for_the_ring(self):
        """Whether only the key ring can see it: the column is derived, or there is something else in it than before."""
        declared = of_table(self.table)
        return self.column in declared.derived or (
            self.column in declared.present and self._presence(self.before) == self._presence(self.rows)
        )

    def _presence(self, rows):
        return {row["id"]: bool(row[self.column]) for row in rows}


class Place:
    """A database on which the attacker has all rights: no trigger, foreign key or check of a value is in the way."""

    def __init__(self, engine):
        self.engine = create_engine(engine.url)
        with self.engine.begin() as connection:
            for (statement,) in connection.execute(text(_FREEING[engine.dialect.name])).all():
                connection.execute(text(statement))

    def rows(self, table):
        """All rows of the table by column, as SQLAlchemy reads them."""
        with self.engine.connect() as connection:
            found = connection.execute(table.select().order_by(*table.primary_key.columns))
            return tuple(dict(row) for row in found.mappings())

    def write(self, table, rows):
        """Put these rows in place of all of the table. Raises the driver's error where the database itself refuses them."""
        with self.engine.begin() as connection:
            connection.execute(text(UNCHECKED[self.engine.dialect.name]))
            connection.execute(table.delete())
            connection.execute(table.insert(), list(rows))


def attacks(table, rows, *, one_row=False):
    """All attacks on the rows of one table; with `one_row` each column is changed in one of them, another for each column."""
    assert len(rows) > 1, f"the history leaves {table.name} without two rows"
    for number, row in enumerate(rows):
        others = rows[:number] + rows[number + 1 :]
        yield Attack(table, "", f"row {number} removed", rows, others)
        yield Attack(table, "", f"row {number} copied", rows, (*rows, _copy(table, row)))
        for column in list(table.c)[number :: len(rows)] if one_row else table.c:
            changed = {**row, column.name: _other(column, row[column.name])}
            yield Attack(table, column.name, f"of row {number} changed", rows, (*others, changed))
            if row[column.name] is not None and column.nullable:
                without = {**row, column.name: None}
                yield Attack(table, column.name, f"of row {number} NULL", rows, (*others, without))
    yield from _exchanges(table, rows)


def _exchanges(table, rows):
    """The values of each column of the first two rows that differ in it."""
    for column in table.c:
        pairs = ((row, other) for row in rows for other in rows if row[column.name] != other[column.name])
        first, second = next(pairs, (None, None))
        if first is not None:
            left = tuple(row for row in rows if row not in (first, second))
            new = ({**first, column.name: second[column.name]}, {**second, column.name: first[column.name]})
            yield Attack(table, column.name, "of two rows exchanged", rows, (*left, *new))


def _copy(table, row):
    """The row under a key of its own, and another value wherever none may be twice."""
    unique = {column.name for column in table.c if column.unique or column.primary_key}
    unique |= {column.name for index in table.indexes if index.unique for column in index.columns}
    return {name: _other(table.c[name], value) if name in unique and value else value for name, value in row.items()}


def _other(column, value):
    """Another value that the column may have."""
    choices = CHOICES.get((column.table.name, column.name), ())
    if choices:
        return next(choice for choice in choices if choice != value)
    if isinstance(column.type, Moment):
        return SOME_MOMENT if value is None else value + timedelta(seconds=1)
    if isinstance(column.type, Boolean):
        return not value
    if isinstance(column.type, Integer | BigId):
        return (value or 0) + 1000
    if isinstance(column.type, LargeBinary):
        return b"x" if not value else value[:-1] + bytes([value[-1] ^ 1])
    return f"{value or ''}x"
