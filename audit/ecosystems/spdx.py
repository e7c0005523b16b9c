"""SPDX 2.2 and 2.3, JSON and tag-value: packages, and relationships that say how each is used."""

import re
from dataclasses import dataclass, field
from typing import Final

from audit import usage
from audit.ecosystems import json_text, purls
from audit.ecosystems.reading import Broken, Graph, Read, learned, said, table, text, texts
from audit.facts import Dependency, Place, Source, Usage

FORWARD: Final = {
    "STATIC_LINK": Usage.STATIC_LINK,
    "DYNAMIC_LINK": Usage.DYNAMIC_LINK,
    "CONTAINS": Usage.BUNDLED,
    "DEPENDS_ON": None,
    "GENERATED_FROM": Usage.GENERATED_OUTPUT,
    "HAS_OPTIONAL_DEPENDENCY": None,
    "HAS_PREREQUISITE": None,
}
"""`A type B`: how A uses B; None: as the ecosystem does by default."""
BACKWARD: Final = {
    "BUILD_TOOL_OF": Usage.BUILD_TOOL,
    "BUILD_DEPENDENCY_OF": Usage.BUILD_TOOL,
    "DEV_TOOL_OF": Usage.DEV_TOOL,
    "DEV_DEPENDENCY_OF": Usage.DEV_TOOL,
    "TEST_TOOL_OF": Usage.TEST_ONLY,
    "TEST_OF": Usage.TEST_ONLY,
    "TEST_DEPENDENCY_OF": Usage.TEST_ONLY,
    "RUNTIME_DEPENDENCY_OF": None,
    "DEPENDENCY_OF": None,
    "OPTIONAL_DEPENDENCY_OF": None,
    "PROVIDED_DEPENDENCY_OF": Usage.DYNAMIC_LINK,
    "PREREQUISITE_FOR": None,
    "CONTAINED_BY": Usage.BUNDLED,
    "OPTIONAL_COMPONENT_OF": None,
    "DATA_FILE_OF": Usage.DATA_OR_DOC,
    "DOCUMENTATION_OF": Usage.DATA_OR_DOC,
    "DEPENDENCY_MANIFEST_OF": Usage.DATA_OR_DOC,
}
"""`B type A`: how A uses B."""
_OURS: Final = "Tool: countersign"
_TAG: Final = re.compile(r"([A-Za-z0-9-]++):[ \t]*+([^\n]*+)")
_UNSAID: Final = frozenset({"", "NOASSERTION", "NONE"})


@dataclass
class _Package:
    """One package as it stands."""

    line: int
    id: str = ""
    name: str = ""
    version: str = ""
    purl: str = ""
    declared: str = ""
    concluded: str = ""


@dataclass
class _Document:
    """What either notation says."""

    packages: list[_Package] = field(default_factory=list)
    relations: list[tuple[str, str, str]] = field(default_factory=list)
    described: set[str] = field(default_factory=set)
    creators: list[str] = field(default_factory=list)


def read_json(path: str, content: str) -> Read:
    """A document in JSON; bare, or wrapped in `sbom` as GitHub did."""
    data = json_text.top(content)
    inner = data.get("sbom")
    data = inner if isinstance(inner, json_text.Located) else data
    if not text(data.get("spdxVersion")).startswith("SPDX-2"):
        raise Broken("this is no SPDX 2 document: no spdxVersion", 1)
    document = _Document(creators=texts(table(data.get("creationInfo")).get("creators") or []))
    document.described = set(texts(data.get("documentDescribes") or []))
    for one in json_text.items(data.get("packages")):
        refs = [
            text(ref.get("referenceLocator"))
            for ref in json_text.items(one.get("externalRefs"))
            if ref.get("referenceType") == "purl"
        ]
        package = _Package(one.line, purl=refs[0] if refs else "")
        package.id, package.name, package.version = (text(one.get(key)) for key in ("SPDXID", "name", "versionInfo"))
        package.declared, package.concluded = text(one.get("licenseDeclared")), text(one.get("licenseConcluded"))
        document.packages.append(package)
    document.relations = [
        (text(one.get("spdxElementId")), text(one.get("relationshipType")), text(one.get("relatedSpdxElement")))
        for one in json_text.items(data.get("relationships"))
    ]
    return _packages(path, document)


def read_tags(path: str, content: str) -> Read:
    """A document in tag-value notation."""
    document = _Document()
    version = ""
    for number, line in enumerate(content.split("\n"), 1):
        pair = _TAG.match(line.rstrip("\r"))
        if not pair:
            continue
        tag, value = pair[1], pair[2].strip()
        if tag == "SPDXVersion":
            version = value
        elif tag == "Creator":
            document.creators.append(value)
        elif tag == "PackageName":
            document.packages.append(_Package(number, name=value))
        elif tag in {"FileName", "SnippetSPDXID", "LicenseID"}:
            document.packages.append(_Package(0))
        elif tag == "Relationship" and len(value.split()) >= 3:
            left, kind, right = value.split()[:3]
            document.relations.append((left, kind, right))
        elif document.packages:
            _tag(document.packages[-1], tag, value)
    if not version.startswith("SPDX-2"):
        raise Broken("this is no SPDX 2 document: no SPDXVersion", 1)
    document.packages = [one for one in document.packages if one.name]
    return _packages(path, document)


def _tag(package: _Package, tag: str, value: str) -> None:
    """One line about a package."""
    if tag == "SPDXID":
        package.id = package.id or value
    elif tag == "PackageVersion":
        package.version = value
    elif tag == "PackageLicenseDeclared":
        package.declared = value
    elif tag == "PackageLicenseConcluded":
        package.concluded = value
    elif tag == "ExternalRef" and " purl " in value:
        package.purl = package.purl or value.rpartition(" ")[2]


def _packages(path: str, document: _Document) -> Read:
    """Dependencies from packages and relationships; a document that Countersign wrote itself teaches nothing new."""
    if any(one.startswith(_OURS) for one in document.creators):
        return Read()
    roots = document.described | {
        right for left, kind, right in document.relations if kind == "DESCRIBES" and left.endswith("DOCUMENT")
    }
    roots |= {left for left, kind, right in document.relations if kind == "DESCRIBED_BY" and right.endswith("DOCUMENT")}
    how: dict[str, tuple[Usage | None, str, bool]] = {}
    for left, kind, right in document.relations:
        user, used, said_how = (
            (left, right, FORWARD.get(kind)) if kind in FORWARD else (right, left, BACKWARD.get(kind))
        )
        if kind not in FORWARD and kind not in BACKWARD:
            continue
        old = how.get(used)
        direct = user in roots or bool(old and old[2])
        if old is None or (said_how and (old[0] is None or usage.strongest(said_how, old[0]) is said_how)):
            how[used] = (said_how, kind, direct)
        elif direct:
            how[used] = (old[0], old[1], direct)
    found = [_dependency(path, one, how.get(one.id)) for one in document.packages if one.id not in roots and one.name]
    return Read(dependencies=tuple(found), graph=Graph(decided=True))


def _dependency(path: str, one: _Package, how: tuple[Usage | None, str, bool] | None) -> Dependency:
    """One package."""
    url = purls.canonical(one.purl)
    said_how, kind, direct = how or (None, "", None)
    return Dependency(
        name=one.name,
        version=one.version or None,
        purl=url,
        usage=said_how or usage.default(purls.kind_of(url)),
        why=f"SPDX: {kind or 'listed'}",
        license=learned(one.concluded if one.concluded not in _UNSAID else one.declared, path, one.line, Source.SBOM)
        if {one.concluded, one.declared} - _UNSAID
        else learned("", path, None),
        places=(Place(path, one.line, said(one.purl or one.name)),),
        direct=direct,
        optional=kind == "OPTIONAL_DEPENDENCY_OF",
    )
