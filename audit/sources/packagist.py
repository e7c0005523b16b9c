"""What Packagist says of a PHP package's licence: the list of its composer.json, of which one may choose."""

from collections.abc import Iterator
from typing import Any, Final

from audit.licenses.declared_license import SILENT, Stated, joined, words
from audit.sources.answers import rows, table

_MINIFIED: Final = "composer/2.0"
_UNSET: Final = "__unset"


def path(name: str, version: str) -> tuple[str, ...]:
    """All versions of a package; branches stand in a file of their own."""
    owner, _, last = name.partition("/")
    return ("p2", owner, f"{last}{'~dev' if version.startswith('dev-') or version.endswith('-dev') else ''}.json")


def read(answer: dict[str, Any], version: str) -> Stated:
    """The `license` of that version; a list is a choice, says Composer's schema, and `v1.0` is `1.0`."""
    for one, stated in _versions(answer):
        if one.removeprefix("v") == version.removeprefix("v"):
            named = [words(each) for each in (stated if isinstance(stated, list) else [stated])]
            if not named or None in named:
                return SILENT
            found = [each for each in named if each]
            return Stated(found[0] if len(found) == 1 else joined("OR", found))
    return SILENT


def _versions(answer: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Each version with its licence; in the short form only what differs from the version above stands."""
    minified = answer.get("minified") == _MINIFIED
    for listed in table(answer.get("packages")).values():
        stated: object = None
        for entry in map(table, rows(listed)):
            stated = entry.get("license", stated if minified else None)
            stated = None if stated == _UNSET else stated
            version = entry.get("version")
            if isinstance(version, str):
                yield version, stated
