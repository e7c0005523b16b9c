"""bun.lock: Bun's text lock file, JSON with commas at the ends; each package by the way to it, as in node_modules."""

import re
from collections.abc import Mapping
from typing import Any, Final

from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import json_text
from audit.ecosystems.npm import package_names
from audit.ecosystems.npm.package_json import SECTIONS
from audit.ecosystems.npm.package_lock import DEPENDENCY_KEYS, asked_by, resolved
from audit.ecosystems.origins import is_archive, of_archive
from audit.ecosystems.parsed_file import Graph, GraphRoot, PackageDetails, ParsedFile, rows, said, table, text
from audit.facts import Usage

_TOKEN: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|,(?=\s*+[}\]])|//[^\n]*+|/\*.*?(?:\*/|\Z)', re.DOTALL)
_NAME: Final = re.compile(r"(?:@[^/]++/)?[^/]++")
_OURS: Final = ("workspace:", "root:", "link:")  # Folders of the repository.


def top(content: str) -> json_text.LocatedObject:
    """The object of the file; comments and commas at the ends become spaces, so that every line stays where it is."""
    return json_text.top(
        _TOKEN.sub(lambda match: match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0]), content)
    )


def read(path: str, content: str) -> ParsedFile:
    """Every package that comes from elsewhere; the graph begins at the workspaces."""
    data = top(content)
    entries, lines = table(data.get("packages")), json_text.lines_of(data.get("packages"))
    folders = {_folder(key): key for key in entries}
    workspaces = json_text.objects(data.get("workspaces"))
    found, graph = DependencyList(path), Graph(roots=_roots(workspaces, folders))
    for folder, key in folders.items():
        entry = rows(entries[key])
        if not entry or not isinstance(entry[0], str):
            found.broken(lines.get(key), f"no entry of bun.lock: {said(key)!r}")
        elif _add(found, entry, lines.get(key)):
            asked = [name for part in entry if isinstance(part, dict) for name in asked_by(part, DEPENDENCY_KEYS)]
            graph.add((folder,), resolved(folder, asked, folders))
    found.own |= {text(workspace.get("name")) for workspace in workspaces.values()}
    return found.parsed(graph=graph)


def _folder(key: str) -> str:
    """`a/@s/b` is what `node_modules/a/node_modules/@s/b` holds."""
    # Without a scope, each `/` is a level.
    return "/".join(f"node_modules/{name}" for name in _NAME.findall(key))


def _add(found: DependencyList, entry: list[Any], line: int | None) -> bool:
    """`["name@1.0.0", registry, {…}, integrity]`, or `["name@address", {…}, …]`; False for a folder of the repository."""
    written = text(entry[0])
    at = written.find("@", 1)
    name, spec = (written[:at], written[at + 1 :]) if at > 0 else (written, "")
    package = package_names.package(name, spec) if name and not spec.startswith(_OURS) else None
    if package is None:
        return False
    more = PackageDetails(checksums=artifacts.integrity(text(entry[-1])))  # A repository has none.
    more["download"] = artifacts.address(spec) if is_archive(spec) else None
    purl = of_archive(package.purl, text(entry[1]) if len(entry) > 1 else "")
    found.add(found.place(line, written), package.name, package.version, purl, Usage.UNKNOWN, "bun.lock", **more)
    return True


def _roots(workspaces: Mapping[str, json_text.LocatedObject], folders: Mapping[str, str]) -> list[GraphRoot]:
    """The requests of the repository's own packages; one of them finds first the packages below its own name."""
    return [
        GraphRoot(key, how, f"bun.lock: {section}", optional=section == "optionalDependencies")
        for workspace in workspaces.values()
        for section, how in SECTIONS.items()
        for key in resolved(_folder(text(workspace.get("name"))), map(text, table(workspace.get(section))), folders)
    ]
