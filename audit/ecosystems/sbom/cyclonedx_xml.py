"""CycloneDX in XML: the same document as its form in JSON, which one reader knows."""

from collections.abc import Mapping
from typing import Any, Final

from audit.ecosystems.formats import json_text, xml_text
from audit.ecosystems.parsed_file import ParseError, text

_NAMESPACE: Final = "http://cyclonedx.org/schema/bom"
_TEXTS: Final = ("group", "name", "version", "purl", "scope")


def document(content: str) -> json_text.LocatedObject:
    """What the JSON of the document would hold of all that is read of it; ParseError for anything but CycloneDX."""
    root = xml_text.load(content)
    if root.name != "bom" or not any(value.startswith(_NAMESPACE) for value in root.attributes.values()):
        raise ParseError("this is no CycloneDX document: no <bom> of its namespace", root.line)
    tools = [*root.all("metadata", "tools", "tool"), *root.all("metadata", "tools", "components", "component")]
    own = root.all("metadata", "component")
    metadata = {
        "tools": {"components": [_located(one, {"name": one.get("name")}) for one in tools]},
        "component": _component(own[0]) if own else {},
    }
    dependencies = [
        _located(one, {**_attributes(one), "dependsOn": [_attributes(each).get("ref", "") for each in one.children]})
        for one in root.all("dependencies", "dependency")
    ]
    components = [_component(one) for one in root.all("components", "component")]
    whole = {"bomFormat": "CycloneDX", "metadata": metadata, "components": components, "dependencies": dependencies}
    return _located(root, whole)


def _located(node: xml_text.XmlElement, values: Mapping[str, Any]) -> json_text.LocatedObject:
    found = json_text.LocatedObject(values)
    found.start, found.line, found.source = 0, node.line, ""
    return found


def _attributes(node: xml_text.XmlElement) -> dict[str, str]:
    return {name: text(value) for name, value in node.attributes.items()}


def _component(node: xml_text.XmlElement) -> json_text.LocatedObject:
    """One component, those within it included; documents nest no deeper than XML is read."""
    supplier = node.first("supplier")
    values: dict[str, Any] = {
        **_attributes(node),  # type, bom-ref
        **{name: text(node.get(name)) for name in _TEXTS if node.get(name)},
        "licenses": [_license(one) for holder in node.all("licenses") for one in holder.children],
        "hashes": [
            _located(one, {"alg": one.attributes.get("alg", ""), "content": one.words.strip()})
            for one in node.all("hashes", "hash")
        ],
        "externalReferences": [
            _located(one, {"type": one.attributes.get("type", ""), "url": text(one.get("url"))})
            for one in node.all("externalReferences", "reference")
        ],
        "supplier": {"name": text(supplier.get("name"))} if supplier else {},
        "components": [_component(one) for one in node.all("components", "component")],
    }
    return _located(node, values)


def _license(node: xml_text.XmlElement) -> json_text.LocatedObject:
    """`<expression>`, or `<license>` with an id or a name."""
    if node.name == "expression":
        return _located(node, {"expression": text(node.words.strip())})
    return _located(node, {"license": {key: text(node.get(key)) for key in ("id", "name") if node.get(key)}})
