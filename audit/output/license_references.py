"""Licences as SPDX writes them in a document: what is not on its list becomes a `LicenseRef-` with its text (2.3, section 10).

Both SBOMs take their licences from here, and the place where the graph of the packages begins.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from audit import display_text
from audit.facts import Text
from audit.licenses.expression import And, Atom, Expression
from audit.licenses.spdx import lists
from audit.output import json_layout
from audit.output.shipped_parts import ordered

UNSAID: Final = "NOASSERTION"  # SPDX's word where nothing is said.
_ODD: Final = re.compile(r"[^A-Za-z0-9.-]+")


def valid(said: Expression | None, texts: Iterable[Text], extracted: dict[str, set[str]]) -> str:
    """The expression with ids of SPDX's list alone; every other licence is a `LicenseRef-` with its text beside it."""
    if said is None:
        return UNSAID
    if isinstance(said, Atom):
        return _valid_atom(said, texts, extracted)
    parts = [valid(part, texts, extracted) for part in said.parts]
    word = "AND" if isinstance(said, And) else "OR"
    inner = [f"({part})" if " AND " in part or " OR " in part else part for part in parts]
    return f" {word} ".join(inner)


def _valid_atom(said: Atom, texts: Iterable[Text], extracted: dict[str, set[str]]) -> str:
    known = lists()
    # AboutCode's exceptions are on our list, and not on SPDX's.
    of_spdx = said.exception is None or (
        said.exception in known.exceptions and not said.exception.startswith("LicenseRef-")
    )
    if said.license in known.licenses and of_spdx:
        return str(said)
    bare = str(said).removeprefix("LicenseRef-")
    safe = _ODD.sub("-", bare).strip("-")
    # A changed name could be that of another licence: the digest tells them apart.
    digest = f"-{json_layout.digest(bare)[:8]}" if safe != bare else ""
    name = f"LicenseRef-{safe[:120]}{digest}"
    found = "\n\n".join(display_text.text(text.text) for text in ordered(texts))
    extracted.setdefault(name, set()).add(found or f"{display_text.line(str(said))}: its text was not found.")
    return name


def entries(needs: Mapping[str, Collection[str]], asked: Collection[str]) -> frozenset[str]:
    """The packages that hang on the repository itself: those it asks for, and what nothing that is reached leads to.

    `needs` has every package, with those that it brings.
    """
    brought = set().union(*needs.values())
    found = {name for name in needs if name in asked or name not in brought}
    reached = _reached(found, needs)
    # Packages in a ring only bring each other: the first by name is taken.
    for name in sorted(needs):
        if name not in reached:
            found.add(name)
            reached |= _reached({name}, needs)
    return frozenset(found)


def _reached(names: Collection[str], needs: Mapping[str, Collection[str]]) -> set[str]:
    found, waiting = set(names), list(names)
    while waiting:
        more = {name for name in needs.get(waiting.pop(), ()) if name not in found}
        found |= more
        waiting += more
    return found
