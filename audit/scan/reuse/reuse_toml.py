"""`REUSE.toml`: licences of files by tables of paths, as REUSE 3.2 and 3.3 define version 1 of it."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from audit.ecosystems.formats import toml_text
from audit.ecosystems.formats.toml_text import TomlLines
from audit.ecosystems.parsed_file import ParseError
from audit.facts import Place
from audit.licenses.expression import read as read_expression
from audit.scan.reuse.annotations import Annotation, AnnotationFile, LicenseStatement, Precedence
from audit.scan.reuse.path_patterns import of_reuse_toml

NAME: Final = "REUSE.toml"
MAX_PATTERNS: Final = 20_000  # Patterns of one file.
_VERSIONS: Final = frozenset({1})


def read(path: str, content: str) -> AnnotationFile:
    """Reads the file. Raises ParseError, with the line where that is known, for what REUSE does not allow."""
    tables = toml_text.load(content)
    lines = TomlLines(content)
    version = tables.get("version")
    # To Python, `true` is a number.
    if isinstance(version, bool) or not isinstance(version, int):
        raise ParseError("`version` is missing, or is no number: write `version = 1`", lines.key("", "version") or 1)
    if version not in _VERSIONS:
        raise ParseError(f"version {version} is not known: version 1 is read", lines.key("", "version"))
    found = tables.get("annotations", [])
    if not isinstance(found, list) or not all(isinstance(table, dict) for table in found):
        raise ParseError(
            "`annotations` is no array of tables: write `[[annotations]]`", lines.key("", "annotations") or 1
        )
    # The parser keeps no lines: tables are found again by their heads.
    written = content.split("\n")
    bare = ("".join(line.split()) for line in written)
    starts = [number for number, line in enumerate(bare, 1) if line.startswith("[[annotations]]")]
    annotations = tuple(
        _annotation(path, table, starts[number] if number < len(starts) else None, written)
        for number, table in enumerate(found)
    )
    if sum(len(annotation.patterns) for annotation in annotations) > MAX_PATTERNS:
        raise ParseError(f"more than {MAX_PATTERNS:,} paths", None, "file/refused")
    return AnnotationFile(path, path.rpartition("/")[0], annotations)


def _annotation(path: str, table: dict[Any, Any], start: int | None, written: Sequence[str]) -> Annotation:
    patterns = _texts(table, "path", start, written)
    if not patterns:
        raise ParseError("an annotation without `path`", start)
    said = table.get("precedence", Precedence.CLOSEST.value)
    if not isinstance(said, str) or said not in set(Precedence):
        line = _line("precedence", start, written)
        raise ParseError("`precedence` is none of `closest`, `aggregate` and `override`", line)
    licenses = tuple(_licenses(path, table, start, written))
    return Annotation(tuple(map(of_reuse_toml, patterns)), Precedence(said), licenses)


def _licenses(
    path: str, table: dict[Any, Any], start: int | None, written: Sequence[str]
) -> Iterator[LicenseStatement]:
    key = "SPDX-License-Identifier"
    line = _line(key, start, written)
    for words in _texts(table, key, start, written):
        expression = read_expression(words)
        if expression is None:
            raise ParseError(f"`{words[:80]}` is no SPDX licence expression", line)
        yield LicenseStatement(expression, Place(path, line))


def _texts(table: dict[Any, Any], key: str, start: int | None, written: Sequence[str]) -> list[str]:
    value = table.get(key, [])
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(entry, str) and entry for entry in listed):
        raise ParseError(f"`{key}` is neither a string nor a list of strings", _line(key, start, written))
    return listed


def _line(key: str, start: int | None, written: Sequence[str]) -> int | None:
    """The line of a key in the table that begins at line `start`; that line where the key is not found."""
    if start is None:
        return None
    # A text in a list of several lines may begin as the key does, as may another key.
    begins = re.compile(rf"([\"']?){re.escape(key)}\1\s*=")
    for at in range(start, len(written)):
        bare = written[at].strip()
        if bare.startswith("["):
            break  # The next table.
        if begins.match(bare):
            return at + 1
    return start
