"""yarn.lock, of Yarn 1 (its own notation) and of Yarn 2 and later (YAML): entries by descriptor, with their needs."""

import re
from dataclasses import dataclass, field
from typing import Final

from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import yaml_text
from audit.ecosystems.npm import package_names
from audit.ecosystems.parsed_file import Graph, PackageDetails, ParsedFile, ParseError, said, text
from audit.facts import Usage

_HEAD: Final = re.compile(r"(\S.*+)(?<=:)[ \t]*+")
_PAIR: Final = re.compile(r"[ ]++(\"[^\"]*+\"|[^\s\"]++)[ \t]++(\"[^\"]*+\"|\S++)[ \t]*+")
_NEEDS: Final = frozenset({"dependencies", "optionalDependencies"})


@dataclass
class _YarnEntry:
    """An entry from `line` on: its `descriptors` (`name@range`), its `values`, and the descriptors it `needs`."""

    line: int
    descriptors: tuple[str, ...]
    values: dict[str, str] = field(default_factory=dict)
    needs: list[str] = field(default_factory=list)


def read(path: str, content: str) -> ParsedFile:
    """Every entry; only package.json knows which ones are direct, and which are for development."""
    entries = _berry(content) if is_berry(content) else _classic(content)
    found, graph = DependencyList(path), Graph()
    for entry in entries:
        name = _name(entry.descriptors[0])
        # Yarn links these from the tree.
        if entry.values.get("linkType") == "soft" or "@workspace:" in entry.descriptors[0]:
            found.own.add(name)
            continue
        meant = [package_names.package(name, descriptor[len(name) + 1 :]) for descriptor in entry.descriptors]
        # A resolution stands beside the range in whose place it is: `a@^1, a@npm:other@1`.
        real = next((package for package in meant if package and package.name != name), meant[0])
        if real is None or not name:
            continue
        resolved = entry.values.get("resolved", "") or _archive(entry.values.get("resolution", ""))
        package = package_names.of_lock(real.name, entry.values.get("version", ""), resolved)
        origin = artifacts.address(resolved) if _is_archive(resolved) else artifacts.of_address(resolved)
        more = PackageDetails(download=origin, checksums=artifacts.integrity(entry.values.get("integrity", "")))
        # Yarn 2's own `checksum` is of the archive that it makes of the registry's: no one else has that.
        if not more["checksums"] and _is_archive(resolved):
            # Before it wrote `integrity`, Yarn 1 had only the SHA-1 behind the address.
            more["checksums"] = artifacts.checksum("sha1", resolved.partition("#")[2])
        place = found.place(entry.line, entry.descriptors[0])
        found.add(place, package.name, package.version, package.purl, Usage.UNKNOWN, "yarn.lock", **more)
        graph.add((*entry.descriptors, name), entry.needs)
    return found.parsed(graph=graph)


def is_berry(content: str) -> bool:
    """Whether Yarn 2 or later wrote it, in YAML."""
    return "\n__metadata:" in content or content.startswith("__metadata:")


def _archive(resolution: str) -> str:
    # Yarn's own registry goes without saying; other addresses are in the resolution, the colons and slashes escaped.
    address = resolution[len(_name(resolution)) + 1 :]
    if "://" in address or address.startswith("git@"):
        return address.partition("::")[0].replace("#commit=", "#")
    return resolution.partition("::__archiveUrl=")[2].replace("%3A", ":").replace("%2F", "/")


def _is_archive(resolved: str) -> bool:
    """Whether the part behind `#` is the digest of an archive, and no commit."""
    return resolved.partition("#")[0].endswith((".tgz", ".tar.gz"))


def _name(descriptor: str) -> str:
    """`@scope/name` of `@scope/name@range`."""
    return descriptor[: descriptor.find("@", 1)] if "@" in descriptor[1:] else descriptor


def _classic(content: str) -> list[_YarnEntry]:
    entries: list[_YarnEntry] = []
    section = ""
    for number, raw in enumerate(content.split("\n"), 1):
        line = raw.rstrip("\r")
        if not line.strip() or line.startswith("#"):
            continue
        head = _HEAD.fullmatch(line)
        if head:
            names = tuple(descriptor.strip().strip('"') for descriptor in head[1].rstrip(":").split(","))
            entries.append(_YarnEntry(number, names))
            section = ""
        elif not entries or not line.startswith("  "):
            raise ParseError(f"no line of yarn.lock: {said(line)!r}", number)
        elif line.startswith("    "):
            pair = _PAIR.fullmatch(line)
            if pair and section in _NEEDS:
                entries[-1].needs.append(f"{text(pair[1]).strip(chr(34))}@{text(pair[2]).strip(chr(34))}")
        else:
            section = line.strip().rstrip(":")
            pair = _PAIR.fullmatch(line)
            if pair:
                entries[-1].values[pair[1]] = pair[2].strip('"')
    return entries


def _berry(content: str) -> list[_YarnEntry]:
    entries = []
    data = yaml_text.top(content)
    for names, value in data.items():
        entry = yaml_text.mapped(value)
        if names == "__metadata" or not entry:
            continue
        descriptors = tuple(_with_protocol(descriptor.strip()) for descriptor in names.split(","))
        values = {key: scalar for key, scalar in entry.items() if isinstance(scalar, str)}
        needs = [_with_protocol(f"{name}@{spec}") for name, spec in yaml_text.mapped(entry.get("dependencies")).items()]
        entries.append(_YarnEntry(data.lines.get(names, 0) or 1, descriptors, values, needs))
    return entries


def _with_protocol(descriptor: str) -> str:
    """The descriptor with its protocol: `a@^1` and `a@npm:^1` are the same; a patch counts as the patched package."""
    name = _name(descriptor)
    spec = descriptor[len(name) + 1 :]
    if spec.startswith("patch:"):
        patched = spec.removeprefix("patch:")
        spec = patched[len(_name(patched)) + 1 :].partition("#")[0].replace("%3A", ":")
    plain = spec.removeprefix("npm:")
    return f"{name}@{spec}" if "@" in plain else f"{name}@{plain}"  # `a@npm:b@^1` is another package.
