"""CycloneDX in JSON and XML: components with scopes, and their dependencies among each other."""

from audit import usage
from audit.ecosystems import artifacts, purls
from audit.ecosystems.formats import json_text
from audit.ecosystems.parsed_file import (
    Graph,
    PackageDetails,
    ParsedFile,
    ParseError,
    dependency_at,
    learned,
    said,
    table,
    text,
    texts,
)
from audit.ecosystems.sbom import cyclonedx_xml
from audit.facts import Checksum, Dependency, Place, Source, Usage

_SCOPES = {"excluded": Usage.DEV_TOOL}
_TYPES = {
    "container": Usage.SEPARATE_PROCESS,
    "operating-system": Usage.SEPARATE_PROCESS,
    "data": Usage.DATA_OR_DOC,
    "machine-learning-model": Usage.MODEL_WEIGHTS,
    "file": Usage.VENDORED,
}
_MAX_DEPTH = 50
_MAX_CHECKSUMS = 8
_OURS = "countersign"


def read(path: str, content: str) -> ParsedFile:
    """All components of a document in JSON."""
    data = json_text.top(content)
    if data.get("bomFormat") != "CycloneDX":
        raise ParseError("this is no CycloneDX document: no bomFormat", 1)
    return _read(path, data)


def read_xml(path: str, content: str) -> ParsedFile:
    """The same in XML."""
    return _read(path, cyclonedx_xml.document(content))


def _read(path: str, data: json_text.LocatedObject) -> ParsedFile:
    """All components but the root; those below another one are contained in it."""
    metadata = table(data.get("metadata"))
    tools = json_text.items(table(metadata.get("tools")).get("components"))
    if any(text(one.get("name")) == _OURS for one in tools):
        return ParsedFile()  # we wrote it ourselves: it teaches nothing new
    listed = {
        text(one.get("ref")): tuple(texts(one.get("dependsOn") or []))
        for one in json_text.items(data.get("dependencies"))
    }
    own = text(table(metadata.get("component")).get("bom-ref"))
    direct = set(listed[own]) if own and own in listed else None
    found: list[Dependency] = []
    graph = Graph(decided=True, resolved=False)
    waiting = [(one, 0) for one in reversed(json_text.items(data.get("components")))]
    while waiting:
        one, depth = waiting.pop()
        if text(one.get("name")):
            found.append(_component(path, one, direct))
            key = text(one.get("bom-ref"))
            # A reference names one component: of several with the same the first, or the list would be gone through for each.
            graph.add((key,) if key else (), listed.pop(key, ()) if key else ())
        if depth < _MAX_DEPTH:
            waiting += [(child, depth + 1) for child in reversed(json_text.items(one.get("components")))]
    return ParsedFile(dependencies=tuple(found), graph=graph)


def _archive(one: json_text.LocatedObject) -> tuple[str | None, tuple[Checksum, ...]]:
    """Address and checksums of the archive that a component is."""
    sums = (
        artifacts.checksum(text(each.get("alg")), text(each.get("content")))
        for each in json_text.items(one.get("hashes"))[:_MAX_CHECKSUMS]
    )
    references = json_text.items(one.get("externalReferences"))
    address = next((text(each.get("url")) for each in references if text(each.get("type")) == "distribution"), "")
    return artifacts.of_address(address), tuple(each for found in sums for each in found)


def _component(path: str, one: json_text.LocatedObject, direct: set[str] | None) -> Dependency:
    url = purls.canonical(text(one.get("purl")))
    group, name = text(one.get("group")), text(one.get("name"))
    scope = text(one.get("scope"))
    how = _SCOPES.get(scope) or _TYPES.get(text(one.get("type"))) or usage.default(purls.kind_of(url))
    why = f"CycloneDX: {f'scope {said(scope)}' if scope else said(one.get('type')) or 'component'}"
    more: PackageDetails = {
        "license": learned(_license(one), path, one.line, Source.SBOM),
        "optional": scope == "optional",
    }
    more["direct"] = None if direct is None else text(one.get("bom-ref")) in direct
    more["supplier"] = said(table(one.get("supplier")).get("name")) or None
    more["download"], more["checksums"] = _archive(one)
    place = Place(path, one.line, said(text(one.get("purl")) or name))
    name = f"{group}{':' if purls.kind_of(url) == 'maven' else '/'}{name}" if group else name
    return dependency_at(place, name, text(one.get("version")), url, how, why, **more)


def _license(one: json_text.LocatedObject) -> str:
    """One expression, or ids of which all apply; a name that is no id is given as it stands, if it is the only one."""
    listed = json_text.items(one.get("licenses"))
    stated = [text(entry.get("expression")) for entry in listed if text(entry.get("expression"))]
    if stated:
        return stated[0]
    named = [table(entry.get("license")) for entry in listed]
    words = [text(entry.get("id")) or text(entry.get("name")) for entry in named]
    return " AND ".join(word for word in words if word)
