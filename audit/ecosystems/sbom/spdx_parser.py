"""Packages and relationships of SPDX 2 documents in each notation, parsed by spdx-tools, element by element.

Its parsers of whole documents give nothing back where one element is wrong, look through all relationships for each of them, and load
the index of licences anew for each package in tag-value notation. So they are asked for the parts that say what is used: what a
package is called, its version and package URL, and how two of them belong together. Licences are read as they are written
(`audit/licenses/expression.py`). docs/decisions/sbom.md says more. To import this takes 0.3 seconds.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from rdflib import RDF, Graph
from spdx_tools.spdx.parser.jsonlikedict.package_parser import PackageParser
from spdx_tools.spdx.parser.jsonlikedict.relationship_parser import RelationshipParser
from spdx_tools.spdx.parser.rdf.creation_info_parser import parse_creation_info
from spdx_tools.spdx.parser.rdf.license_expression_parser import parse_license_expression
from spdx_tools.spdx.parser.rdf.package_parser import parse_package
from spdx_tools.spdx.parser.rdf.relationship_parser import parse_relationship
from spdx_tools.spdx.parser.xml.xml_parser import LIST_LIKE_FIELDS
from spdx_tools.spdx.rdfschema.namespace import SPDX_NAMESPACE

from audit.ecosystems.formats import json_text, xml_text, yaml_text
from audit.ecosystems.formats.json_text import LocatedObject
from audit.ecosystems.formats.yaml_text import YamlMapping
from audit.ecosystems.parsed_file import ParseError, first_lines, rows, said, table, text, texts
from audit.ecosystems.sbom.spdx_elements import (
    FAILURES,
    UNSAID,
    VERSION,
    ParsedDocument,
    add_relation,
    check_length,
    first_stated,
    package_of,
    parse_element,
    reason,
)
from audit.ecosystems.sbom.spdx_tag_value import from_tags

DOCUMENT: Final = "SPDXRef-DOCUMENT"
# Any: their constructors have no types.
_PACKAGES: Final[Any] = PackageParser
_RELATIONSHIPS: Final[Any] = RelationshipParser
_MAX_LICENSE_NODES: Final = 1_000  # Parts of one licence in RDF.
_MAX_DEPTH: Final = 40  # Sets within sets.
_ID: Final = re.compile(r"rdf:(?:about=[\"'][^\"'#]*+#|ID=[\"'])(SPDXRef-[A-Za-z0-9.-]++)")
_SETS: Final = {SPDX_NAMESPACE.ConjunctiveLicenseSet: "AND", SPDX_NAMESPACE.DisjunctiveLicenseSet: "OR"}
_STATEMENTS: Final = (SPDX_NAMESPACE.licenseConcluded, SPDX_NAMESPACE.licenseDeclared)


def from_tree(data: Mapping[str, Any]) -> ParsedDocument:
    """A document as JSON, YAML and XML hold it: mappings, lists and texts. ParseError where it is no SPDX 2."""
    if not text(data.get("spdxVersion")).startswith(VERSION):
        raise ParseError("this is no SPDX 2 document: no spdxVersion", 1)
    document = ParsedDocument(creators=texts(table(data.get("creationInfo")).get("creators") or []))
    parser = _PACKAGES()
    for entry in _entries(document, data, "packages"):
        if parsed := parse_element(document, "packages", _line(entry), parser.parse_package, _fields(entry)):
            stated = first_stated(entry.get("licenseConcluded"), entry.get("licenseDeclared"))
            document.packages.append(package_of(parsed, stated, _line(entry)))
    relations = _RELATIONSHIPS()
    for entry in _entries(document, data, "relationships"):
        # Other fields may be wrong: they are not shown to the parser.
        wanted = {key: text(entry.get(key)) for key in ("spdxElementId", "relationshipType", "relatedSpdxElement")}
        parsed = parse_element(document, "relationships", _line(entry), relations.parse_relationship, wanted)
        add_relation(document, parsed)
    document.relations += [(DOCUMENT, "DESCRIBES", spdx_id) for spdx_id in texts(data.get("documentDescribes") or [])]
    return document


def from_xml(content: str) -> ParsedDocument:
    """A document in XML."""
    root = xml_text.load(content)
    if root.name != "Document":
        raise ParseError(f"this is no SPDX document: its element is {said(root.name)}, not Document", root.line)
    return from_tree(_tree(root))


def _tree(node: xml_text.XmlElement) -> YamlMapping:
    """An element with children as a mapping; no deeper than `xml_text` allows."""
    found = YamlMapping(node.line)
    for child in node.children:
        value = _tree(child) if child.children else child.words.strip()
        if child.name not in LIST_LIKE_FIELDS:
            found.setdefault(child.name, value)
        elif value:
            found.setdefault(child.name, []).append(value)
    return found


def from_rdf(content: str) -> ParsedDocument:
    """A document in RDF/XML. Nothing is fetched: addresses in it stay names."""
    check_length(content)
    xml_text.load(content)  # Refuses a document type, entities, depth.
    graph = Graph()
    try:
        graph.parse(data=xml_text.undeclared(content), format="xml")
        names = {str(subject) for subject in graph.subjects(RDF.type, SPDX_NAMESPACE.SpdxDocument)}
        if len(names) != 1 or not all(names.copy().pop().partition("#")):
            raise ValueError("there has to be one SpdxDocument, with its full address")
        info, _ = parse_creation_info(graph)
    except (*FAILURES, SystemExit) as error:  # spdx-tools ends the process for some documents.
        raise ParseError(f"this is no SPDX document in RDF: {reason(error)}", 1) from None
    if not info.spdx_version.startswith(VERSION):
        raise ParseError(f"this is no SPDX 2 document but {said(info.spdx_version)}", 1)
    space = info.document_namespace
    document = ParsedDocument(creators=[creator.to_serialized_string() for creator in info.creators])
    lines, expressions = first_lines(content, _ID), _Licenses(graph, space)
    for node in sorted(graph.subjects(RDF.type, SPDX_NAMESPACE.Package), key=str):
        line = lines.get(str(node).rpartition("#")[2])
        licenses = [parse_element(document, "licences", line, expressions.text, node, stated) for stated in _STATEMENTS]
        # spdx-tools would read them again, and refuse a package for a licence that it cannot read.
        for stated in (*_STATEMENTS, SPDX_NAMESPACE.licenseInfoFromFiles):
            graph.remove((node, stated, None))
        if parsed := parse_element(document, "packages", line, parse_package, node, graph, space):
            document.packages.append(package_of(parsed, first_stated(*licenses), line))
    for parent, _, node in sorted(graph.triples((None, SPDX_NAMESPACE.relationship, None)), key=str):
        parsed = parse_element(document, "relationships", None, parse_relationship, node, graph, parent, space)
        add_relation(document, parsed)
    for node in graph.objects(None, SPDX_NAMESPACE.describesPackage):
        document.relations.append((DOCUMENT, "DESCRIBES", str(node).rpartition("#")[2]))
    # A graph has no order, and its unnamed nodes random names.
    document.packages.sort(key=lambda package: (package.line or 0, package.id))
    document.relations.sort()
    document.faults.sort(key=str)
    return document


class _Licenses:
    """Licences of an RDF graph as expressions. spdx-tools reads the single ones."""

    def __init__(self, graph: Graph, space: str) -> None:
        self.graph, self.space, self.left = graph, space, 0

    def text(self, package: Any, stated: Any) -> str:
        """The licence that is stated of a package; empty where none is."""
        node = self.graph.value(package, stated)
        if node is None or node in (SPDX_NAMESPACE.noassertion, SPDX_NAMESPACE.none) or str(node) in UNSAID:
            return ""
        self.left = _MAX_LICENSE_NODES
        return self._text(node, _MAX_DEPTH)

    def _text(self, node: Any, deeper: int) -> str:
        # Sets that share their members grow exponentially when they are written out.
        self.left -= 1
        if self.left < 0 or not deeper:
            raise ValueError(f"a licence of more than {_MAX_LICENSE_NODES:,} parts, or sets within sets")
        operator = _SETS.get(self.graph.value(node, RDF.type))
        if operator:
            # spdx-tools leaves the brackets out, so that `(MIT OR Zlib) AND ISC` becomes another licence.
            members = sorted(
                self._text(member, deeper - 1) for member in self.graph.objects(node, SPDX_NAMESPACE.member)
            )
            return f" {operator} ".join(
                f"({member})" if " AND " in member or " OR " in member else member for member in members
            )
        inner = self.graph.value(node, SPDX_NAMESPACE.member)
        if inner is not None and self.graph.value(inner, SPDX_NAMESPACE.member) is not None:
            raise ValueError("an exception to more than one licence")
        found = parse_license_expression(node, self.graph, self.space)
        return "" if found is None else str(found)


def _from_json(content: str) -> ParsedDocument:
    data = json_text.top(content)
    inner = data.get("sbom")  # GitHub's API wraps its documents so.
    return from_tree(inner if isinstance(inner, LocatedObject) else data)


PARSERS: Final[Mapping[str, Callable[[str], ParsedDocument]]] = {  # By notation, the reader of a whole document.
    "json": _from_json,
    "yaml": lambda content: from_tree(yaml_text.top(content)),
    "xml": from_xml,
    "rdf": from_rdf,
    "tags": from_tags,
}


def _entries(document: ParsedDocument, data: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    """The mappings in a list of the document; other values are faults, which in JSON `format_checks` tells."""
    for row in rows(data.get(key)):
        if isinstance(row, dict):
            yield row
        elif not isinstance(data, LocatedObject):
            document.faults.append((key, None, f"{said(str(row))!r} stands there"))


def _line(entry: Mapping[str, Any]) -> int | None:
    return getattr(entry, "line", None)


def _fields(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a package that are read: faults in others are no reason to lose it."""
    found: dict[str, Any] = {key: entry[key] for key in ("SPDXID", "name") if key in entry}
    found["versionInfo"] = text(entry.get("versionInfo"))
    refs = [ref for ref in rows(entry.get("externalRefs")) if table(ref).get("referenceType") == "purl"]
    kind = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl"}
    purl = [{**kind, "referenceLocator": ref.get("referenceLocator")} for ref in refs[:1]]
    return found | {"downloadLocation": "NOASSERTION", "externalRefs": purl}  # SPDX demands a location.
