"""packages.lock.json: which NuGet packages each target framework has taken; and dotnet-tools.json, which lists programs."""

import base64
import binascii
from dataclasses import dataclass, field
from typing import Final

from audit.ecosystems import artifacts
from audit.ecosystems.formats import json_text
from audit.ecosystems.parsed_file import Graph, PackageDetails, ParsedFile, dependency_at, said, table, text
from audit.ecosystems.purls import purl
from audit.facts import Checksum, Dependency, Place, Usage

_OWN: Final = "project"
_DIRECT: Final = "direct"
_MAX_HASH_CHARACTERS: Final = 200


@dataclass
class _NugetPackage:
    """One package in one version, in all frameworks together."""

    name: str
    version: str
    line: int
    direct: bool = False
    checksums: tuple[Checksum, ...] = ()
    keys: list[str] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)


def read(path: str, content: str) -> ParsedFile:
    """Each package in each version once; projects of the repository are its own."""
    found: dict[tuple[str, str], _NugetPackage] = {}
    graph = Graph()
    for framework, listed in json_text.objects(json_text.top(content).get("dependencies")).items():
        for name, entry in json_text.objects(listed).items():
            kind = text(entry.get("type")).lower()
            needs = [f"{framework}:{text(one).lower()}" for one in table(entry.get("dependencies"))]
            if kind == _OWN:
                graph.own[name] = (*graph.own.get(name, ()), *needs)
                continue
            version = text(entry.get("resolved"))
            package = found.setdefault((name.lower(), version), _NugetPackage(name, version, entry.line))
            package.direct |= kind == _DIRECT
            package.checksums = package.checksums or content_hash(text(entry.get("contentHash")))
            package.keys.append(f"{framework}:{name.lower()}")
            package.needs += needs
    for package in found.values():
        graph.add(tuple(package.keys), dict.fromkeys(package.needs))
    dependencies = tuple(_dependency(path, package) for package in found.values())
    return ParsedFile(dependencies=dependencies, graph=graph, own=frozenset(graph.own))


def _dependency(path: str, one: _NugetPackage) -> Dependency:
    """One package; how it is used is the project file's to say."""
    place, url = Place(path, one.line, said(f"{one.name} {one.version}")), purl("nuget", one.name, one.version)
    more: PackageDetails = {"direct": one.direct, "checksums": one.checksums}
    return dependency_at(place, one.name, one.version, url, Usage.UNKNOWN, "packages.lock.json", **more)


def content_hash(written: str) -> tuple[Checksum, ...]:
    """The checksum of a package's archive, which NuGet writes as SHA-512 in Base64."""
    try:
        return artifacts.checksum("sha512", base64.b64decode(written[:_MAX_HASH_CHARACTERS], validate=True).hex())
    except (binascii.Error, ValueError):
        return ()


def read_tools(path: str, content: str) -> ParsedFile:
    """dotnet-tools.json: programs that developers of the repository run by `dotnet`."""
    found = []
    for name, entry in json_text.objects(json_text.top(content).get("tools")).items():
        version = text(entry.get("version"))
        place, url = Place(path, entry.line, said(f"{name} {version}")), purl("nuget", name, version)
        found.append(dependency_at(place, name, version, url, Usage.DEV_TOOL, "dotnet-tools.json", direct=True))
    return ParsedFile(dependencies=tuple(found))
