"""CycloneDX in JSON and XML: components with scopes, and their dependencies among each other."""

from collections.abc import Mapping
from typing import Any, Final

from audit import usage
from audit.ecosystems import artifacts, purls
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import json_text, xml_text
from audit.ecosystems.parsed_file import (
    Graph,
    PackageDetails,
    ParsedFile,
    ParseError,
    learned,
    said,
    table,
    text,
    texts,
)
from audit.facts import Source, Usage

_NAMESPACE: Final = "http://cyclonedx.org/schema/bom"
_TEXTS: Final = ("group", "name", "version", "purl", "scope")
_SCOPES = {"excluded": Usage.DEV_TOOL}
_TYPES = {
    "container": Usage.SEPARATE_PROCESS,
    "operating-system": Usage.SEPARATE_PROCESS,
    "data": Usage.DATA_OR_DOC,
    "machine-learning-model": Usage.MODEL_WEIGHTS,
    "file": Usage.VENDORED,
}
_MAX_CHECKSUMS = 8  # Of one component.
_OURS = "countersign"  # The tool that our own documents name.


def read(path: str, content: str) -> ParsedFile:
    """All components of a document in JSON."""
    data = json_text.top(content)
    if data.get("bomFormat") != "CycloneDX":
        raise ParseError("this is no CycloneDX document: no bomFormat", 1)
    return _read(path, data)


def read_xml(path: str, content: str) -> ParsedFile:
    """The same in XML."""
    return _read(path, _document(content))


def _read(path: str, data: json_text.LocatedObject) -> ParsedFile:
    """All components but the root; those below another one are contained in it."""
    metadata = table(data.get("metadata"))
    tools = json_text.items(table(metadata.get("tools")).get("components"))
    if any(text(tool.get("name")) == _OURS for tool in tools):
        return ParsedFile()  # We wrote it ourselves: it teaches nothing new.
    listed = {
        text(entry.get("ref")): tuple(texts(entry.get("dependsOn") or []))
        for entry in json_text.items(data.get("dependencies"))
    }
    own = text(table(metadata.get("component")).get("bom-ref"))
    direct = set(listed[own]) if own and own in listed else None  # Without it none is told apart.
    found, graph = DependencyList(path), Graph(decided=True, resolved=False)
    # A stack: reversed, the order stays.
    waiting = json_text.items(data.get("components"))[::-1]
    while waiting:
        component = waiting.pop()
        if text(component.get("name")):
            _add_component(found, component, direct)
            key = text(component.get("bom-ref"))
            # A reference names one component: of several with the same the first, or the list would be gone through for each.
            graph.add((key,) if key else (), listed.pop(key, ()) if key else ())
        waiting += reversed(json_text.items(component.get("components")))
    return found.parsed(graph=graph)


def _add_component(found: DependencyList, component: json_text.LocatedObject, direct: set[str] | None) -> None:
    url = purls.canonical(text(component.get("purl")))
    group, name = text(component.get("group")), text(component.get("name"))
    scope = text(component.get("scope"))
    # A scope says it outright; a type tells more than the ecosystem's default.
    how = _SCOPES.get(scope) or _TYPES.get(text(component.get("type"))) or usage.default(purls.kind_of(url))
    why = f"CycloneDX: {f'scope {said(scope)}' if scope else said(component.get('type')) or 'component'}"
    more = PackageDetails(optional=scope == "optional")
    more["license"] = learned(_license(component), found.path, component.line, Source.SBOM)
    more["direct"] = None if direct is None else text(component.get("bom-ref")) in direct
    more["supplier"] = said(table(component.get("supplier")).get("name")) or None
    references = json_text.items(component.get("externalReferences"))
    address = next((text(each.get("url")) for each in references if text(each.get("type")) == "distribution"), "")
    more["download"] = artifacts.of_address(address)
    hashes = json_text.items(component.get("hashes"))[:_MAX_CHECKSUMS]
    sums = (artifacts.checksum(text(each.get("alg")), text(each.get("content"))) for each in hashes)
    more["checksums"] = tuple(each for listed in sums for each in listed)
    place = found.place(component.line, text(component.get("purl")) or name)
    # Maven's coordinates have a colon.
    name = f"{group}{':' if purls.kind_of(url) == 'maven' else '/'}{name}" if group else name
    found.add(place, name, text(component.get("version")), url, how, why, **more)


def _license(component: json_text.LocatedObject) -> str:
    """One expression, or ids of which all apply; a name that is no id is given as it stands, if it is the only one."""
    listed = json_text.items(component.get("licenses"))
    stated = [text(entry.get("expression")) for entry in listed if text(entry.get("expression"))]
    if stated:
        return stated[0]
    named = [table(entry.get("license")) for entry in listed]
    words = [text(entry.get("id")) or text(entry.get("name")) for entry in named]
    return " AND ".join(word for word in words if word)  # CycloneDX does not say how several relate.


def _document(content: str) -> json_text.LocatedObject:
    """The document in XML as its JSON would hold it; ParseError for anything but CycloneDX."""
    root = xml_text.load(content)
    if root.name != "bom" or not any(value.startswith(_NAMESPACE) for value in root.attributes.values()):
        raise ParseError("this is no CycloneDX document: no <bom> of its namespace", root.line)
    tools = [*root.all("metadata", "tools", "tool"), *root.all("metadata", "tools", "components", "component")]
    own = root.all("metadata", "component")
    metadata = {
        "tools": {"components": [_located(tool, {"name": tool.get("name")}) for tool in tools]},
        "component": _xml_component(own[0]) if own else {},
    }
    dependencies = [
        _located(
            element,
            {**_attributes(element), "dependsOn": [_attributes(each).get("ref", "") for each in element.children]},
        )
        for element in root.all("dependencies", "dependency")
    ]
    components = [_xml_component(element) for element in root.all("components", "component")]
    whole = {"bomFormat": "CycloneDX", "metadata": metadata, "components": components, "dependencies": dependencies}
    return _located(root, whole)


def _located(node: xml_text.XmlElement, values: Mapping[str, Any]) -> json_text.LocatedObject:
    found = json_text.LocatedObject(values)
    found.start, found.line, found.source = 0, node.line, ""
    return found


def _attributes(node: xml_text.XmlElement) -> dict[str, str]:
    return {name: text(value) for name, value in node.attributes.items()}


def _xml_component(node: xml_text.XmlElement) -> json_text.LocatedObject:
    """One component, those within it included; documents nest no deeper than XML is read."""
    supplier = node.first("supplier")
    values: dict[str, Any] = {
        **_attributes(node),  # `type` and `bom-ref`.
        **{name: text(node.get(name)) for name in _TEXTS if node.get(name)},
        "licenses": [_xml_license(child) for holder in node.all("licenses") for child in holder.children],
        "hashes": [
            _located(element, {"alg": element.attributes.get("alg", ""), "content": element.words.strip()})
            for element in node.all("hashes", "hash")
        ],
        "externalReferences": [
            _located(element, {"type": element.attributes.get("type", ""), "url": text(element.get("url"))})
            for element in node.all("externalReferences", "reference")
        ],
        "supplier": {"name": text(supplier.get("name"))} if supplier else {},
        "components": [_xml_component(element) for element in node.all("components", "component")],
    }
    return _located(node, values)


def _xml_license(node: xml_text.XmlElement) -> json_text.LocatedObject:
    """`<expression>`, or `<license>` with an id or a name."""
    if node.name == "expression":
        return _located(node, {"expression": text(node.words.strip())})
    return _located(node, {"license": {key: text(node.get(key)) for key in ("id", "name") if node.get(key)}})
