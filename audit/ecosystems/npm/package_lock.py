"""package-lock.json and npm-shrinkwrap.json, versions 1 to 3: npm itself marks packages as dev, optional and peer."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from audit.ecosystems import artifacts
from audit.ecosystems.formats import json_text
from audit.ecosystems.npm import package_names
from audit.ecosystems.npm.package_json import SECTIONS
from audit.ecosystems.origins import is_archive
from audit.ecosystems.parsed_file import Graph, PackageDetails, ParsedFile, dependency_at, learned, said, table, text
from audit.facts import Dependency, Place, Usage

_FOLDER: Final = "node_modules/"
DEPENDENCY_KEYS: Final = ("dependencies", "optionalDependencies", "peerDependencies")
_ELSEWHERE: Final = re.compile(r"(?!npm:)[^@]*[:/]")  # An address, a file or `owner/name`.
_MAX_FOLDER_PARTS: Final = 100  # Of a folder whose needs are followed: `resolved` looks at each part.
_MAX_NODE_MODULES_LEVELS: Final = 20  # In which a package is looked for, beside the root's.


def read(path: str, content: str) -> ParsedFile:
    """Every entry that is installed from elsewhere; workspaces are the repository's own."""
    data = json_text.top(content)
    packages = data.get("packages")
    return _flat(path, packages) if isinstance(packages, json_text.LocatedObject) else _nested(path, data)


def _flat(path: str, packages: json_text.LocatedObject) -> ParsedFile:
    entries = json_text.objects(packages)
    inside = {folder: workspace for folder, workspace in entries.items() if _FOLDER not in folder}
    asked = {
        (f"{folder}/" if folder else "", name) for folder, workspace in inside.items() for name in asked_by(workspace)
    }
    # A workspace's own folder may have its packages, or the root's.
    direct = {f"{_FOLDER}{name}" for _, name in asked} | {f"{at}{_FOLDER}{name}" for at, name in asked}
    found: list[Dependency] = []
    graph = Graph(decided=True)
    for folder, entry in entries.items():
        resolved_to = text(entry.get("resolved"))
        # npm's `install-links` copies folders.
        is_local = resolved_to.startswith("file:") and not is_archive(resolved_to)
        if folder in inside or entry.get("link") is True or is_local:
            continue
        # `name` stands there where the folder is called otherwise, as for an alias.
        name = text(entry.get("name")) or folder.rpartition(_FOLDER)[2]
        package = package_names.of_lock(name, text(entry.get("version")), resolved_to)
        found.append(_dependency(path, package, resolved_to, entry, direct=folder in direct))
        graph.add((folder,), resolved(folder, asked_by(entry, DEPENDENCY_KEYS), entries))
    own = {text(workspace.get("name")) or folder.rpartition("/")[2] for folder, workspace in inside.items()}
    return ParsedFile(dependencies=tuple(found), graph=graph, own=frozenset(own - {""}))


def asked_by(entry: Mapping[str, Any], sections: Iterable[str] = SECTIONS) -> list[str]:
    """The names that a package's own words ask for, below these keys."""
    return [text(name) for section in sections for name in table(entry.get(section))]


def resolved(folder: str, names: Iterable[str], entries: Collection[str]) -> Iterator[str]:
    """The folders where Node.js finds packages of these names: the nearest node_modules, from the asker upwards."""
    # Each level is looked at for each name: a made-up folder of many levels would take quadratic time.
    parts = folder.split("/", _MAX_FOLDER_PARTS + 1)
    if len(parts) > _MAX_FOLDER_PARTS:
        return
    above = [f"{'/'.join(parts[:at])}/{_FOLDER}" for at in range(len(parts), 0, -1) if parts[at - 1] != "node_modules"]
    shelves = [*above[:_MAX_NODE_MODULES_LEVELS], _FOLDER]
    for name in names:
        place = next((candidate for shelf in shelves if (candidate := f"{shelf}{name}") in entries), None)
        if place:
            yield place


def _nested(path: str, data: json_text.LocatedObject) -> ParsedFile:
    """Version 1: dependencies within dependencies; which ones are direct stands in package.json alone."""
    found: list[tuple[Dependency, str, list[str]]] = []
    folders: set[str] = set()
    waiting = [(data, "", 0)]  # A list, as levels may be deeper than Python recurses.
    while waiting:
        holder, above, depth = waiting.pop()
        for name, entry in json_text.objects(holder.get("dependencies")).items():
            version = text(entry.get("version"))
            folder = f"{above}{_FOLDER}{name}" if depth < _MAX_FOLDER_PARTS // 4 else ""
            if not version.startswith("file:") or is_archive(version):
                package = package_names.package(name, version)
                if package:
                    resolved_to = version if _ELSEWHERE.match(version) else text(entry.get("resolved"))
                    if resolved_to != version:
                        package = package_names.of_lock(package.name, package.version or version, resolved_to)
                    asked = asked_by(entry, ["requires"]) if folder else []
                    direct = None if depth == 0 else False
                    found.append((_dependency(path, package, resolved_to, entry, direct=direct), folder, asked))
                    folders.add(folder)
            waiting.append((entry, f"{folder}/" if folder else "", depth + 1))
    found.sort(key=lambda each: (each[0].places[0].line or 0, each[0].name))  # In the order of the file again.
    graph = Graph(decided=True)
    for _, folder, asked in found:
        graph.add((folder,) if folder else (), resolved(folder, asked, folders))
    return ParsedFile(dependencies=tuple(dependency for dependency, _, _ in found), graph=graph)


def _dependency(
    path: str,
    package: package_names.ResolvedPackage,
    address: str,
    entry: json_text.LocatedObject,
    *,
    direct: bool | None,
) -> Dependency:
    flags = [
        flag for flag in ("dev", "optional", "devOptional", "peer", "inBundle", "bundled") if entry.get(flag) is True
    ]
    how, why = Usage.DEV_TOOL if "dev" in flags else Usage.RUNTIME_IMPORT, ", ".join(flags) or "what runs"
    more: PackageDetails = {"direct": direct, "optional": "optional" in flags or "devOptional" in flags}
    stated = entry.get("license")  # As npm copied it, older forms included.
    license_text = text(stated) or text(table(stated).get("type"))
    more |= {"download": artifacts.of_address(address), "license": learned(license_text, path, entry.line)}
    more["checksums"] = artifacts.integrity(text(entry.get("integrity")))
    place = Place(path, entry.line, said(f"{package.name}@{package.version or ''}"))
    return dependency_at(place, package.name, package.version, package.purl, how, f"package-lock.json: {why}", **more)
