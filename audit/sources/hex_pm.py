"""What hex.pm says of an Elixir or Erlang package's licences: one list for all versions."""

from dataclasses import replace
from typing import Any, Final

from audit.licenses.declared_license import Stated, together
from audit.sources.answers import rows, table

OF_ALL: Final = "said of the package, not of this version"


def path(name: str, _version: str) -> tuple[str, ...]:
    """A package; its versions have no licences of their own there."""
    return ("api", "packages", name)


def read(answer: dict[str, Any]) -> Stated:
    """The `licenses` of its metadata, which are those of the newest version; how several relate nobody says, so all count."""
    stated = together(rows(table(answer.get("meta")).get("licenses")))
    if stated.expression is None:
        return stated
    return replace(stated, note=f"{stated.note}; {OF_ALL}" if stated.note else OF_ALL)
