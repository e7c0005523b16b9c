"""Conda: environment.yml, explicit lists of archives, locks of conda-lock and Pixi; an archive's address names it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from audit import usage
from audit.ecosystems import artifacts, purls
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import yaml_text
from audit.ecosystems.origins import taken
from audit.ecosystems.parsed_file import Graph, PackageDetails, ParsedFile, learned, rows, said, text, texts
from audit.ecosystems.python import requirements, specifiers
from audit.facts import UNLEARNED, Checksum, Learned, Place, Usage

# Hosts that all share, and how many folders stand before a channel's name.
_CHANNELS: Final = {"conda.anaconda.org": 0, "repo.anaconda.com": 1}
_ENDINGS: Final = (".conda", ".tar.bz2")
_FILE: Final = re.compile(r"[A-Za-z0-9_.+!-]{1,300}")
_MAX_ADDRESS_CHARACTERS: Final = 2_000  # The list is a stranger's text.

_ITEM: Final = re.compile(r"[ \t]*+-[ \t]++([^\n#]*+)")
_SPEC: Final = re.compile(
    r"(?:(?P<channel>[A-Za-z0-9._/:-]+?)::)?(?P<name>[A-Za-z0-9_][A-Za-z0-9_.-]*+)[ \t]*+(?P<rest>[^\n]*+)"
)
# Conda reads `=1.2` as `1.2.*`: one `=` is exact only with a build behind it.
_EXACT: Final = re.compile(
    r"==[ \t]*+(?P<two>[0-9A-Za-z_.!+]++)(?:=\S++)?|=[ \t]*+(?P<one>[0-9A-Za-z_.!+]++)=[^\s*]\S*+|(?P<bare>\d[0-9A-Za-z_.!+]*+)(?:[ \t]++\S++)?"
)
_EXPLICIT: Final = "@EXPLICIT"
_KINDS: Final = {32: "md5", 64: "sha256"}
_DIGEST: Final = re.compile(r"#(?:sha256:)?([0-9a-f]{32}|[0-9a-f]{64})")
_MAIN: Final = frozenset({"main", "default"})


@dataclass(frozen=True, slots=True)
class CondaArchive:
    """An archive's `address` without secrets, its `channel` (empty: not a shared host's), `name` and `version`."""

    address: str
    channel: str
    name: str
    version: str


def of_address(written: str) -> CondaArchive | None:
    """`https://conda.anaconda.org/conda-forge/linux-64/numpy-1.26.4-py312_0.conda`; None for any other address."""
    address = artifacts.address(written[:_MAX_ADDRESS_CHARACTERS]) or ""
    parts = address.partition("://")[2].split("/")
    ending = next((suffix for suffix in _ENDINGS if parts[-1].endswith(suffix)), "")
    file = parts[-1].removesuffix(ending)
    pieces = file.rsplit("-", 2)  # A name may have hyphens, version and build have none.
    if not ending or len(pieces) != 3 or not all(pieces) or not _FILE.fullmatch(file):
        return None
    before = _CHANNELS.get(parts[0])
    channel = parts[1 + before] if before is not None and len(parts) > 2 + before else ""
    return CondaArchive(address, channel, pieces[0], pieces[1])


def purl(name: str, version: str | None, channel: str = "", address: str = "") -> str | None:
    """The package URL, with the channel where it is known, and the host of a private channel."""
    url = purls.purl("conda", name, version)
    if url and channel and channel not in {"defaults", "nodefaults"}:  # `defaults` differs by each person's settings.
        url = f"{url}?channel={channel}" if re.fullmatch(r"[A-Za-z0-9._-]{1,100}", channel) else url
    return taken(url, address)


def read(path: str, content: str) -> ParsedFile:
    """environment.yml: its packages, and those that pip adds; a version counts where it is exact, `=1.2` is a range."""
    data = yaml_text.top(content)
    found, lines = DependencyList(path), _lines(content)
    # Files named after tools say so (`environment-dev.yml`), and so does the name of the environment (`numpy-dev`).
    how = usage.group(found.file.rpartition(".")[0].removeprefix("environment")) or usage.group(text(data.get("name")))
    how = how or Usage.RUNTIME_IMPORT
    why = f"{found.file}: " + ("what runs" if how is Usage.RUNTIME_IMPORT else how.value)
    channels = [channel for channel in map(text, rows(data.get("channels"))) if channel != "nodefaults"]
    alone = channels[0] if len(channels) == 1 else ""  # Any of several may have had the package.
    pip: list[str] = []
    for entry in rows(data.get("dependencies")):
        if isinstance(entry, str):
            _add_asked(found, entry, alone, lines.get(entry.strip()), how, why)
        else:
            pip += [text(each) for each in rows(yaml_text.mapped(entry).get("pip"))]
    added = _of_pip(path, pip, lines)
    found.dependencies += (replace(dependency, usage=how, why=f"{why}, by pip") for dependency in added.dependencies)
    found.findings += added.findings
    return found.parsed(includes=added.includes)


def _lines(content: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, line in enumerate(content.split("\n"), 1):
        item = _ITEM.match(line)
        if item:
            found.setdefault(item[1].strip().strip("\"'").strip(), number)
    return found


def _add_asked(found: DependencyList, words: str, alone: str, line: int | None, how: Usage, why: str) -> None:
    """One specification of Conda's: `numpy`, `numpy=1.26.4=py312_0`, `conda-forge::numpy==1.26.4`."""
    spec = _SPEC.fullmatch(words.strip()[:500])
    archive = of_address(words.strip())
    if archive:
        url = purl(archive.name, archive.version, archive.channel, archive.address)
        found.add(found.place(line, words), archive.name, archive.version, url, how, why, direct=True)
        return
    if spec is None or spec["rest"].startswith((":", "/")):
        if words.strip():
            found.unreadable(line, f"no package of Conda's: {said(words)!r}")
        return
    exact = _EXACT.fullmatch(spec["rest"].strip())
    version = (exact["two"] or exact["one"] or exact["bare"]) if exact else None
    channel = spec["channel"] or alone  # With one channel there is no other source.
    origin = channel if "://" in channel else ""
    name = channel.rstrip("/").rpartition("/")[2] if origin else channel
    url = purl(spec["name"].lower(), version, name, origin)
    found.add(found.place(line, words), spec["name"], version, url, how, why, direct=True)


def _of_pip(path: str, pip: Iterable[str], lines: dict[str, int]) -> ParsedFile:
    """The requirements below `pip:`, on the lines on which they stand, where these are known."""
    listed = [
        (words, lines.get(requirement.partition(" #")[0].strip()))
        for requirement in pip
        for words in requirement.split("\n")
    ]
    read = requirements.read(path, "\n".join(words for words, _ in listed))

    def moved(place: Place) -> Place:
        return replace(place, line=listed[place.line - 1][1] if place.line else None)

    return replace(
        read,
        dependencies=tuple(replace(each, places=tuple(map(moved, each.places))) for each in read.dependencies),
        findings=tuple(replace(each, place=moved(each.place)) for each in read.findings),
        includes=tuple(replace(each, place=moved(each.place)) for each in read.includes),
    )


def read_explicit(path: str, content: str) -> ParsedFile:
    """A list that `conda list --explicit` or conda-lock wrote: an archive's address a line, below `@EXPLICIT`."""
    found, begun = DependencyList(path), False
    for number, line in enumerate(content.split("\n"), 1):
        words = line.strip()
        if not begun or not words or words.startswith("#"):
            begun = begun or words == _EXPLICIT
            continue
        archive = of_address(words) if "://" in words else None
        if archive is None:
            found.unreadable(number, f"no archive's address: {said(words)!r}")
            continue
        digest = _DIGEST.search(words)
        more = PackageDetails(download=archive.address)
        more["checksums"] = artifacts.checksum(_KINDS[len(digest[1])], digest[1]) if digest else ()
        url = purl(archive.name, archive.version, archive.channel, archive.address)
        place, how = found.place(number, words), Usage.RUNTIME_IMPORT
        found.add(place, archive.name, archive.version, url, how, "@EXPLICIT: what runs", **more)
    return found.parsed(graph=Graph(decided=True) if found.dependencies else None)


@dataclass
class _CondaPackage:
    """One package on all platforms: `kind` (`conda`, `pip`), `name`, `version`, `purl`, `line`, `license`, `archives`.

    `groups` are the categories or environments that hold it, `needs` names of the same kind.
    """

    kind: str
    name: str
    version: str
    purl: str | None
    line: int
    groups: set[str] = field(default_factory=set)
    needs: set[str] = field(default_factory=set)
    license: Learned = UNLEARNED
    archives: list[tuple[str, tuple[Checksum, ...]]] = field(default_factory=list)


def _locked(path: str, why: str, packages: Iterable[_CondaPackage]) -> ParsedFile:
    """All of them, each once, used as the most binding of its groups."""
    once: dict[str, _CondaPackage] = {}
    for package in packages:
        known = once.setdefault(package.purl or f"{package.kind} {package.name} {package.version}", package)
        if known is not package:
            known.groups |= package.groups
            known.needs |= package.needs
            known.archives += [each for each in package.archives if each not in known.archives]
    found, graph = DependencyList(path), Graph(decided=True)
    for package in once.values():
        groups = sorted(package.groups) or ["main"]  # categories of conda-lock's, or environments of Pixi's
        hows = [None if name in _MAIN else usage.group(name) for name in groups]
        more = PackageDetails(license=package.license)
        # Each platform may have its own archive; none of several stands for the package.
        if len(package.archives) == 1:
            more["download"], more["checksums"] = package.archives[0]
        how = usage.strongest(*(each or Usage.RUNTIME_IMPORT for each in hows))
        found.add(
            package.line, package.name, package.version, package.purl, how, f"{why}: {said(', '.join(groups))}", **more
        )
        graph.add((f"{package.kind} {package.name}",), sorted(f"{package.kind} {name}" for name in package.needs))
    return found.parsed(graph=graph)


def _package(kind: str, entry: yaml_text.YamlMapping, url: str, sums: Mapping[str, Any]) -> _CondaPackage:
    """One package of Conda or of PyPI on one platform, as both kinds of lock files have it."""
    name, version = text(entry.get("name")), text(entry.get("version"))
    archive = of_address(url) if kind == "conda" else None
    address = archive.address if archive else artifacts.address(url)
    if archive:
        name, version = name or archive.name, version or archive.version  # Pixi's version 6 leaves both to the address.
    if kind == "conda":
        known = purl(name, version or None, archive.channel if archive else "", url)
    else:
        known = taken(purls.purl("pypi", specifiers.normalize(name), version or None), url)
    # Some entries have only MD5.
    digest = artifacts.checksum("sha256", text(sums.get("sha256"))) or artifacts.checksum("md5", text(sums.get("md5")))
    archives = [(address, digest)] if address else []
    return _CondaPackage(kind, name, version, known, entry.line, archives=archives)


def read_lock(path: str, content: str) -> ParsedFile:
    """conda-lock.yml: `category` tells which of several source files asked for a package."""
    packages = []
    for entry in yaml_text.items(yaml_text.top(content).get("package")):
        kind = "pip" if text(entry.get("manager")) == "pip" else "conda"
        package = _package(kind, entry, text(entry.get("url")), yaml_text.mapped(entry.get("hash")))
        package.groups = {text(entry.get("category")), *texts(entry.get("categories") or [])} - {""}
        package.needs = set(yaml_text.mapped(entry.get("dependencies")))
        packages.append(package)
    return _locked(path, "conda-lock.yml", packages)


def read_pixi_lock(path: str, content: str) -> ParsedFile:
    """pixi.lock, versions 4 to 6: environments name addresses, and packages below them describe these."""
    data = yaml_text.top(content)
    groups = _environments(data)
    packages = []
    for entry in yaml_text.items(data.get("packages")):
        # Version 6 writes `- conda: address`, versions before it `kind` and `url`.
        kind = text(entry.get("kind")) or ("conda" if "conda" in entry else "pypi")
        url = next(filter(None, (text(entry.get(key)) for key in ("url", "conda", "pypi", "path"))), "")
        if "://" not in url:  # A folder is the repository's own.
            continue
        package = _package("conda" if kind == "conda" else "pip", entry, url, entry)
        package.groups = set(groups.get(url, ()))
        package.needs = {need.split()[0] for need in texts(entry.get("depends") or []) if need.split()}
        package.license = learned(entry.get("license"), path, entry.line)
        packages.append(package)
    return _locked(path, "pixi.lock", packages)


def _environments(data: yaml_text.YamlMapping) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, value in yaml_text.mapped(data.get("environments")).items():
        for listed in yaml_text.mapped(yaml_text.mapped(value).get("packages")).values():
            for row in rows(listed):
                entry = yaml_text.mapped(row)
                for kind in ("conda", "pypi"):
                    if kind in entry:
                        found.setdefault(text(entry[kind]), set()).add(name)
    return found
