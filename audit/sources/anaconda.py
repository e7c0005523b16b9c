"""What anaconda.org says of a Conda package's licence: what each archive of a version has in its metadata."""

from typing import Any

from audit.licenses.declared_license import Stated, together
from audit.sources.answers import rows, table


def path(name: str, version: str) -> tuple[str, ...]:
    """One version of a package in a channel: `channel/name`."""
    channel, _, last = name.partition("/")
    return ("release", channel, last, version)


def read(answer: dict[str, Any]) -> Stated:
    """The licence of all archives; where they differ all of them count."""
    attributes = [table(table(each).get("attrs")) for each in rows(answer.get("distributions"))]
    return together(
        dict.fromkeys(words for one in attributes if isinstance(words := one.get("license"), str) and words)
    )
