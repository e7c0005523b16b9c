"""What PyPI says of a release's licence: the fields of Python's core metadata, as JSON."""

from typing import Any

from audit.licenses.declared_license import Stated
from audit.scan.python_metadata import declared
from audit.sources.answers import rows, table


def path(name: str, version: str) -> tuple[str, ...]:
    """The release as JSON."""
    return ("pypi", name, version, "json")


def read(answer: dict[str, Any]) -> Stated:
    """The licence of a release."""
    info = table(answer.get("info"))
    return declared(info.get("license_expression"), info.get("license"), rows(info.get("classifiers")))
