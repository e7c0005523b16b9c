"""Packages and relationships of SPDX 2 documents in each notation, parsed by spdx-tools, element by element.

Its parsers of whole documents give nothing back where one element is wrong, look through all relationships for each of them, and load
the index of licences anew for each package in tag-value notation. So they are asked for the parts that say what is used: what a
package is called, its version and package URL, and how two of them belong together. Licences are read as they are written
(`audit/licenses/expression.py`). docs/decisions/sbom.md says more. To import this takes 0.3 seconds.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from xml.sax import SAXException

from license_expression import ExpressionError, ParseError  # type: ignore[import-untyped]  # it ships no types
from ply.yacc import NullLogger  # type: ignore[import-untyped]  # it ships no types
from rdflib import RDF, Graph
from rdflib.exceptions import Error
from spdx_tools.spdx.model.package import Package as Parsed
from spdx_tools.spdx.model.relationship import Relationship
from spdx_tools.spdx.parser.error import SPDXParsingError
from spdx_tools.spdx.parser.jsonlikedict.package_parser import PackageParser
from spdx_tools.spdx.parser.jsonlikedict.relationship_parser import RelationshipParser
from spdx_tools.spdx.parser.rdf.creation_info_parser import parse_creation_info
from spdx_tools.spdx.parser.rdf.license_expression_parser import parse_license_expression
from spdx_tools.spdx.parser.rdf.package_parser import parse_package
from spdx_tools.spdx.parser.rdf.relationship_parser import parse_relationship
from spdx_tools.spdx.parser.tagvalue.parser import Parser
from spdx_tools.spdx.parser.xml.xml_parser import LIST_LIKE_FIELDS
from spdx_tools.spdx.rdfschema.namespace import SPDX_NAMESPACE

from audit.ecosystems.formats import json_text, xml_text, yaml_text
from audit.ecosystems.formats.json_text import Located
from audit.ecosystems.formats.yaml_text import Mapped
from audit.ecosystems.parsed_file import Broken, rows, said, table, text, texts

DOCUMENT: Final = "SPDXRef-DOCUMENT"
_PACKAGES: Final[Any] = PackageParser
_RELATIONSHIPS: Final[Any] = RelationshipParser
_TAGS: Final[Any] = Parser
"""Any: their constructors have no types."""
LONGEST: Final = 8_000_000
"""Characters of a document in RDF or tag-value notation: about ten seconds of work; in JSON, YAML and XML the scan's limit holds."""
_VERSION: Final = "SPDX-2"
_UNSAID: Final = frozenset({"", "NOASSERTION", "NONE"})
_NODES: Final = 1_000
"""Parts of one licence in RDF."""
_DEEPEST: Final = 40
_FAULTS: Final = 200
"""Elements that could not be parsed, after which nothing of a document is believed."""
_SETS: Final = {SPDX_NAMESPACE.ConjunctiveLicenseSet: "AND", SPDX_NAMESPACE.DisjunctiveLicenseSet: "OR"}
_STATEMENTS: Final = (SPDX_NAMESPACE.licenseConcluded, SPDX_NAMESPACE.licenseDeclared)
_FAILURES: Final = (
    SPDXParsingError,
    ExpressionError,
    ParseError,
    Error,
    SAXException,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""spdx-tools promises the first; the others are what it, license-expression and rdflib raise for input of strangers."""


@dataclass(frozen=True, slots=True)
class Package:
    """One package; `line` is None where it is not known, a licence empty where none is stated."""

    id: str
    name: str
    version: str
    purl: str
    license: str
    line: int | None


@dataclass
class Document:
    """What any notation says. `faults` are the elements that could not be parsed: kind, line, why."""

    packages: list[Package] = field(default_factory=list)
    relations: list[tuple[str, str, str]] = field(default_factory=list)
    creators: list[str] = field(default_factory=list)
    faults: list[tuple[str, int | None, str]] = field(default_factory=list)


def from_tree(data: Mapping[str, Any]) -> Document:
    """A document as JSON, YAML and XML hold it: mappings, lists and texts. Broken where it is no SPDX 2."""
    if not text(data.get("spdxVersion")).startswith(_VERSION):
        raise Broken("this is no SPDX 2 document: no spdxVersion", 1)
    document = Document(creators=texts(table(data.get("creationInfo")).get("creators") or []))
    parser = _PACKAGES()
    for one in _entries(document, data, "packages"):
        if parsed := _tried(document, "packages", _line(one), parser.parse_package, _fields(one)):
            document.packages.append(
                _package(parsed, _first(one.get("licenseConcluded"), one.get("licenseDeclared")), _line(one))
            )
    described = [(DOCUMENT, "DESCRIBES", one) for one in texts(data.get("documentDescribes") or [])]
    relations = _RELATIONSHIPS()
    for one in _entries(document, data, "relationships"):
        wanted = {key: text(one.get(key)) for key in ("spdxElementId", "relationshipType", "relatedSpdxElement")}
        _related(document, _tried(document, "relationships", _line(one), relations.parse_relationship, wanted))
    document.relations += described
    return document


def from_xml(content: str) -> Document:
    """A document in XML."""
    root = xml_text.load(content)
    if root.name != "Document":
        raise Broken(f"this is no SPDX document: its element is {said(root.name)}, not Document", root.line)
    return from_tree(_tree(root))


def _tree(node: xml_text.Node) -> Mapped:
    """An element with children as a mapping; no deeper than `xml_text` allows."""
    found = Mapped(node.line)
    for child in node.children:
        value = _tree(child) if child.children else child.words.strip()
        if child.name not in LIST_LIKE_FIELDS:
            found.setdefault(child.name, value)
        elif value:
            found.setdefault(child.name, []).append(value)
    return found


def from_rdf(content: str) -> Document:
    """A document in RDF/XML. Nothing is fetched: what it points to stays a name."""
    _within(content)
    xml_text.load(content)  # refuses a document type, entities, depth
    graph = Graph()
    try:
        graph.parse(data=xml_text.undeclared(content), format="xml")
        names = {str(one) for one in graph.subjects(RDF.type, SPDX_NAMESPACE.SpdxDocument)}
        if len(names) != 1 or not all(names.copy().pop().partition("#")):
            raise ValueError("there has to be one SpdxDocument, with its full address")
        info, _ = parse_creation_info(graph)
    except (*_FAILURES, SystemExit) as error:  # for some documents it ends the process
        raise Broken(f"this is no SPDX document in RDF: {_why(error)}", 1) from None
    if not info.spdx_version.startswith(_VERSION):
        raise Broken(f"this is no SPDX 2 document but {said(info.spdx_version)}", 1)
    space = info.document_namespace
    document = Document(creators=[one.to_serialized_string() for one in info.creators])
    lines, expressions = _ids(content), _Licenses(graph, space)
    for node in sorted(graph.subjects(RDF.type, SPDX_NAMESPACE.Package), key=str):
        line = lines.get(str(node).rpartition("#")[2])
        licenses = [_tried(document, "licences", line, expressions.text, node, stated) for stated in _STATEMENTS]
        for stated in (*_STATEMENTS, SPDX_NAMESPACE.licenseInfoFromFiles):
            graph.remove((node, stated, None))
        if parsed := _tried(document, "packages", line, parse_package, node, graph, space):
            document.packages.append(_package(parsed, _first(*licenses), line))
    for left, kind in ((SPDX_NAMESPACE.relationship, ""), (SPDX_NAMESPACE.describesPackage, "DESCRIBES")):
        for parent, _, node in sorted(graph.triples((None, left, None)), key=str):
            if kind:
                document.relations.append((DOCUMENT, kind, str(node).rpartition("#")[2]))
            else:
                _related(
                    document, _tried(document, "relationships", None, parse_relationship, node, graph, parent, space)
                )
    document.packages.sort(
        key=lambda one: (one.line or 0, one.id)
    )  # a graph has no order, and its unnamed nodes random names
    document.relations.sort()
    document.faults.sort(key=str)
    return document


def _ids(content: str) -> dict[str, int]:
    """The line at which each element is described."""
    found: dict[str, int] = {}
    for number, line in enumerate(content.split("\n"), 1):
        for name in re.findall(r"rdf:(?:about=[\"'][^\"'#]*+#|ID=[\"'])(SPDXRef-[A-Za-z0-9.-]++)", line):
            found.setdefault(name, number)
    return found


class _Licenses:
    """Licences of an RDF graph as expressions. spdx-tools reads the single ones.

    It writes sets within sets without brackets, so that `(MIT OR Zlib) AND ISC` becomes another licence; and sets that share their
    members grow without an end when they are written out. So sets are put together here, within a budget.
    """

    def __init__(self, graph: Graph, space: str) -> None:
        self.graph, self.space, self.left = graph, space, 0

    def text(self, package: Any, stated: Any) -> str:
        """What is stated of a package; empty where nothing is."""
        node = self.graph.value(package, stated)
        if node is None or node in (SPDX_NAMESPACE.noassertion, SPDX_NAMESPACE.none) or str(node) in _UNSAID:
            return ""
        self.left = _NODES
        return self._text(node, _DEEPEST)

    def _text(self, node: Any, deeper: int) -> str:
        self.left -= 1
        if self.left < 0 or not deeper:
            raise ValueError(f"a licence of more than {_NODES:,} parts, or sets within sets")
        operator = _SETS.get(self.graph.value(node, RDF.type))
        if operator:
            members = sorted(self._text(one, deeper - 1) for one in self.graph.objects(node, SPDX_NAMESPACE.member))
            return f" {operator} ".join(f"({one})" if " AND " in one or " OR " in one else one for one in members)
        inner = self.graph.value(node, SPDX_NAMESPACE.member)
        if inner is not None and self.graph.value(inner, SPDX_NAMESPACE.member) is not None:
            raise ValueError("an exception to more than one licence")
        found = parse_license_expression(node, self.graph, self.space)
        return "" if found is None else str(found)


_TAG: Final = re.compile(r"([A-Za-z0-9-]++):[ \t]*+([^\n]*+)")
_OTHER: Final = frozenset({"FileName", "SnippetSPDXID", "LicenseID"})
_KEPT: Final = frozenset({"SPDXID", "PackageVersion", "ExternalRef"})
_HEAD: Final = """SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: document
DocumentNamespace: https://example.com/document
Creator: Tool: document
Created: 2000-01-01T00:00:00Z
"""
"""What spdx-tools asks of any document; that of the document itself does not matter here."""
_STATED: Final = ("PackageLicenseConcluded", "PackageLicenseDeclared")


@dataclass
class _Section:
    """The lines of one package in tag-value notation that are of interest."""

    line: int
    lines: list[str]
    said: dict[str, str] = field(default_factory=dict)


def from_tags(content: str) -> Document:
    """A document in tag-value notation."""
    _within(content)
    document, sections, relations = Document(), list[_Section](), list[str]()
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
        elif inside and tag in _KEPT and (tag != "ExternalRef" or " purl " in value) and tag not in inside.said:
            inside.said[tag] = value
            inside.lines.append(f"{tag}: {value}")
    _check_tags(content, is_empty=not sections)
    _parse_tags(document, sections, relations)
    return document


def _check_tags(content: str, *, is_empty: bool) -> None:
    """Raises Broken for a document that is no SPDX 2, and for one that names no package and holds what nobody can read."""
    versions = [value for _, tag, value in _tags(content) if tag == "SPDXVersion"]
    if not versions or not versions[-1].startswith(_VERSION):
        raise Broken("this is no SPDX 2 document: no SPDXVersion", 1)
    strange = next((number for number, tag, _ in _tags(content) if not tag), None)
    if is_empty and strange is not None:
        raise Broken("it names no package, and this is no `Tag: value`", strange)


def _tags(content: str) -> Iterator[tuple[int, str, str]]:
    """Number, tag and value of each line; what stands between `<text>` and `</text>` on several lines is left out.

    A line that is nothing of it has no tag. Broken where a text never ends, which would take all behind it in.
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
        raise Broken("its <text> never ends", opened)


def _parse_tags(document: Document, sections: list[_Section], relations: list[str]) -> None:
    """spdx-tools' grammar over what is of interest; it tells what is wrong at its end, and keeps what was right."""
    parser = _TAGS(debug=False, write_tables=False, errorlog=NullLogger())
    why = ""
    try:
        parser.parse(_HEAD + "\n".join([line for one in sections for line in one.lines] + relations) + "\n")
    except _FAILURES as error:
        why = _why(error)
    parsed = {one.spdx_id: one for one in parser.elements_built.get("packages", [])}
    for one in sections:
        found = parsed.pop(one.said.get("SPDXID"), None)
        if found is None:
            document.faults.append(("packages", one.line, why or "its SPDXID stands twice"))
        else:
            document.packages.append(_package(found, _first(*map(one.said.get, _STATED)), one.line))
    built = parser.elements_built.get("relationships", [])
    for relation in built:
        _related(document, relation)
    document.faults += [("relationships", None, why)] * (len(relations) - len(built))


def _from_json(content: str) -> Document:
    """A document in JSON; bare, or wrapped in `sbom` as GitHub did."""
    data = json_text.top(content)
    inner = data.get("sbom")
    return from_tree(inner if isinstance(inner, Located) else data)


PARSERS: Final[Mapping[str, Callable[[str], Document]]] = {
    "json": _from_json,
    "yaml": lambda content: from_tree(yaml_text.top(content)),
    "xml": from_xml,
    "rdf": from_rdf,
    "tags": from_tags,
}
"""By notation: what reads a whole document."""


def _within(content: str) -> None:
    if len(content) > LONGEST:
        raise Broken(
            f"{len(content):,} characters, more than {LONGEST:,} are not read of this notation", None, "file/too-large"
        )


def _entries(document: Document, data: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    """The mappings in a list of the document; anything else there is a fault, which in JSON `shapes` tells with its line."""
    for one in rows(data.get(key)):
        if isinstance(one, dict):
            yield one
        elif not isinstance(data, Located):
            document.faults.append((key, None, f"{said(str(one))!r} stands there"))


def _line(one: Mapping[str, Any]) -> int | None:
    return getattr(one, "line", None)


def _fields(one: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked of a package: faults in other fields of it are no reason to lose it."""
    found: dict[str, Any] = {key: one[key] for key in ("SPDXID", "name") if key in one}
    found["versionInfo"] = text(one.get("versionInfo"))
    refs = [ref for ref in rows(one.get("externalRefs")) if table(ref).get("referenceType") == "purl"]
    purl = [
        {
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": ref.get("referenceLocator"),
        }
        for ref in refs[:1]
    ]
    return found | {"downloadLocation": "NOASSERTION", "externalRefs": purl}


def _first(*licenses: object) -> str:
    """The first that is stated: what was concluded, else what was declared."""
    return next((one for one in map(text, licenses) if one not in _UNSAID), "")


def _package(parsed: Parsed, license_text: str, line: int | None) -> Package:
    purls = [one.locator for one in parsed.external_references if one.reference_type == "purl"]
    version = parsed.version or ""
    return Package(
        text(parsed.spdx_id), text(parsed.name), text(version), text(purls[0] if purls else ""), license_text, line
    )


def _related(document: Document, parsed: Relationship | None) -> None:
    """What points to nothing (NONE, NOASSERTION) says nothing."""
    if parsed is not None and isinstance(parsed.related_spdx_element_id, str):
        document.relations.append(
            (text(parsed.spdx_element_id), parsed.relationship_type.name, text(parsed.related_spdx_element_id))
        )


def _tried(document: Document, kind: str, line: int | None, parse: Callable[..., Any], *arguments: Any) -> Any:
    """What a parser of one element makes of it; None, and a fault, where it can't."""
    try:
        return parse(*arguments)
    except _FAILURES as error:
        document.faults.append((kind, line, _why(error)))
    if len(document.faults) > _FAULTS:  # each takes spdx-tools a thousandth of a second or two
        kind, line, why = document.faults[0]
        raise Broken(f"more than {_FAULTS} of its elements could not be read (the first of its {kind}: {why})", line)
    return None


def _why(error: BaseException) -> str:
    """Its own words, in one line."""
    messages: Iterable[object] = error.messages if isinstance(error, SPDXParsingError) else [error]
    return said("; ".join(map(str, messages))) or type(error).__name__
