"""Licences that metadata and registries declare for a package: a stranger's words, read within bounds, or nothing."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from audit.licenses.aliases import FAMILIES
from audit.licenses.aliases import known as ids
from audit.licenses.expression import MAX_USUAL_CHARACTERS, atoms, read

_MAX_DECLARED_LICENSES: Final = 20  # Licences that one package may list; more are no statement.
NO_ID: Final = "non-standard"
"""The word of crates.io and deps.dev for a licence that has no id."""
ALL_OF_THEM: Final = "lists several licences, but not how they relate: all of them apply"
UNREADABLE: Final = "the stated licence cannot be read"
"""The note of a statement that is there and names no licence."""


@dataclass(frozen=True, slots=True)
class DeclaredLicense:
    """A licence as it is stated (`expression`; None: none is that can be read), and a `note` on that."""

    expression: str | None = None
    note: str = ""


NOTHING_STATED: Final = DeclaredLicense()
"""Nothing is stated."""
NO_LICENSE_NAME: Final = DeclaredLicense(None, UNREADABLE)
"""Something is stated, and it is no licence's name."""


def words(value: object) -> str | None:
    """A licence in the words in which it is stated; None for no text, a very long one, or one that names no licence."""
    if not isinstance(value, str) or len(value) > MAX_USUAL_CHARACTERS:
        return None
    plain = " ".join(value.split())
    if plain.casefold() == NO_ID or not plain.isprintable():  # JSON may hold half of a surrogate pair.
        return None
    return plain if read(plain) is not None else None


def known(value: object) -> str | None:
    """A licence in free text: every name in it must be that of a licence, or of a family of licences; else None."""
    plain = words(value)
    found = read(plain)
    # An unknown id is just a word in free text.
    if found is None or any(atom.license not in ids() and atom.license not in FAMILIES for atom in atoms(found)):
        return None
    return plain


def single(value: object) -> DeclaredLicense:
    """A licence that is stated in one piece; an empty one states nothing."""
    if not value:
        return NOTHING_STATED
    plain = words(value)
    return NO_LICENSE_NAME if plain is None else DeclaredLicense(plain)


def together(values: Iterable[object]) -> DeclaredLicense:
    """Several licences whose relation is not stated: all count, so that nothing passes which should not."""
    found: list[str] = []
    for value in values:
        plain = words(value)
        if plain is None or len(found) >= _MAX_DECLARED_LICENSES:
            return NO_LICENSE_NAME  # One that cannot be read may be the one that matters.
        if plain not in found:
            found.append(plain)
    if len(found) < 2:
        return DeclaredLicense(found[0]) if found else NOTHING_STATED
    return DeclaredLicense(joined("AND", found), ALL_OF_THEM)


def joined(operator: str, names: list[str]) -> str | None:
    """Several licences as one expression."""
    # Each in SPDX's spelling: names of several words would run together.
    spelled = [str(read(name)) for name in names]
    return words(f" {operator} ".join(f"({expression})" if " " in expression else expression for expression in spelled))
