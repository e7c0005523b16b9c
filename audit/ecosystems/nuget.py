"""NuGet: .NET's project files and shared ones, packages.config, packages.lock.json, and dotnet-tools.json for programs."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import json_text, xml_text
from audit.ecosystems.parsed_file import Graph, GraphRoot, ParsedFile, learned, said, table, text
from audit.ecosystems.purls import purl
from audit.facts import UNLEARNED, Source, Usage

_TOOLS: Final = {
    "DotNetCliToolReference": Usage.DEV_TOOL,
    "GlobalPackageReference": Usage.DEV_TOOL,
    "PackageDownload": Usage.BUILD_TOOL,
}
_REFERENCES: Final = frozenset({"PackageReference", *_TOOLS})
_TESTS: Final = "microsoft.net.test.sdk"  # A project that asks for it is one of tests.
_VERSION: Final = re.compile(r"\[?[ \t]*+(\d++(?:\.\d++){0,3}(?:[-+][0-9A-Za-z.+-]*+)?)[ \t]*+\]?")
_PROPERTY: Final = re.compile(r"\$\(([A-Za-z_][A-Za-z0-9_.-]*+)\)")
# All items of a kind: such an item only says more of items that stand elsewhere (`Update="@(PackageReference)"`).
_ITEMS: Final = re.compile(r"@\([^()]*\)")
_MAX_SUBSTITUTIONS: Final = 10  # Properties that are put in for one value, one after the other.
_MAX_VALUE_CHARACTERS: Final = 300
_OWN: Final = "project"
_DIRECT: Final = "direct"


def read(path: str, content: str) -> ParsedFile:
    """The packages that a project asks for, and the licence that it states of itself."""
    root = xml_text.load(content)
    properties = _properties(root)
    nodes = [node for node in _items(root) if node.name in _REFERENCES]
    nodes = [node for node in nodes if "Include" in node.attributes or not _ITEMS.fullmatch(_name(node))]
    tests = properties.get("IsTestProject", "").lower() == "true" or any(
        _name(node).lower() == _TESTS for node in nodes
    )
    found = DependencyList(path)
    for node in nodes:
        how, why = (Usage.TEST_ONLY, "a project of tests") if tests else _used(node)
        _add_asked(found, node, properties, how, f"{found.file}: {why}")
    _add_assemblies(found, root, Usage.TEST_ONLY if tests else Usage.DYNAMIC_LINK)
    _add_findings(found, nodes, properties)
    _add_outside(found, root)
    groups = (group.first("PackageLicenseExpression") for group in root.all("PropertyGroup"))
    own = next((node for node in groups if node is not None and node.words.strip()), None)
    return found.parsed(license=learned(own.words, path, own.line, Source.METADATA) if own else UNLEARNED)


def read_versions(path: str, content: str) -> ParsedFile:
    """Directory.Packages.props: versions for projects below, which count where one asks for the package."""
    root = xml_text.load(content)
    properties = _properties(root)
    found, graph = DependencyList(path), Graph(catalogue=True, resolved=False)
    for node in _items(root):
        if node.name in {"PackageVersion", "GlobalPackageReference"}:
            _add_asked(found, node, properties, Usage.UNKNOWN, "Directory.Packages.props")
        # It is part of every project, and as private as an analyzer.
        if node.name == "GlobalPackageReference":
            graph.roots.append(GraphRoot(_settled(_name(node), properties), *_used(node)))
    for dependency in found.dependencies:
        graph.add((dependency.name,))
    _add_findings(found, [item for item in _items(root) if item.name == "PackageVersion"], properties)
    return found.parsed(graph=graph)


def _items(root: xml_text.XmlElement) -> Iterator[xml_text.XmlElement]:
    """The items of all item groups, also below conditions."""
    waiting = list(reversed(root.children))
    while waiting:
        node = waiting.pop()
        if node.name == "ItemGroup":
            yield from node.children
        elif node.name in {"Choose", "When", "Otherwise"}:
            waiting += reversed(node.children)


def _value(node: xml_text.XmlElement, name: str) -> str:
    """An attribute, or the element of that name, both of which MSBuild reads."""
    return text(node.attributes.get(name, "") or node.get(name)).strip()


def _name(node: xml_text.XmlElement) -> str:
    return text(node.attributes.get("Include", "") or node.attributes.get("Update", "")).strip()


def _properties(root: xml_text.XmlElement) -> Mapping[str, str]:
    """Properties to which this file gives one value under all conditions; of others the value is not known here."""
    values: dict[str, set[str]] = {}
    for group in root.all("PropertyGroup"):
        for child in group.children:
            # A second value marks it: where the condition does not hold, another file may give one.
            conditional = "Condition" in group.attributes or "Condition" in child.attributes
            values.setdefault(child.name, set()).update(
                [child.words.strip()[:_MAX_VALUE_CHARACTERS], *(["$()"] if conditional else [])]
            )
    return {name: next(iter(stated)) for name, stated in values.items() if len(stated) == 1}


def _settled(words: str, properties: Mapping[str, str]) -> str:
    """A value with this file's properties put in; those of other files stay as they are written."""
    for _ in range(_MAX_SUBSTITUTIONS):
        found = _PROPERTY.search(words)
        if found is None or found[1] not in properties or len(words) > _MAX_VALUE_CHARACTERS:
            break
        words = words[: found.start()] + properties[found[1]] + words[found.end() :]
    return words[:_MAX_VALUE_CHARACTERS]


def _used(node: xml_text.XmlElement) -> tuple[Usage, str]:
    if node.name in _TOOLS:
        return _TOOLS[node.name], node.name
    # `all` keeps a package from those who use the project: analyzers and tools of the build are marked so.
    private = {asset.strip().lower() for asset in _value(node, "PrivateAssets").split(";")}
    # A package whose path the build is told may be put into the work all the same.
    taken = _value(node, "GeneratePathProperty").lower() == "true"
    if "all" in private and not taken:
        return Usage.DEV_TOOL, 'PrivateAssets="all"'
    return Usage.DYNAMIC_LINK, "PackageReference"


def _add_findings(found: DependencyList, nodes: Iterable[xml_text.XmlElement], properties: Mapping[str, str]) -> None:
    """Names and versions that other files, or conditions, decide."""
    for node in nodes:
        name, version = _settled(_name(node), properties), _settled(_written(node), properties)
        if "$(" in name or "@(" in name:
            found.unreadable(node.line, f"no value for {said(name)} in this file")
        elif "$(" in version:
            found.undetermined(node.line, f"{said(name)}: no one value for {said(version)} in this file")


def _written(node: xml_text.XmlElement) -> str:
    """The version that an item asks for."""
    # A project may override the version that Directory.Packages.props gives.
    return _value(node, "VersionOverride") or _value(node, "Version")


def _add_asked(
    found: DependencyList, node: xml_text.XmlElement, properties: Mapping[str, str], how: Usage, why: str
) -> None:
    """One item, which may name several packages."""
    names = [part.strip() for part in _settled(_name(node), properties).split(";")]
    written = _settled(_written(node), properties)
    # NuGet takes the lowest version that fits: `1.0` means 1.0 or later.
    exact = _VERSION.fullmatch(written)
    version = exact[1] if exact else None
    for name in names:
        if name and "$(" not in name and "@(" not in name and not node.attributes.get("Remove"):
            place = found.place(node.line, f"{name} {written}")
            found.add(place, name, version, purl("nuget", name, version), how, why, direct=True)


def _add_assemblies(found: DependencyList, root: xml_text.XmlElement, how: Usage) -> None:
    """Libraries that a `Reference` takes from a file; those of NuGet's folder `packages` stand in packages.config."""
    for node in _items(root):
        hint = _value(node, "HintPath").replace("\\", "/") if node.name == "Reference" else ""
        name = _name(node).partition(",")[0].strip()
        if hint and name and "$(" not in name and "packages" not in hint.lower().split("/"):
            place, why = found.place(node.line, hint), f"{found.file}: Reference"
            found.add(place, name, None, purl("generic", name), how, why, direct=True)


def _add_outside(found: DependencyList, root: xml_text.XmlElement) -> None:
    """Projects outside of the repository."""
    # Such a file counts for all projects below, and its paths lead from where each of them lies.
    is_shared = found.file.lower() in {"directory.build.props", "directory.build.targets"}
    for node in () if is_shared else _items(root):
        if node.name == "ProjectReference":
            for named in _name(node).split(";"):
                found.outside(named, node.line, named.strip())


def read_config(path: str, content: str) -> ParsedFile:
    """packages.config, NuGet's older list: it does not say which packages are direct, but which are for development."""
    found = DependencyList(path)
    for node in xml_text.load(content).all("package"):
        name, version = text(node.attributes.get("id")), text(node.attributes.get("version"))
        develops = node.attributes.get("developmentDependency", "").lower() == "true"
        how, why = (Usage.DEV_TOOL, "developmentDependency") if develops else (Usage.DYNAMIC_LINK, "what runs")
        if name:
            found.add(node.line, name, version, purl("nuget", name, version), how, f"packages.config: {why}")
    return found.parsed()


@dataclass
class _NugetPackage:
    """One package in all frameworks: `name`, `version`, `line`, if `direct`, its `keys` and `needs`."""

    name: str
    version: str
    line: int
    direct: bool = False
    keys: list[str] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)


def read_lock(path: str, content: str) -> ParsedFile:
    """packages.lock.json: each package in each version once; projects of the repository are its own."""
    packages: dict[tuple[str, str], _NugetPackage] = {}
    found, graph = DependencyList(path), Graph()
    for framework, listed in json_text.objects(json_text.top(content).get("dependencies")).items():
        for name, entry in json_text.objects(listed).items():
            kind = text(entry.get("type")).lower()
            needs = [f"{framework}:{text(need).lower()}" for need in table(entry.get("dependencies"))]
            if kind == _OWN:
                graph.own[name] = (*graph.own.get(name, ()), *needs)
                continue
            version = text(entry.get("resolved"))
            package = packages.setdefault((name.lower(), version), _NugetPackage(name, version, entry.line))
            package.direct |= kind == _DIRECT
            # `contentHash` is of the package without its signature, so it is no checksum of the archive at nuget.org.
            package.keys.append(f"{framework}:{name.lower()}")  # Each framework has a graph of its own.
            package.needs += needs
    for package in packages.values():
        url, why = purl("nuget", package.name, package.version), "packages.lock.json"
        found.add(package.line, package.name, package.version, url, Usage.UNKNOWN, why, direct=package.direct)
        graph.add(tuple(package.keys), dict.fromkeys(package.needs))
    found.own |= graph.own.keys()
    return found.parsed(graph=graph)


def read_tools(path: str, content: str) -> ParsedFile:
    """dotnet-tools.json: programs that developers of the repository run by `dotnet`."""
    found = DependencyList(path)
    for name, entry in json_text.objects(json_text.top(content).get("tools")).items():
        version = text(entry.get("version"))
        url = purl("nuget", name, version)
        found.add(entry.line, name, version, url, Usage.DEV_TOOL, "dotnet-tools.json", direct=True)
    return found.parsed()
