"""conda-lock.yml and pixi.lock: archives of Conda and of PyPI for each platform, and the parts that need them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from audit import usage
from audit.ecosystems import artifacts
from audit.ecosystems.conda.archive import of_address, purl
from audit.ecosystems.formats import yaml_text
from audit.ecosystems.origins import taken
from audit.ecosystems.parsed_file import (
    Graph,
    PackageDetails,
    ParsedFile,
    dependency_at,
    learned,
    rows,
    said,
    text,
    texts,
)
from audit.ecosystems.purls import purl as of_registry
from audit.ecosystems.python import specifiers
from audit.facts import UNLEARNED, Checksum, Dependency, Learned, Place, Usage

_MAIN: Final = frozenset({"main", "default"})


@dataclass
class _CondaPackage:
    """One package in one version, on all platforms together."""

    kind: str
    name: str
    version: str
    purl: str | None
    line: int
    groups: set[str]
    needs: set[str]
    license: Learned = UNLEARNED
    archives: list[tuple[str, tuple[Checksum, ...]]] = field(default_factory=list)


def _read(path: str, why: str, packages: Iterable[_CondaPackage]) -> ParsedFile:
    """All of them, each once; the archive is told where there is one for all platforms."""
    found: dict[str, _CondaPackage] = {}
    for one in packages:
        known = found.setdefault(one.purl or f"{one.kind} {one.name} {one.version}", one)
        if known is not one:
            known.groups |= one.groups
            known.needs |= one.needs
            known.archives += [each for each in one.archives if each not in known.archives]
    graph = Graph(decided=True)
    for one in found.values():
        graph.add((f"{one.kind} {one.name}",), sorted(f"{one.kind} {name}" for name in one.needs))
    return ParsedFile(dependencies=tuple(_dependency(path, why, one) for one in found.values()), graph=graph)


def _dependency(path: str, why: str, one: _CondaPackage) -> Dependency:
    """One package, used as the most binding of its groups."""
    groups = sorted(one.groups) or ["main"]
    how = usage.strongest(*(_group(name) for name in groups))
    more: PackageDetails = {"license": one.license}
    if len(one.archives) == 1:
        more["download"], more["checksums"] = one.archives[0]
    place = Place(path, one.line, said(f"{one.name} {one.version}"))
    return dependency_at(place, one.name, one.version, one.purl, how, f"{why}: {said(', '.join(groups))}", **more)


def _group(name: str) -> Usage:
    """A category of conda-lock's, or an environment of Pixi's."""
    return (None if name in _MAIN else usage.group(name)) or Usage.RUNTIME_IMPORT


def read(path: str, content: str) -> ParsedFile:
    """conda-lock.yml: `category` tells which of several source files asked for a package."""
    return _read(path, "conda-lock.yml", (_locked(one) for one in _mappings(yaml_text.top(content), "package")))


def _locked(entry: yaml_text.YamlMapping) -> _CondaPackage:
    """One package on one platform."""
    name, version, kind = (text(entry.get(key)) for key in ("name", "version", "manager"))
    kind = "pip" if kind == "pip" else "conda"
    sums = yaml_text.mapped(entry.get("hash"))
    groups = {text(entry.get("category")), *texts(entry.get("categories") or [])} - {""}
    needs = set(yaml_text.mapped(entry.get("dependencies")))
    return _package(kind, name, version, text(entry.get("url")), sums, entry.line, groups, needs)


def _package(  # noqa: PLR0913, PLR0917 - the parts of an entry, as two kinds of files spell them
    kind: str, name: str, version: str, url: str, sums: Mapping[str, Any], line: int, groups: set[str], needs: set[str]
) -> _CondaPackage:
    """One package of Conda or of PyPI."""
    archive = of_address(url) if kind == "conda" else None
    address = archive.address if archive else artifacts.address(url)
    if kind == "conda":
        name, version = name or (archive.name if archive else ""), version or (archive.version if archive else "")
        known = purl(name, version or None, archive.channel if archive else "", url)
    else:
        known = taken(of_registry("pypi", specifiers.normalize(name), version or None), url)
    digest = artifacts.checksum("sha256", text(sums.get("sha256"))) or artifacts.checksum("md5", text(sums.get("md5")))
    archives = [(address, digest)] if address else []
    return _CondaPackage(kind, name, version, known, line, groups, needs, archives=archives)


def read_pixi(path: str, content: str) -> ParsedFile:
    """pixi.lock, versions 4 to 6: environments name addresses, and packages below them say what lies there."""
    data = yaml_text.top(content)
    groups = _environments(data)
    return _read(path, "pixi.lock", _pixi(path, data, groups))


def _environments(data: yaml_text.YamlMapping) -> dict[str, set[str]]:
    """The environments in which an address is used."""
    found: dict[str, set[str]] = {}
    for name, value in yaml_text.mapped(data.get("environments")).items():
        for listed in yaml_text.mapped(yaml_text.mapped(value).get("packages")).values():
            for one in rows(listed):
                entry = yaml_text.mapped(one)
                for kind in ("conda", "pypi"):
                    if kind in entry:
                        found.setdefault(text(entry[kind]), set()).add(name)
    return found


def _pixi(path: str, data: yaml_text.YamlMapping, groups: Mapping[str, set[str]]) -> Iterable[_CondaPackage]:
    """Packages in both spellings: `- conda: address`, and `kind`, `url` before version 6. Folders are the repository's own."""
    for entry in _mappings(data, "packages"):
        kind = text(entry.get("kind")) or ("conda" if "conda" in entry else "pypi")
        url = text(entry.get("url")) or text(entry.get("conda")) or text(entry.get("pypi")) or text(entry.get("path"))
        if "://" not in url:
            continue
        kind = "conda" if kind == "conda" else "pip"
        needs = {one.split()[0] for one in texts(entry.get("depends") or []) if one.split()}
        name, version = text(entry.get("name")), text(entry.get("version"))
        one = _package(kind, name, version, url, entry, entry.line, set(groups.get(url, ())), needs)
        one.license = learned(entry.get("license"), path, entry.line)
        yield one


def _mappings(data: yaml_text.YamlMapping, key: str) -> list[yaml_text.YamlMapping]:
    return [one for one in rows(data.get(key)) if isinstance(one, yaml_text.YamlMapping)]
