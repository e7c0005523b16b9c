"""Packages and relationships of a document in any notation of SPDX 2, and their faults, element by element."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final
from xml.sax import SAXException

from license_expression import ExpressionError  # type: ignore[import-untyped]  # it ships no types
from license_expression import ParseError as SpdxParseError
from rdflib.exceptions import Error
from spdx_tools.spdx.model.package import Package as Parsed
from spdx_tools.spdx.model.relationship import Relationship
from spdx_tools.spdx.parser.error import SPDXParsingError

from audit.ecosystems.parsed_file import ParseError, said, text

VERSION: Final = "SPDX-2"
# About ten seconds of work in RDF or tag-value notation; in JSON, YAML and XML the scan's limit holds.
MAX_DOCUMENT_CHARACTERS: Final = 8_000_000
UNSAID: Final = frozenset({"", "NOASSERTION", "NONE"})
_MAX_FAULTS: Final = 200  # After so many elements that can't be parsed, nothing is believed.
# spdx-tools promises the first; it, license-expression and rdflib raise the others for input of strangers.
FAILURES: Final = (
    SPDXParsingError,
    ExpressionError,
    SpdxParseError,
    Error,
    SAXException,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class SpdxPackage:
    """One package: `id`, `name`, `version`, `purl`, `license` ("": none is stated), and `line` (None: not known)."""

    id: str
    name: str
    version: str
    purl: str
    license: str
    line: int | None


@dataclass
class ParsedDocument:
    """A document's content: `packages`, `relations` (left, type, right), `creators`, `faults` (kind, line, why)."""

    packages: list[SpdxPackage] = field(default_factory=list)
    relations: list[tuple[str, str, str]] = field(default_factory=list)
    creators: list[str] = field(default_factory=list)
    faults: list[tuple[str, int | None, str]] = field(default_factory=list)


def check_length(content: str) -> None:
    """Raises ParseError for a document that would take too long."""
    if len(content) > MAX_DOCUMENT_CHARACTERS:
        why = f"{len(content):,} characters, more than {MAX_DOCUMENT_CHARACTERS:,} are not read of this notation"
        raise ParseError(why, None, "file/too-large")


def first_stated(*licenses: object) -> str:
    """The first licence that is stated: the concluded one, else the declared one."""
    return next((expression for expression in map(text, licenses) if expression not in UNSAID), "")


def package_of(parsed: Parsed, license_text: str, line: int | None) -> SpdxPackage:
    """The package that spdx-tools made of an element."""
    purls = [reference.locator for reference in parsed.external_references if reference.reference_type == "purl"]
    purl = text(purls[0]) if purls else ""
    return SpdxPackage(text(parsed.spdx_id), text(parsed.name), text(parsed.version), purl, license_text, line)


def add_relation(document: ParsedDocument, parsed: Relationship | None) -> None:
    """Add a relationship, unless it points to nothing (NONE, NOASSERTION)."""
    if parsed is not None and isinstance(parsed.related_spdx_element_id, str):
        left, right = text(parsed.spdx_element_id), text(parsed.related_spdx_element_id)
        document.relations.append((left, parsed.relationship_type.name, right))


def parse_element(
    document: ParsedDocument, kind: str, line: int | None, parse: Callable[..., Any], *arguments: Any
) -> Any:
    """The result of a parser of one element; None, and a fault, where it fails."""
    try:
        return parse(*arguments)
    except FAILURES as error:
        document.faults.append((kind, line, reason(error)))
    if len(document.faults) > _MAX_FAULTS:  # Each takes spdx-tools a thousandth of a second or two.
        kind, line, why = document.faults[0]
        raise ParseError(
            f"more than {_MAX_FAULTS} of its elements could not be read (the first of its {kind}: {why})", line
        )
    return None


def reason(error: BaseException) -> str:
    """The error's own words, in one line."""
    messages: Iterable[object] = error.messages if isinstance(error, SPDXParsingError) else [error]
    return said("; ".join(map(str, messages))) or type(error).__name__
