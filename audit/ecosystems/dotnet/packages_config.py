"""packages.config: NuGet's older list, in which every package stands with its exact version."""

from audit.ecosystems.formats import xml_text
from audit.ecosystems.parsed_file import ParsedFile, dependency_at, said, text
from audit.ecosystems.purls import purl
from audit.facts import Place, Usage


def read(path: str, content: str) -> ParsedFile:
    """All packages; which of them are direct nobody says, which ones develop their authors do."""
    found = []
    for node in xml_text.load(content).all("package"):
        name, version = text(node.attributes.get("id")), text(node.attributes.get("version"))
        if not name:
            continue
        develops = node.attributes.get("developmentDependency", "").lower() == "true"
        how, why = (Usage.DEV_TOOL, "developmentDependency") if develops else (Usage.DYNAMIC_LINK, "what runs")
        place, url = Place(path, node.line, said(f"{name} {version}")), purl("nuget", name, version)
        found.append(dependency_at(place, name, version, url, how, f"packages.config: {why}"))
    return ParsedFile(dependencies=tuple(found))
