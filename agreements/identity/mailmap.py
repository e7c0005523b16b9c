"""The project's own list of who is who: a `.mailmap`, read as git reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from agreements.facts import Identity

_Key = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Mailmap:
    """Replacements by name and address, or by address alone; keys are lower-cased like git's."""

    replacements: Mapping[_Key, tuple[str | None, str | None]]

    def resolve(self, who: Identity) -> Identity:
        """The identity that the project gives this one; unchanged when the file does not name it."""
        email = who.email.casefold()
        found = self.replacements.get((who.name.casefold(), email)) or self.replacements.get((None, email))
        if found is None:
            return who
        name, address = found
        return Identity(who.name if name is None else name, who.email if address is None else address)


@lru_cache(maxsize=64)
def read(text: str) -> Mailmap:
    """The replacements of a `.mailmap`; lines that are not of its four forms change nothing (gitmailmap(5))."""
    replacements: dict[_Key, tuple[str | None, str | None]] = {}
    for line in text.split("\n"):
        first, rest = _piece(line.partition("#")[0])
        if first is None:
            continue
        second, _ = _piece(rest)
        old, address = (None, first[1]) if second is None else second, None if second is None else first[1]
        key = (old[0].casefold() if old[0] else None, old[1].casefold())
        before = replacements.get(key, (None, None))
        replacements[key] = (first[0] or before[0], address or before[1])
    return Mailmap(replacements)


def _piece(text: str) -> tuple[tuple[str, str] | None, str]:
    """`Name <address>` at the start of the text, and what follows."""
    name, bracket, rest = text.partition("<")
    email, end, rest = rest.partition(">")
    if not bracket or not end or not email.strip():
        return None, ""
    return (name.strip(), email.strip()), rest
