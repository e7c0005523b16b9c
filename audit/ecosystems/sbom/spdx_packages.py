"""SPDX 2.2 and 2.3 in every notation: packages, and relationships that say how each is used."""

from typing import TYPE_CHECKING, Final

from audit import usage
from audit.ecosystems import purls
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.parsed_file import Graph, PackageDetails, ParsedFile, learned
from audit.facts import Source, Usage

if TYPE_CHECKING:
    from audit.ecosystems.sbom.spdx_elements import SpdxPackage

USAGE_OF_RELATIONSHIP: Final = {  # `A type B`: how A uses B; None: as the ecosystem does by default.
    "STATIC_LINK": Usage.STATIC_LINK,
    "DYNAMIC_LINK": Usage.DYNAMIC_LINK,
    "CONTAINS": Usage.BUNDLED,
    "DEPENDS_ON": None,
    "GENERATED_FROM": Usage.GENERATED_OUTPUT,
    "HAS_OPTIONAL_DEPENDENCY": None,
    "HAS_PREREQUISITE": None,
}
USAGE_OF_INVERSE_RELATIONSHIP: Final = {  # `B type A`: how A uses B.
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
_OURS: Final = "Tool: countersign"


def read(notation: str, path: str, content: str) -> ParsedFile:
    """A document in one of SPDX's notations: `json`, `yaml`, `xml`, `rdf` or `tags`."""
    from audit.ecosystems.sbom import spdx_parser  # noqa: PLC0415 - spdx-tools takes 0.3 seconds to load

    document = spdx_parser.PARSERS[notation](content)
    if any(creator.startswith(_OURS) for creator in document.creators):
        return ParsedFile()  # Our own documents teach nothing new.
    # SPDX writes the roots in either direction.
    roots = {right for left, kind, right in document.relations if kind == "DESCRIBES" and left.endswith("DOCUMENT")}
    roots |= {left for left, kind, right in document.relations if kind == "DESCRIBED_BY" and right.endswith("DOCUMENT")}
    how: dict[str, tuple[Usage | None, str, bool]] = {}
    for left, kind, right in document.relations:
        if kind in USAGE_OF_RELATIONSHIP:
            user, used, said_how = left, right, USAGE_OF_RELATIONSHIP[kind]
        elif kind in USAGE_OF_INVERSE_RELATIONSHIP:
            user, used, said_how = right, left, USAGE_OF_INVERSE_RELATIONSHIP[kind]
        else:
            continue
        old = how.get(used)
        direct = user in roots or bool(old and old[2])
        # Of several relationships the one that binds most counts.
        if old is None or (said_how and (old[0] is None or usage.strongest(said_how, old[0]) is said_how)):
            how[used] = (said_how, kind, direct)
        elif direct:
            how[used] = (old[0], old[1], direct)
    found = DependencyList(path)
    for package in document.packages:
        if package.id not in roots and package.name:
            _add(found, package, how.get(package.id))
    for kind in sorted({kind for kind, _, _ in document.faults}):  # One finding for each kind of element.
        lines = [(line, why) for one_kind, line, why in document.faults if one_kind == kind]
        line, why = lines[0]
        found.broken(line, f"{len(lines)} of its {kind} could not be read: passed over (the first: {why})")
    return found.parsed(graph=Graph(decided=True, resolved=False))


def _add(found: DependencyList, package: "SpdxPackage", how: tuple[Usage | None, str, bool] | None) -> None:
    url = purls.canonical(package.purl)
    said_how, kind, direct = how or (None, "", None)
    used_so = said_how or usage.default(purls.kind_of(url))
    more = PackageDetails(direct=direct, optional=kind == "OPTIONAL_DEPENDENCY_OF")
    more["license"] = learned(package.license, found.path, package.line, Source.SBOM)
    place = found.place(package.line, package.purl or package.name)
    found.add(place, package.name, package.version, url, used_so, f"SPDX: {kind or 'listed'}", **more)
