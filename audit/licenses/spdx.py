"""SPDX's licence list: ids, names, exceptions and texts, and the categories that AboutCode gives to licences."""

import json
import lzma
import pkgutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True)
class SpdxLists:
    """The vendored lists of one `version`. All keys are spelled as SPDX spells them.

    `licenses` and `exceptions` give the full name of each id, `deprecated` the ids that SPDX replaced, `categories` the
    category of an id, `references` those ids of AboutCode (`LicenseRef-scancode-…`) that are no ids of SPDX; `keys` the
    SPDX id of each of AboutCode's other spellings (`bsd-new`, `LicenseRef-scancode-tekhvc`).
    """

    version: str
    licenses: Mapping[str, str]
    exceptions: Mapping[str, str]
    deprecated: frozenset[str]
    categories: Mapping[str, str]
    references: frozenset[str]
    keys: Mapping[str, str]


def data_file(name: str) -> Any:
    """The content of a file of audit/data: TOML, or JSON, which may be packed (`.xz`)."""
    data = pkgutil.get_data("audit", f"data/{name}")  # Works from a zip file, too.
    assert data is not None, name
    if name.endswith(".toml"):
        return tomllib.loads(data.decode())
    return json.loads(lzma.decompress(data) if name.endswith(".xz") else data)


@cache
def lists() -> SpdxLists:
    """The lists that come with Countersign (audit/data/README.md says from where)."""
    found = data_file("spdx.json")
    return SpdxLists(
        version=found["version"],
        licenses=found["licenses"],
        exceptions=found["exceptions"],
        deprecated=frozenset(found["deprecated"]),
        categories={license_id: name for name, ids in found["categories"].items() for license_id in ids},
        references=frozenset(found["references"]),
        keys=found["keys"],
    )


@cache
def exception_texts() -> Mapping[str, str]:
    """The text of each exception by its id, as far as there is one: SPDX's, and AboutCode's own."""
    found: dict[str, str] = data_file("exception-texts.json.xz")
    return found


@cache
def texts() -> Mapping[str, str]:
    """The text of each licence by its SPDX id: 5 MB, unpacked when first asked for."""
    found: dict[str, str] = data_file("spdx-texts.json.xz")
    return found
