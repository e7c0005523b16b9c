"""The declarations of tables, one each: what the log hashes, what is sealed, exported, erased and rotated, and how long it is kept.

The log, verification, export, erasure, rotation and retention ask `declared` for the tables that concern them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any, Literal, NamedTuple

from sqlalchemy import Table
from sqlmodel import SQLModel

EMAIL_INDEX = "email"
"""The kind of the blind indexes of addresses in canonical form."""

_INFO = "declaration"
_OF_RING = "the key ring encrypts it: it must decrypt in its place"
_ORDER = [
    "person",
    "signature",
    "withdrawal",
    "proof",
    "company",
    "company_entry",
    "company_manager",
    "domain_claim",
    "enrolment",
    "document",
    "released_text",
    "campaign",
    "erasure",
    "imported",
    "agreement_party",
    "ledger_entry",
    "ledger_checkpoint",
    "ledger_key",
    "override",
    "api_token",
]
"""The order of tables in an export, as it always was; other tables follow by name."""


class BlindIndex(NamedTuple):
    """A column by which another one (`column`, opened if it is sealed) is looked up: its keyed fingerprint, of a `kind`."""

    column: str
    kind: str = EMAIL_INDEX


class RowRetention(NamedTuple):
    """Rows are deleted once the moment in that `column` is longer ago than `span`."""

    column: str
    span: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDeclaration:
    """The declaration of one table. Columns of a logged table are hashed, but for those in `present`, `derived` and `free`."""

    logged: bool = False
    """The log names every row; a row that no entry names was added by tampering with the database."""

    exported: bool = False
    """Each row is exported with what is sealed in it; true of every logged table."""

    unless_null: str = ""
    """A hashed column that earlier releases did not have: NULL is hashed as if the column were not there."""

    present: Mapping[str, str] = field(default_factory=dict)
    """Columns of which only the presence of a value is hashed, as the key ring writes them anew; the text says what verifies the rest."""

    derived: Mapping[str, str] = field(default_factory=dict)
    """Columns that are not hashed, but verified by others; the text says how."""

    free: Mapping[str, str] = field(default_factory=dict)
    """Columns that are not verified; the text says why nothing is decided from them."""

    sealed: str = ""
    """The column that the key ring itself encrypts, bound to its place; "" for none. Other sealed bytes open with the owner's key."""

    indexes: Mapping[str, BlindIndex] = field(default_factory=dict)
    """Columns that are computed again when the current key of the ring changes."""

    forms: Mapping[str, Literal["object", "file", "plain"]] = field(default_factory=dict)
    """The content of bytes: a JSON object, a file, or what was never sealed; all others hold text."""

    secret: frozenset[str] = frozenset()
    """Columns that are keys, or hashes of keys: they are not exported."""

    authenticated: bool = False
    """Each row has a code of its own in the column `mac`, since no log entry names it."""

    erased: Literal["", "person", "account", "part"] = ""
    """The rows that an erasure deletes: a person's; an account's, in any case; or parts, as it says itself."""

    evidence: str = ""
    """A person's row in which this column is set stays while the person is restricted."""

    retention: RowRetention | None = None
    """The time after which rows are deleted; None: they are kept."""

    @property
    def left_out(self) -> frozenset[str]:
        """Columns that mean nothing without the ring's keys, or are keys; what they protect is exported opened."""
        return self.secret | {*self.indexes, "wrapped_key", "ring_key_id"}


def declare(**what: Any) -> dict[str, Any]:
    """For the end of `__table_args__`: the fields of a `TableDeclaration`."""
    # The log is of no use without its rows.
    return {"info": {_INFO: TableDeclaration(**{"exported": what.get("logged", False), **what})}}


def declaration(table: Table) -> TableDeclaration:
    """The table's declaration; a table without one holds nothing that is kept, sealed or of one person."""
    found: TableDeclaration = table.info.get(_INFO, _NOTHING)  # Not every table declares something.
    return found


_NOTHING = TableDeclaration()


def table_of(source: type[SQLModel] | SQLModel | str) -> Table:
    """The table of a model, of a row, or of that name."""
    return SQLModel.metadata.tables[source if isinstance(source, str) else str(source.__tablename__)]


def declared(wanted: Callable[[TableDeclaration], object]) -> dict[type[SQLModel], TableDeclaration]:
    """The tables, among all that were imported, with the declarations that are wanted; parents before children."""
    found = {model: declaration(table_of(model)) for model in _models(SQLModel)}
    return {
        model: found[model]
        for model in sorted(found, key=lambda model: _place(str(model.__tablename__)))
        if wanted(found[model])
    }


def with_data_keys() -> list[Table]:
    """The tables whose rows have data keys of their own, wrapped for the table's name and the row's key."""
    tables = (table for table in SQLModel.metadata.tables.values() if "wrapped_key" in table.c)
    return sorted(tables, key=lambda table: _place(table.name))


def _models(of: type[SQLModel]) -> Iterator[type[SQLModel]]:
    for subclass in of.__subclasses__():
        if hasattr(subclass, "__table__"):
            yield subclass
        yield from _models(subclass)


def _place(name: str) -> tuple[int, str]:
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)  # tables that came later: behind, by name


@dataclass(frozen=True, slots=True)
class LoggedColumns:
    """The columns of one table for the log; each stands in `hashed`, `present`, `derived` or `free`, as `TableDeclaration` explains.

    Of these `unless_null` is left out where NULL; `sealed` is the column that the key ring encrypts, "" for none.
    """

    hashed: frozenset[str]
    unless_null: frozenset[str] = frozenset()
    present: Mapping[str, str] = field(default_factory=dict)
    derived: Mapping[str, str] = field(default_factory=dict)
    free: Mapping[str, str] = field(default_factory=dict)
    sealed: str = ""


@cache
def of_table(table: Table) -> LoggedColumns:  # asked for each row that is hashed
    """The columns as the log hashes them; of a table that is not logged, such as the log itself, all."""
    said = declaration(table)
    if not said.logged:
        return LoggedColumns(frozenset(table.c.keys()))
    present = {**({said.sealed: _OF_RING} if said.sealed else {}), **said.present}
    indexes = {name: _computed(index) for name, index in said.indexes.items()}
    derived = {**indexes, **said.derived}
    hashed = set(table.c.keys()) - {*present, *derived, *said.free}
    return LoggedColumns(
        frozenset(hashed), frozenset(said.unless_null.split()), present, derived, said.free, said.sealed
    )


def _computed(index: BlindIndex) -> str:
    return f"computed again, with the key ring, from the {'address' if index.kind == EMAIL_INDEX else 'hash'}"
