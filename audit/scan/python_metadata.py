"""Python's core metadata: its header fields, and the licence that a distribution declares by them.

The same order counts for PyPI's JSON and for METADATA or PKG-INFO of an installed tree, since both hold the same fields.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from audit.licenses.aliases import FAMILIES
from audit.licenses.declared_license import NO_LICENSE_NAME, DeclaredLicense, joined, known, single, together
from audit.licenses.expression import atoms
from audit.licenses.expression import read as expression
from audit.licenses.spdx import data_file

_LICENSE: Final = "License :: "
# Words that stand in `License` where the author states none.
_NOTHING: Final = frozenset({"", "unknown", "none", "n/a", "other", "other/proprietary license"})
_DUAL: Final = frozenset({"dual license", "dual licensed", "dual-licensed", "dual licence", "dual"})
ONE_OF_THEM: Final = "“dual license” by its authors: one of them may be chosen"
_FIELD: Final = re.compile(r"([A-Za-z][A-Za-z-]{0,60}):[ \t]*+([^\n]*+)")
# By the last part of a Trove classifier, where its name alone would not tell (None: it fits several licences).
_TROVE: Final[Mapping[str, str | None]] = data_file("trove-licenses.json")


class MetadataHeader(NamedTuple):
    """One field of the metadata: its `name`, its whole `value`, and the `line` where it begins (from 1)."""

    name: str
    value: str
    line: int


def headers(content: str) -> Iterator[MetadataHeader]:
    """The fields up to the first empty line; a line that begins with a space goes on with the field before."""
    name, value, begun = "", [""], 0
    for number, raw in enumerate([*content.split("\n"), ""], 1):  # The last field ends with the text.
        line = raw.rstrip("\r")
        if name and line[:1] in {" ", "\t"}:
            value.append(line.strip())
            continue
        if name:
            yield MetadataHeader(name, "\n".join(value).strip(), begun)
        found = _FIELD.fullmatch(line)
        name, value, begun = (found[1], [found[2].strip()], number) if found else ("", [""], number)
        if not line:
            return


def declared(expressed: object, free: object, classifiers: Sequence[object]) -> DeclaredLicense:
    """The licence by `License-Expression`, the free text of `License`, and all classifiers."""
    stated = single(expressed)
    if stated.expression:
        return stated
    every = [text for text in classifiers if isinstance(text, str) and text.startswith(_LICENSE)]
    named = [text.removeprefix(_LICENSE).rpartition("OSI Approved")[2].removeprefix(" :: ") for text in every]
    # What a classifier means: a licence, a family, or None if it fits several. "OSI Approved" alone names none.
    found = [
        _TROVE[text] if text in _TROVE else known(text.rpartition(" :: ")[2]) for text in dict.fromkeys(named) if text
    ]
    # A lone classifier of one licence goes before the free text, one that fits several (`BSD License`) behind it.
    if len(found) == 1 and found[0] and not _is_family(found[0]):
        return DeclaredLicense(found[0])
    plain = " ".join(free.split()).casefold() if isinstance(free, str) and len(free) < 100 else None
    # It is not known how several classifiers relate, unless the text says that one may be chosen.
    if plain in _DUAL and len(found) > 1 and all(found):
        return DeclaredLicense(joined("OR", [name for name in found if name]), ONE_OF_THEM)
    text = known(free)
    if text:
        return DeclaredLicense(text)
    if found:
        return together(found)
    return NO_LICENSE_NAME if free and plain not in _NOTHING else stated


def _is_family(text: str) -> bool:
    found = expression(text)
    return found is None or any(atom.license in FAMILIES for atom in atoms(found))
