"""SPDX's licence list: ids, names, exceptions and texts, and the categories that AboutCode gives to licences."""

import json
import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Lists:
    """The vendored lists. All keys are spelled as SPDX spells them.

    `licenses` and `exceptions` give the full name of each id, `deprecated` the ids that SPDX replaced, `categories` the
    category of an id, `references` those ids of AboutCode (`LicenseRef-scancode-…`) that are no ids of SPDX; `keys` the SPDX
    id of each of AboutCode's other spellings (`bsd-new`, `LicenseRef-scancode-tekhvc`).
    """

    version: str
    licenses: Mapping[str, str]
    exceptions: Mapping[str, str]
    deprecated: frozenset[str]
    categories: Mapping[str, str]
    references: frozenset[str]
    keys: Mapping[str, str]


@cache
def lists() -> Lists:
    """The lists that come with Countersign (audit/data/README.md says from where)."""
    found = json.loads((resources.files("audit") / "data/spdx.json").read_text(encoding="utf-8"))
    return Lists(
        version=found["version"],
        licenses=found["licenses"],
        exceptions=found["exceptions"],
        deprecated=frozenset(found["deprecated"]),
        categories={one: name for name, ids in found["categories"].items() for one in ids},
        references=frozenset(found["references"]),
        keys=found["keys"],
    )


@cache
def exception_texts() -> Mapping[str, str]:
    """The text of each exception by its id, as far as there is one: SPDX's, and AboutCode's own."""
    return _unpacked("exception-texts.json.xz")


@cache
def texts() -> Mapping[str, str]:
    """The text of each licence by its SPDX id: 5 MB, unpacked when first asked for."""
    return _unpacked("spdx-texts.json.xz")


def _unpacked(name: str) -> dict[str, str]:
    packed = (resources.files("audit") / "data" / name).read_bytes()
    found: dict[str, str] = json.loads(lzma.decompress(packed))
    return found
