"""A Repository as bytes and back, exactly: what was learned of it is kept, and judged again without reading it again.

The form knows the shape of the nouns (`SHAPE`): what an older release wrote, whose nouns were others, is refused and so read
anew, never understood halfway. A text that comes with many dependencies is written once.
"""

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from typing import Any, Final, TypeVar

from audit.facts import (
    Checksum,
    Delivery,
    Dependency,
    Finding,
    Learned,
    Place,
    Repository,
    Source,
    Text,
    Unknown,
    Usage,
)

MOST: Final = 64 * 2**20
"""Bytes, packed. A repository whose texts make more is kept without them."""
_LEVEL: Final = 3  # of zlib: a third less time than its default, a seventh more space
_NAMES: Final = {
    noun: tuple(each.name for each in fields(noun))
    for noun in (Repository, Dependency, Learned, Place, Text, Finding, Checksum)
}
SHAPE: Final = sha256(repr([(noun.__name__, names) for noun, names in _NAMES.items()]).encode()).hexdigest()[:16]
"""Of which nouns the form is made."""
_Noun = TypeVar("_Noun")


class CannotUnpack(ValueError):
    """These bytes are no repository as this release knows it: it has to be read again."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a repository: what was learned, and its own rulebook (None: it has none)."""

    repository: Repository
    rulebook: str | None = None


def pack(kept: Kept, most: int = MOST) -> bytes:
    """The bytes; without the texts, which a finding says, where they would be more than `most`."""
    packed = _packed(kept)
    return packed if len(packed) <= most else _packed(replace(kept, repository=_bare(kept.repository)))


def unpack(packed: bytes) -> Kept:
    """What was packed. Raises CannotUnpack."""
    try:
        shape, repository, rulebook, texts = json.loads(zlib.decompress(packed))
        if shape == SHAPE:
            return Kept(_Reading(texts).repository(repository), rulebook)
    except (zlib.error, ValueError, TypeError, IndexError) as error:
        raise CannotUnpack(f"it is damaged: {type(error).__name__}") from None
    raise CannotUnpack("it was written by another release")


def _packed(kept: Kept) -> bytes:
    texts: dict[str, int] = {}
    body = [SHAPE, _plain(kept.repository, texts), kept.rulebook]
    return zlib.compress(json.dumps([*body, list(texts)], separators=(",", ":")).encode(), _LEVEL)


def _plain(value: Any, texts: dict[str, int]) -> Any:
    """A noun as the list of its fields, a text by its number."""
    if isinstance(value, Text):
        return [value.path, texts.setdefault(value.text, len(texts)), value.sha256]
    if is_dataclass(value):
        return [_plain(getattr(value, name), texts) for name in _NAMES[type(value)]]  # type: ignore[index]  # a noun
    return [_plain(one, texts) for one in value] if isinstance(value, tuple) else value


def _bare(repository: Repository) -> Repository:
    said = "its licence texts and notices are too much to be kept: they are missing in what is written of it"
    dependencies = tuple(replace(one, licenses=(), notices=()) for one in repository.dependencies)
    findings = (*repository.findings, Finding("tree/cut-short", Place("."), said))
    return replace(repository, dependencies=dependencies, findings=findings, licenses=(), notices=())


@dataclass(frozen=True, slots=True)
class _Reading:
    """Lists become the nouns that they were."""

    texts: list[str]

    def repository(self, row: Any) -> Repository:
        return _noun(
            Repository,
            row,
            license=self._learned,
            delivery=Delivery,
            dependencies=_each(self._dependency),
            findings=_each(lambda one: _noun(Finding, one, place=_place)),
            licenses=_each(self._text),
            notices=_each(self._text),
        )

    def _dependency(self, row: Any) -> Dependency:
        return _noun(
            Dependency,
            row,
            usage=Usage,
            license=self._learned,
            places=_each(_place),
            licenses=_each(self._text),
            notices=_each(self._text),
            checksums=_each(lambda one: _noun(Checksum, one)),
            needs=tuple,
        )

    def _learned(self, row: Any) -> Learned:
        return _noun(
            Learned,
            row,
            source=Source,
            place=lambda one: None if one is None else _place(one),
            unknown=lambda one: None if one is None else Unknown(one),
        )

    def _text(self, row: Any) -> Text:
        return _noun(Text, row, text=self.texts.__getitem__)


def _place(row: Any) -> Place:
    return _noun(Place, row)


def _noun(kind: type[_Noun], row: Any, **parts: Callable[[Any], object]) -> _Noun:
    """The noun whose fields these are, in order; `parts` are those that are more than they look."""
    values = dict(zip(_NAMES[kind], row, strict=True))  # type: ignore[index]  # a noun
    return kind(**{name: parts[name](value) if name in parts else value for name, value in values.items()})


def _each(part: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda rows: tuple(map(part, rows))
