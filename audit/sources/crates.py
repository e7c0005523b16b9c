"""What crates.io says of a crate's licence: Cargo.toml's `license`, in which a stroke once meant a choice."""

from typing import Any

from audit.licenses.declared_license import Stated, one
from audit.sources.answers import table


def path(name: str, version: str) -> tuple[str, ...]:
    """One version of a crate."""
    return ("api", "v1", "crates", name, version)


def read(answer: dict[str, Any]) -> Stated:
    """The version's `license`; there is none where the crate has a file of its own, `license-file`."""
    stated = table(answer.get("version")).get("license")
    return one(stated.replace("/", " OR ") if isinstance(stated, str) else None)
