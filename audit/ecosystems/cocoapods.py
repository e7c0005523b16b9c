"""CocoaPods: Podfile.lock has every pod with its version, what it needs, and whence it came."""

import re
from typing import Final

from audit.ecosystems import artifacts
from audit.ecosystems.formats import yaml_text
from audit.ecosystems.origins import NO_REGISTRY, host, named
from audit.ecosystems.parsed_file import Details, Graph, Read, Root, dependency_at, rows, said, text
from audit.ecosystems.purls import of_address, purl
from audit.facts import Dependency, Place, Usage

_POD: Final = re.compile(r"([^\s(/]++)((?:/[^\s(]++)?)(?:[ \t]++\(([^)]*+)\))?")
_TRUNK: Final = frozenset({"trunk", "https://github.com/cocoapods/specs", "https://cdn.cocoapods.org"})


def read(path: str, content: str) -> Read:
    """Every pod once, its subspecs together; one in a folder of the repository is its own."""
    data = yaml_text.top(content)
    sources = yaml_text.mapped(data.get("EXTERNAL SOURCES"))
    taken = yaml_text.mapped(data.get("CHECKOUT OPTIONS"))
    repositories = {
        text(pod): where
        for where, pods in yaml_text.mapped(data.get("SPEC REPOS")).items()
        for pod in rows(pods)
        if where.lower().removesuffix("/").removesuffix(".git") not in _TRUNK
    }
    pods: dict[str, str] = {}
    needs: dict[str, set[str]] = {}
    for entry in rows(data.get("PODS")):
        written, listed = next(iter(entry.items()), ("", [])) if isinstance(entry, dict) else (text(entry), [])
        pod = _POD.match(written)
        if pod and ":path" not in yaml_text.mapped(sources.get(pod[1])):
            pods.setdefault(pod[1], pod[3] or "")
            needs.setdefault(pod[1], set()).update(_name(one) for one in rows(listed))
    lines = _lines(content, pods)
    found = []
    for name, version in pods.items():
        place = Place(path, lines.get(name), said(f"{name} {version}"))
        options = yaml_text.mapped(taken.get(name) or sources.get(name))
        found.append(_dependency(place, name, version, options, repositories.get(name, "")))
    direct = tuple(_name(one) for one in rows(data.get("DEPENDENCIES")))
    roots = tuple(Root(name, Usage.STATIC_LINK, "DEPENDENCIES") for name in direct)
    keys = tuple((name,) for name in pods)
    graph = Graph(keys, tuple(tuple(sorted(needs[name] - {name})) for name in pods), roots, own={"Podfile": direct})
    return Read(dependencies=tuple(found), graph=graph)


def _name(written: object) -> str:
    """The pod of `Name/Part (~> 1.0)`."""
    pod = _POD.match(text(written))
    return pod[1] if pod else ""


def _dependency(place: Place, name: str, version: str, options: yaml_text.Mapped, repository: str) -> Dependency:
    """A pod of the public specs, of somebody's own, or of a repository at its commit."""
    git = text(options.get(":git"))
    mark = text(options.get(":commit")) or text(options.get(":tag")) or version
    elsewhere = host(repository) or repository or (NO_REGISTRY if options else "")
    url = of_address(git, mark, name) if git else named(purl("cocoapods", name, version or None), elsewhere)
    more: Details = {"download": artifacts.repository(git, mark) if git else None}
    return dependency_at(place, name, version, url, Usage.STATIC_LINK, "Podfile.lock", **more)


def _lines(content: str, pods: dict[str, str]) -> dict[str, int]:
    """The line at which each pod is listed first."""
    found: dict[str, int] = {}
    for number, line in enumerate(content.split("\n"), 1):
        pod = _POD.match(line.removeprefix("  - ").strip("\"'")) if line.startswith("  - ") else None
        if pod and pod[1] in pods:
            found.setdefault(pod[1], number)
    return found
