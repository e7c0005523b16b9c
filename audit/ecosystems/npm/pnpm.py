"""pnpm-lock.yaml, lockfile versions 5 to 9: importers are the repository's packages, the rest hangs on them."""

import re
from typing import Any, Final

from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import yaml_text
from audit.ecosystems.npm import package_json, package_names
from audit.ecosystems.origins import is_archive, of_archive
from audit.ecosystems.parsed_file import Graph, GraphRoot, PackageDetails, ParsedFile, text
from audit.facts import Usage

# pnpm 11 and later may lock, in a document before the project's, itself and what sets it up (pnpm.io/lockfile).
_SETUP: Final = ("configDependencies", "packageManagerDependencies")
SECTIONS: Final = package_json.SECTIONS | dict.fromkeys(_SETUP, Usage.DEV_TOOL)
_OLD: Final = re.compile(r"/((?:@[^/]++/)?[^/]++)/([^/]++)")  # Version 5: `/name/1.0.0`.
_LOCAL: Final = ("link:", "file:", "workspace:")


def read(path: str, content: str) -> ParsedFile:
    """Every package with its needs; the graph begins at the importers."""
    data = yaml_text.merged(content)
    found, graph = DependencyList(path), Graph(roots=_roots(data))
    needs: dict[str, set[str]] = {}
    # Version 9 of the file keeps what packages need apart from the packages.
    for holder in (yaml_text.mapped(data.get(key)) for key in ("packages", "snapshots")):
        for written, value in holder.items():
            entry = yaml_text.mapped(value)
            name, version = _split(written, entry)
            key = f"{name}@{version}"
            is_folder = text(yaml_text.mapped(entry.get("resolution")).get("type")) == "directory"
            if not name or is_folder or (version.startswith(_LOCAL) and not is_archive(version)):
                continue
            if key not in needs:  # One entry for each set of peers.
                _add(found, name, version, entry, holder.lines.get(written))
            needs.setdefault(key, set()).update(
                _target(needed, to)
                for section in ("dependencies", "optionalDependencies")
                for needed, to in yaml_text.mapped(entry.get(section)).items()
            )
    for key, dependency in zip(needs, found.dependencies, strict=True):
        graph.add((key, dependency.name), sorted(needs[key]))
    return found.parsed(graph=graph)


def _add(found: DependencyList, name: str, version: str, entry: yaml_text.YamlMapping, line: int | None) -> None:
    package = package_names.package(name, version)
    named = package or package_names.ResolvedPackage(
        name, version or None, package_names.registry(name, version or None)
    )
    stated = text(entry.get("version")) or named.version
    resolution = yaml_text.mapped(entry.get("resolution"))
    archive, commit = text(resolution.get("tarball")), text(resolution.get("commit"))
    origin = artifacts.repository(text(resolution.get("repo")), commit) if commit else artifacts.address(archive)
    # All values are texts here.
    more: PackageDetails = {"optional": entry.get("optional") == "true", "download": origin}
    more["checksums"] = artifacts.integrity(text(resolution.get("integrity")))
    place, url = found.place(line, f"{name}@{version}"), of_archive(named.purl, archive)
    found.add(place, named.name, stated, url, Usage.UNKNOWN, "pnpm-lock.yaml", **more)


def _split(written: str, entry: yaml_text.YamlMapping) -> tuple[str, str]:
    """Name and version of a key: `/a/1.0.0_peer` (5), `/a@1.0.0(peer)` (6), `a@1.0.0(peer)` (9)."""
    bare = written.partition("(")[0]
    if text(entry.get("name")):
        return text(entry.get("name")), text(entry.get("version")) or _bare(bare)
    old = _OLD.fullmatch(bare)
    if old and "@" not in old[2].partition("_")[0]:
        return old[1], _bare(old[2])
    bare = bare.removeprefix("/")
    at = bare.find("@", 1)
    return (bare[:at], bare[at + 1 :]) if at > 0 else (bare, "")


def _bare(version: str) -> str:
    return version.partition("(")[0].partition("_")[0]


def _target(name: str, value: Any) -> str:
    """The key of what `name: version` means; an alias is written `other@1.0.0` or `/other/1.0.0`."""
    version = text(yaml_text.mapped(value).get("version")) or text(value)
    if version.startswith("/"):
        return "@".join(_split(version, yaml_text.YamlMapping(0)))
    bare = _bare(version) if "://" not in version else version.partition("(")[0]
    return bare if "@" in bare[1:] and "://" not in bare else f"{name}@{bare}"


def _roots(data: yaml_text.YamlMapping) -> list[GraphRoot]:
    """The requests of the importers; before version 9 a lone importer may be the file itself."""
    importers = yaml_text.mapped(data.get("importers"))
    parts = [yaml_text.mapped(importer) for importer in importers.values()] or [data]
    return [
        GraphRoot(_target(name, value), how, f"pnpm-lock.yaml: {section}", optional=section == "optionalDependencies")
        for part in parts
        for section, how in SECTIONS.items()
        for name, value in yaml_text.mapped(part.get(section)).items()
    ]
