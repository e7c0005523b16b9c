"""What the npm registry says of a package's licence: a text, or one of the older objects and lists."""

from typing import Any

from audit.licenses.declared_license import NO_LICENSE_NAME, SILENT, Stated, joined, one, words
from audit.sources.answers import rows, table


def path(name: str, version: str) -> tuple[str, ...]:
    """The manifest of one version; a scope and its name are one part of the path."""
    return (name, version)


def read(answer: dict[str, Any]) -> Stated:
    """`license` as a text or `{type}`; else `licenses`, of which npm's documentation says that one may choose."""
    stated = answer.get("license") or answer.get("licence")
    if isinstance(stated, str | dict):
        return one(_name(stated))
    listed = rows(stated) or rows(answer.get("licenses"))
    named = [words(_name(each)) for each in listed]
    if not named:
        return SILENT
    if None in named:
        return NO_LICENSE_NAME
    return Stated(joined("OR", [each for each in named if each]) if len(named) > 1 else named[0])


def _name(stated: object) -> object:
    """The licence of an object of the older form, or the text itself."""
    return table(stated).get("type") or table(stated).get("name") or stated
