"""SPDX 2 documents in tag-value notation: spdx-tools gets only the lines about packages and relationships."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from ply.yacc import NullLogger  # type: ignore[import-untyped]  # it ships no types
from spdx_tools.spdx.parser.tagvalue.parser import Parser

from audit.ecosystems.parsed_file import ParseError
from audit.ecosystems.sbom.spdx_elements import (
    FAILURES,
    VERSION,
    ParsedDocument,
    add_relation,
    check_length,
    first_stated,
    package_of,
    reason,
)

_TAGS: Final[Any] = Parser  # Any: its constructor has no types.
_TAG: Final = re.compile(r"([A-Za-z0-9-]++):[ \t]*+([^\n]*+)")
_OTHER: Final = frozenset({"FileName", "SnippetSPDXID", "LicenseID"})  # They begin elements of other kinds.
_KEPT: Final = frozenset({"SPDXID", "PackageVersion", "ExternalRef"})
# spdx-tools asks it of any document; that of the document itself does not matter here.
_HEAD: Final = """SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: document
DocumentNamespace: https://example.com/document
Creator: Tool: document
Created: 2000-01-01T00:00:00Z
"""
_STATED: Final = ("PackageLicenseConcluded", "PackageLicenseDeclared")


@dataclass
class _Section:
    """The package named in `line`: its `lines` for spdx-tools, and values by tag, `said`."""

    line: int
    lines: list[str]
    said: dict[str, str] = field(default_factory=dict)


def from_tags(content: str) -> ParsedDocument:
    """A document in tag-value notation."""
    check_length(content)
    document, sections, relations = ParsedDocument(), list[_Section](), list[str]()
    inside: _Section | None = None
    for number, tag, value in _tags(content):
        if tag == "Creator":
            document.creators.append(value)
        elif tag == "Relationship":
            relations.append(f"Relationship: {value}")
        elif tag == "PackageName":
            inside = _Section(number, [f"PackageName: {value}", "PackageDownloadLocation: NOASSERTION"])
            sections.append(inside)
        elif tag in _OTHER:
            inside = None
        elif inside and tag in _STATED:
            inside.said[tag] = value
        # The first of each tag counts.
        elif inside and tag in _KEPT and (tag != "ExternalRef" or " purl " in value) and tag not in inside.said:
            inside.said[tag] = value
            inside.lines.append(f"{tag}: {value}")
    _check_tags(content, is_empty=not sections)
    _parse_tags(document, sections, relations)
    return document


def _check_tags(content: str, *, is_empty: bool) -> None:
    """Raises ParseError for what is no SPDX 2, and for a document without packages that has lines of no tag."""
    versions = [value for _, tag, value in _tags(content) if tag == "SPDXVersion"]
    if not versions or not versions[-1].startswith(VERSION):
        raise ParseError("this is no SPDX 2 document: no SPDXVersion", 1)
    strange = next((number for number, tag, _ in _tags(content) if not tag), None)
    # A document of files alone names no package either: only strange lines make it another format.
    if is_empty and strange is not None:
        raise ParseError("it names no package, and this is no `Tag: value`", strange)


def _tags(content: str) -> Iterator[tuple[int, str, str]]:
    """Number, tag and value of each line; texts between `<text>` and `</text>` on several lines are left out.

    A line that is nothing of it has no tag. ParseError where a text never ends, which would take all behind it in.
    """
    opened = 0
    for number, line in enumerate(content.split("\n"), 1):
        if opened:
            opened = 0 if "</text>" in line else opened
            continue
        pair = _TAG.match(line.rstrip("\r"))
        if pair and "<text>" in pair[2]:
            opened = 0 if "</text>" in pair[2] else number
        elif pair:
            yield number, pair[1], pair[2].strip()
        elif line.strip() and not line.lstrip().startswith("#"):
            yield number, "", line
    if opened:
        raise ParseError("its <text> never ends", opened)


def _parse_tags(document: ParsedDocument, sections: list[_Section], relations: list[str]) -> None:
    """Parses the lines of interest; spdx-tools tells what is wrong at its end, and keeps what was right."""
    parser = _TAGS(debug=False, write_tables=False, errorlog=NullLogger())
    why = ""
    try:
        parser.parse(_HEAD + "\n".join([line for section in sections for line in section.lines] + relations) + "\n")
    except FAILURES as error:
        why = reason(error)
    parsed = {package.spdx_id: package for package in parser.elements_built.get("packages", [])}
    for section in sections:
        found = parsed.pop(section.said.get("SPDXID"), None)
        if found is None:
            document.faults.append(("packages", section.line, why or "its SPDXID stands twice"))
        else:
            document.packages.append(package_of(found, first_stated(*map(section.said.get, _STATED)), section.line))
    built = parser.elements_built.get("relationships", [])
    for relation in built:
        add_relation(document, relation)
    document.faults += [("relationships", None, why)] * (len(relations) - len(built))  # It does not say which.
