"""packages.config: NuGet's older list, in which every package stands with its exact version."""

from audit.ecosystems.formats import xml_text
from audit.ecosystems.purls import purl
from audit.ecosystems.reading import Read, said, text
from audit.facts import Dependency, Place, Usage


def read(path: str, content: str) -> Read:
    """All packages; which of them are direct nobody says, which ones develop their authors do."""
    found = []
    for node in xml_text.load(content).all("package"):
        name, version = text(node.attributes.get("id")), text(node.attributes.get("version"))
        if not name:
            continue
        develops = node.attributes.get("developmentDependency", "").lower() == "true"
        found.append(
            Dependency(
                name=name,
                version=version or None,
                purl=purl("nuget", name, version or None),
                usage=Usage.DEV_TOOL if develops else Usage.DYNAMIC_LINK,
                why="packages.config" + (": developmentDependency" if develops else ": what runs"),
                places=(Place(path, node.line, said(f"{name} {version}")),),
            )
        )
    return Read(dependencies=tuple(found))
