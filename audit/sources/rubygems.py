"""What RubyGems says of a gem's licences: the `licenses` of its specification."""

from typing import Any

from audit.licenses.declared_license import Stated, together
from audit.sources.answers import rows


def path(name: str, version: str) -> tuple[str, ...]:
    """One version of a gem, whatever its platform."""
    return ("api", "v2", "rubygems", name, "versions", f"{version}.json")


def read(answer: dict[str, Any]) -> Stated:
    """Its `licenses`; how several of them relate a specification does not say, so all of them count."""
    return together(rows(answer.get("licenses")))
