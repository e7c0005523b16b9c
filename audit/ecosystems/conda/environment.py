"""environment.yml: what a Conda environment is made of, and what pip adds to it; and explicit lists of archives."""

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from audit import usage
from audit.ecosystems import artifacts
from audit.ecosystems.conda.archive import of_address, purl
from audit.ecosystems.formats import yaml_text
from audit.ecosystems.parsed_file import Graph, PackageDetails, ParsedFile, dependency_at, finding, rows, said, text
from audit.ecosystems.python import requirements
from audit.facts import Dependency, Finding, Place, Usage

_ITEM: Final = re.compile(r"[ \t]*+-[ \t]++([^\n#]*+)")
_SPEC: Final = re.compile(
    r"(?:(?P<channel>[A-Za-z0-9._/:-]+?)::)?(?P<name>[A-Za-z0-9_][A-Za-z0-9_.-]*+)[ \t]*+(?P<rest>[^\n]*+)"
)
_EXACT: Final = re.compile(
    r"==[ \t]*+(?P<two>[0-9A-Za-z_.!+]++)(?:=\S++)?|=[ \t]*+(?P<one>[0-9A-Za-z_.!+]++)=[^\s*]\S*+|(?P<bare>\d[0-9A-Za-z_.!+]*+)(?:[ \t]++\S++)?"
)
_EXPLICIT: Final = "@EXPLICIT"
_KINDS: Final = {32: "md5", 64: "sha256"}
_DIGEST: Final = re.compile(r"#(?:sha256:)?([0-9a-f]{32}|[0-9a-f]{64})")


def read(path: str, content: str) -> ParsedFile:
    """The packages of an environment, those that pip adds, too; a version counts where it is exact, `=1.2` is a range.

    Files named after tools say so: `environment-dev.yml`.
    """
    data = yaml_text.top(content)
    lines = _lines(content)
    how, why = _used(path, text(data.get("name")))
    found: list[Dependency] = []
    channels = [one for one in map(text, rows(data.get("channels"))) if one != "nodefaults"]
    alone = channels[0] if len(channels) == 1 else ""
    pip: list[str] = []
    for one in rows(data.get("dependencies")):
        if isinstance(one, str):
            asked = _asked(one, alone, Place(path, lines.get(one.strip()), said(one)), how, why)
            found += [asked] if asked else []
        else:
            pip += [text(each) for each in rows(yaml_text.mapped(one).get("pip"))]
    added = _of_pip(path, pip, lines)
    listed = (replace(one, usage=how, why=f"{why}, by pip") for one in added.dependencies)
    return ParsedFile(dependencies=(*found, *listed), findings=added.findings, includes=added.includes)


def _used(path: str, environment: str) -> tuple[Usage, str]:
    """What the file's name says, or that of the environment (`numpy-dev`), or that it runs."""
    name = PurePosixPath(path).name
    how = usage.group(name.rpartition(".")[0].removeprefix("environment")) or usage.group(environment)
    how = how or Usage.RUNTIME_IMPORT
    return how, f"{name}: " + ("what runs" if how is Usage.RUNTIME_IMPORT else how.value)


def _lines(content: str) -> dict[str, int]:
    """The first line of each item of a list, by its words."""
    found: dict[str, int] = {}
    for number, line in enumerate(content.split("\n"), 1):
        item = _ITEM.match(line)
        if item:
            found.setdefault(item[1].strip().strip("\"'").strip(), number)
    return found


def _asked(words: str, alone: str, place: Place, how: Usage, why: str) -> Dependency | None:
    """One specification of Conda's: `numpy`, `numpy=1.26.4=py312_0`, `conda-forge::numpy==1.26.4`."""
    spec = _SPEC.fullmatch(words.strip()[:500])
    if spec is None or spec["rest"].startswith((":", "/")):
        return None
    exact = _EXACT.fullmatch(spec["rest"].strip())
    version = (exact["two"] or exact["one"] or exact["bare"]) if exact else None
    channel = spec["channel"] or alone
    whence = channel if "://" in channel else ""
    name = channel.rstrip("/").rpartition("/")[2] if whence else channel
    url = purl(spec["name"].lower(), version, name, whence)
    return dependency_at(place, spec["name"], version, url, how, why, direct=True)


def _of_pip(path: str, pip: Iterable[str], lines: dict[str, int]) -> ParsedFile:
    """The requirements below `pip:`, on the lines on which they stand."""
    placed: dict[int, str] = {}
    for one in pip:
        number = lines.get(one.partition(" #")[0].strip())
        if number and "\n" not in one:
            placed[number] = one
    whole = "\n".join(placed.get(number, "") for number in range(1, max(placed, default=0) + 1))
    return requirements.read(path, whole)


def read_explicit(path: str, content: str) -> ParsedFile:
    """A list that `conda list --explicit` or conda-lock wrote: an archive's address a line, below `@EXPLICIT`."""
    found: list[Dependency] = []
    findings: list[Finding] = []
    begun = False
    for number, line in enumerate(content.split("\n"), 1):
        words = line.strip()
        if not begun or not words or words.startswith("#"):
            begun = begun or words == _EXPLICIT
            continue
        archive = of_address(words) if "://" in words else None
        if archive is None:
            findings.append(finding("dependency/unreadable", path, number, f"no archive's address: {said(words)!r}"))
        else:
            digest = _DIGEST.search(words)
            url = purl(archive.name, archive.version, archive.channel, archive.address)
            more: PackageDetails = {"download": archive.address}
            more["checksums"] = artifacts.checksum(_KINDS[len(digest[1])], digest[1]) if digest else ()
            place, how = Place(path, number, said(words)), Usage.RUNTIME_IMPORT
            found.append(dependency_at(place, archive.name, archive.version, url, how, "@EXPLICIT: what runs", **more))
    graph = Graph(decided=True) if found else None
    return ParsedFile(dependencies=tuple(found), findings=tuple(findings), graph=graph)
