"""A Repository as bytes and back, exactly: what was learned of it is kept, and judged again without reading it again.

The form knows the shape of the nouns (`SHAPE`): what an older release wrote, whose nouns were others, is refused and so read
anew, never understood halfway. A text that comes with many dependencies is written once.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from typing import Any, Final, TypeAlias

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

MAX_PACKED_BYTES: Final = 64 * 2**20  # Bytes, packed. A repository whose texts make more is kept without them.
_COMPRESSION_LEVEL: Final = 3  # Of zlib: a third less time than its default, a seventh more space.
_NAMES: Final[Mapping[type, tuple[str, ...]]] = {
    noun: tuple(each.name for each in fields(noun))
    for noun in (Repository, Dependency, Learned, Place, Text, Finding, Checksum)
}
SHAPE: Final = sha256(repr([(noun.__name__, names) for noun, names in _NAMES.items()]).encode()).hexdigest()[:16]
"""The digest of the nouns and their fields, of which the form is made."""


class CannotUnpack(ValueError):
    """The bytes are no repository as this release knows it: it has to be read again."""


@dataclass(frozen=True, slots=True)
class RepositorySnapshot:
    """The `repository` as it was learned, and its own `rulebook` (None: it has none)."""

    repository: Repository
    rulebook: str | None = None


def pack(kept: RepositorySnapshot, most: int = MAX_PACKED_BYTES) -> bytes:
    """The bytes; without the texts, which a finding says, where they would be more than `most`."""
    packed = _packed(kept)
    return packed if len(packed) <= most else _packed(replace(kept, repository=_bare(kept.repository)))


def unpack(packed: bytes) -> RepositorySnapshot:
    """The snapshot that was packed. Raises CannotUnpack."""
    try:
        shape, repository, rulebook, texts = json.loads(zlib.decompress(packed))
        if shape == SHAPE:  # Nouns of another release would be understood halfway.
            return RepositorySnapshot(_noun(Repository, repository, texts), rulebook)
    # Damaged bytes fail in any of these ways.
    except (zlib.error, ValueError, TypeError, IndexError) as error:
        raise CannotUnpack(f"it is damaged: {type(error).__name__}") from None
    raise CannotUnpack("it was written by another release")


def _packed(kept: RepositorySnapshot) -> bytes:
    texts: dict[str, int] = {}
    body = [SHAPE, _plain(kept.repository, texts), kept.rulebook]
    return zlib.compress(json.dumps([*body, list(texts)], separators=(",", ":")).encode(), _COMPRESSION_LEVEL)


def _plain(value: Any, texts: dict[str, int]) -> Any:
    if isinstance(value, Text):
        return [value.path, texts.setdefault(value.text, len(texts)), value.sha256]  # A text is written once.
    if is_dataclass(value):
        return [_plain(getattr(value, name), texts) for name in _NAMES[type(value)]]
    return [_plain(member, texts) for member in value] if isinstance(value, tuple) else value


def _bare(repository: Repository) -> Repository:
    said = "its licence texts and notices are too much to be kept: they are missing in what is written of it"
    dependencies = tuple(replace(dependency, licenses=(), notices=()) for dependency in repository.dependencies)
    findings = (*repository.findings, Finding("tree/cut-short", Place("."), said))
    return replace(repository, dependencies=dependencies, findings=findings, licenses=(), notices=())


_Part: TypeAlias = type | list[type]
# The fields of a noun that are more than they look: of which kind each is, in a list a tuple of such.
_PARTS: Final[Mapping[type, Mapping[str, _Part]]] = {
    Repository: {
        "license": Learned, "delivery": Delivery, "dependencies": [Dependency], "findings": [Finding], "licenses": [Text],
        "notices": [Text], "suppliers": tuple,
    },
    Dependency: {
        "usage": Usage, "license": Learned, "places": [Place], "licenses": [Text], "notices": [Text], "checksums": [Checksum],
        "needs": tuple,
    },
    Learned: {"source": Source, "place": Place, "unknown": Unknown},
    Finding: {"place": Place},
}  # fmt: skip


def _noun(kind: type, row: Any, texts: list[str]) -> Any:
    values = dict(zip(_NAMES[kind], row, strict=True))
    for name, part in _PARTS.get(kind, {}).items():
        values[name] = _part(part, values[name], texts)
    if kind is Text:
        values["text"] = texts[values["text"]]
    return kind(**values)


def _part(kind: _Part, value: Any, texts: list[str]) -> Any:
    if isinstance(kind, list):
        return tuple(_part(kind[0], member, texts) for member in value)
    if value is None:
        return None
    return _noun(kind, value, texts) if kind in _NAMES else kind(value)
