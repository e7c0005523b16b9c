"""How a table of the records declares its columns for the log: hashed, derived from what is hashed, or free for a reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Table

_INFO = "logged"


@dataclass(frozen=True, slots=True)
class LoggedColumns:
    """The columns of one table; each stands in `hashed`, `present`, `derived` or `free`."""

    hashed: frozenset[str]
    """Their values are in the hash of the row."""

    unless_null: frozenset[str] = frozenset()
    """Those of them that earlier releases did not have: NULL is hashed as if the column were not there."""

    present: Mapping[str, str] = field(default_factory=dict)
    """Only whether there is something is hashed, as the key ring writes them anew; the value says what verifies the rest."""

    derived: Mapping[str, str] = field(default_factory=dict)
    """Not hashed, but verified by what is; the value says how."""

    free: Mapping[str, str] = field(default_factory=dict)
    """Not verified; the value says why nothing is decided from them."""

    sealed: str = ""
    """The one of `present` that the key ring itself encrypts, bound to its place; "" for none."""

    @property
    def columns(self) -> frozenset[str]:
        """All that are declared."""
        return self.hashed.union(self.present, self.derived, self.free)


def logged(
    hashed: str,
    *,
    unless_null: str = "",
    sealed: str = "",
    present: Mapping[str, str] | None = None,
    derived: Mapping[str, str] | None = None,
    free: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """For the end of `__table_args__`: the declaration, `hashed` and `unless_null` as names with blanks between them."""
    of_ring = {sealed: "the key ring encrypts it: it must decrypt in its place"} if sealed else {}
    columns = LoggedColumns(
        frozenset(f"{hashed} {unless_null}".split()),
        frozenset(unless_null.split()),
        {**of_ring, **(present or {})},
        derived or {},
        free or {},
        sealed,
    )
    return {"info": {_INFO: columns}}


def of_table(table: Table) -> LoggedColumns:
    """What the table declares; one without a declaration, such as the log itself, has all its columns hashed."""
    return table.info.get(_INFO) or LoggedColumns(frozenset(table.c.keys()))
