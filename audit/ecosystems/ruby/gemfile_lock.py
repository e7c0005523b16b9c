"""Gemfile.lock: the gems that were taken, their origins and their needs; the groups for tests are in the Gemfile."""

import re
from dataclasses import dataclass, field
from typing import Final

from audit.ecosystems import artifacts, origins
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.parsed_file import Graph, GraphRoot, PackageDetails, ParsedFile, ParseError, said
from audit.ecosystems.purls import of_address, purl
from audit.facts import Usage

_SOURCES: Final = frozenset({"GEM", "GIT", "PATH", "PLUGIN SOURCE"})
_SECTION: Final = re.compile(r"[A-Z][A-Z ]*+")
_OPTION: Final = re.compile(r"  ([a-z_]++):(?: (.*+))?")
_SPEC: Final = re.compile(r"    ([A-Za-z0-9._-]++)(?: \(([^()\n]*+)\))?")
_NEED: Final = re.compile(r"      ([A-Za-z0-9._-]++)(?: \([^()\n]*+\))?")
_DIGEST: Final = re.compile(r"  ([A-Za-z0-9._-]++) \(([^()\n]*+)\) (sha\d++)=([0-9a-f]++)")
_ASKED: Final = re.compile(r"  ([A-Za-z0-9._-]++)(?: \([^()\n]*+\))?!?")


@dataclass
class _Gem:
    """One gem from `line` on: its `version`, its section (`source`), that section's `options`, and its `needs`."""

    version: str
    source: str
    options: dict[str, list[str]]
    line: int
    needs: set[str] = field(default_factory=set)


@dataclass
class _Lock(DependencyList):
    """The lock so far: `gems` by name and version (one for all platforms), `direct` ones, `sections`, and `digests`."""

    gems: dict[tuple[str, str], _Gem] = field(default_factory=dict)
    direct: set[str] = field(default_factory=set)
    sections: set[str] = field(default_factory=set)
    digests: dict[tuple[str, str], list[tuple[str, str]]] = field(default_factory=dict)


def read(path: str, content: str) -> ParsedFile:
    """All gems with their needs. Gems below PATH are the repository's own; their needs run with them.

    Raises ParseError for a file without any of Bundler's sections.
    """
    lock = _Lock(path)
    section, options, gem = "", dict[str, list[str]](), None
    for number, raw in enumerate(content.split("\n"), 1):
        line = raw.rstrip("\r")
        if line and not line.startswith(" "):
            section, options, gem = line.strip(), {}, None
            if _SECTION.fullmatch(section):
                lock.sections.add(section)
        elif section in _SOURCES:
            option = _OPTION.fullmatch(line)
            if option:
                options.setdefault(option[1], []).append((option[2] or "").strip())
                if (section, option[1]) == ("PATH", "remote"):
                    lock.outside(option[2] or "", number, line.strip())
            else:
                gem = _line(lock, line, gem, (section, options, number))
        elif section == "DEPENDENCIES" and (asked := _ASKED.fullmatch(line)):
            lock.direct.add(asked[1])
        elif section == "CHECKSUMS" and (digest := _DIGEST.fullmatch(line)):
            # Only newer Bundlers write it.
            lock.digests.setdefault((digest[1], _version(digest[2])), []).append((digest[3], digest[4]))
    if not lock.sections & (_SOURCES | {"DEPENDENCIES"}):
        raise ParseError("there is no section GEM, GIT, PATH or DEPENDENCIES: nothing was read of this file", 1)
    return _read(lock)


def _line(lock: _Lock, line: str, gem: _Gem | None, where: tuple[str, dict[str, list[str]], int]) -> _Gem | None:
    """A gem, or a need of the gem above; returns the gem to which the next line belongs."""
    spec = _SPEC.fullmatch(line)
    if spec:
        version = _version(spec[2] or "")
        return lock.gems.setdefault((spec[1], version), _Gem(version, *where))  # Each platform has an entry.
    need = _NEED.fullmatch(line)
    if need and gem:
        gem.needs.add(need[1])
    elif line.strip():
        lock.broken(where[2], f"no line of Gemfile.lock: {said(line.strip())!r}")
    return gem


def _version(written: str) -> str:
    return written.partition("-")[0]  # `1.18.0-x86_64-linux`.


def _read(lock: _Lock) -> ParsedFile:
    """Gems as dependencies; the graph begins where gems of the repository itself need something."""
    graph = Graph()
    for (name, _), gem in lock.gems.items():
        if gem.source == "PATH":
            graph.own[name] = tuple(sorted(gem.needs))
        else:
            _add(lock, name, gem)
            graph.add((name,), sorted(gem.needs))
    for name, needs in graph.own.items():
        others = (key for key in needs if key not in graph.own)
        # What these need runs with them.
        graph.roots += (GraphRoot(key, Usage.RUNTIME_IMPORT, f"Gemfile.lock: {name}") for key in others)
    lock.own |= graph.own.keys()
    return lock.parsed(graph=graph)


def _add(lock: _Lock, name: str, gem: _Gem) -> None:
    """One gem, from a registry or a repository."""
    remotes = gem.options.get("remote", [])
    digests = lock.digests.get((name, gem.version), [])
    # Of several platforms none is meant.
    more = PackageDetails(checksums=artifacts.checksum(*digests[0]) if len(digests) == 1 else ())
    if gem.source == "GIT":
        remote, revision = next(iter(remotes), ""), next(iter(gem.options.get("revision", [])), None)
        url, more["download"] = of_address(remote, revision, name), artifacts.repository(remote, revision)
    else:
        origin = next((remote for remote in remotes if origins.host(remote)), "")  # Any gem may be the private one's.
        url = origins.taken(purl("gem", name, gem.version), origin)
    more["direct"] = name in lock.direct
    lock.add(gem.line, name, gem.version, url, Usage.RUNTIME_IMPORT, "Gemfile.lock", **more)
