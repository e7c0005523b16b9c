"""deno.json has the requested packages; deno.lock, versions 2 to 5, those of npm and JSR, and modules by their addresses.

Import maps: also that of Rails, which its own helper writes.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import json_text
from audit.ecosystems.npm import bun, package_names
from audit.ecosystems.origins import of_archive
from audit.ecosystems.parsed_file import (
    Graph,
    GraphRoot,
    PackageDetails,
    ParsedFile,
    dependency_at,
    finding,
    learned,
    said,
    table,
    text,
    texts,
)
from audit.ecosystems.purls import of_address, purl
from audit.facts import Dependency, Place, Source, Usage

# `react-dom@18.2.0_react@18.2.0`: the peer it was put together with.
_PEERS: Final = re.compile(r"(.@?[^@_]*+@[^_]*+)(?:_.*+)?", re.DOTALL)
_MODULE: Final = re.compile(r"https?://([^/@?#]+)/((?:[^/@?#]+/){0,3})((?:@[^/@?#]+/)?)([^/@?#]+)@([^/?#]+)")
_RAW: Final = re.compile(r"https://raw\.githubusercontent\.com/([\w.-]+)/([\w.-]+)/([^/?#]+)")
# Servers that give out what npm has, by its name.
_OF_NPM: Final = re.compile(
    r"https?://(?:cdn\.jsdelivr\.net/npm/|ga\.jspm\.io/npm:|unpkg\.com/|esm\.run/|(?:cdn\.)?esm\.sh/(?:v\d{1,5}/|stable/)?(?!(?:gh|jsr|pr)/)\*?)"
    r"((?:@[\w.-]{1,100}/)?[\w.-]{1,100})(?:@([^/?#]{1,100}))?(?=[/?#+]|$)"
)
_PIN: Final = re.compile(
    r"^[ \t]*+pin[ \t(]++['\"]([^'\"\n]{1,200})['\"](?:[^#\n]{0,200}?\bto:[ \t]*+['\"]([^'\"\n]{1,500})['\"])?[^#\n]{0,300}+(?:#[ \t]*+@([\w.+-]{1,100}))?",
    re.MULTILINE,
)
_FIRST: Final = re.compile(r"https?://([^/@?#]+)(?:/([^/@?#]+))?")
_SPECIFIER: Final = re.compile(r"(npm|jsr):/?((?:@[^/@]++/)?[^/@]++)(?:@([^/]++))?(?:/.*+)?", re.DOTALL)
_EXACT: Final = re.compile(r"\d++\.\d++\.\d++[0-9A-Za-z.+-]*+")  # A range otherwise, as in npm.
_NEEDS: Final = ("dependencies", "optionalDependencies")


def read(path: str, content: str) -> ParsedFile:
    """All packages with their needs; the graph begins at the requests of deno.json."""
    data = json_text.top(content)
    packages = table(data.get("packages"))
    # Version 3 has both below `packages`, version 2 has npm's below `npm`, and since 4 they stand at the top.
    npm = table(packages.get("npm")) or table(data.get("npm"))
    npm = table(npm.get("packages")) or ({} if "specifiers" in npm else npm)
    jsr = table(packages.get("jsr")) or table(data.get("jsr"))
    specifiers = {
        text(name): text(to)
        for level in (data, packages, table(data.get("npm")))
        for name, to in table(level.get("specifiers")).items()
    }
    found: list[Dependency] = []
    whole = table(data.get("workspace"))  # package.json speaks for itself.
    holders = [whole, *json_text.objects(whole.get("members")).values()]
    asked = tuple(
        _meant(specifier, specifiers) for holder in holders for specifier in texts(holder.get("dependencies") or [])
    )
    graph = Graph(own={"deno.json": asked} if asked else {})
    graph.roots += (GraphRoot(key, Usage.RUNTIME_IMPORT, "deno.lock: workspace") for key in asked)
    for kind, entries in (("npm", npm), ("jsr", jsr)):
        for key, entry in json_text.objects(entries).items():
            found.append(_package(path, kind, key, entry))
            keys = (f"{kind}:{key}", f"{kind}:{_split(key)[0]}")  # Needed without its version where it is alone.
            graph.add(keys, _needed(kind, entry, specifiers))
    found += _modules(path, data)
    return ParsedFile(dependencies=tuple(found), graph=graph)


def _package(path: str, kind: str, key: str, entry: json_text.LocatedObject) -> Dependency:
    name, version = _split(key)
    plain = package_names.registry(name, version or None)
    url = of_archive(plain, text(entry.get("tarball"))) if kind == "npm" else _jsr(name, version)
    # JSR's digests are of a manifest, and of no archive.
    more: PackageDetails = {"checksums": artifacts.integrity(text(entry.get("integrity"))) if kind == "npm" else ()}
    how = Usage.UNKNOWN if kind == "npm" else Usage.RUNTIME_IMPORT
    return dependency_at(Place(path, entry.line, said(key)), name, version, url, how, f"deno.lock: {kind}", **more)


def _jsr(name: str, version: str | None) -> str | None:
    scope, slash, last = name.partition("/")
    return purl("jsr", last, version, scope) if slash else purl("jsr", name, version)


def read_config(path: str, content: str) -> ParsedFile:
    """deno.json, or an import map: packages of npm and JSR, and addresses; other imports are files of its own."""
    data = bun.top(content)
    found: dict[str, Dependency] = {}
    for holder in (data.get("imports"), *table(data.get("scopes")).values()):
        places = holder.lines() if isinstance(holder, json_text.LocatedObject) else {}
        for name, to in table(holder).items():
            dependency = _imported(Place(path, places.get(name), said(to)), text(to))
            if dependency:
                found.setdefault(dependency.purl or dependency.name, dependency)
    lines, named = data.lines(), text(data.get("importMap"))
    # The table of readers knows an import map by that name alone.
    amiss = f"{said(named)}: an import map of another name than import_map.json is not read"
    unread = finding("dependency/unreadable", path, lines.get("importMap"), amiss)
    return ParsedFile(
        dependencies=tuple(found.values()),
        findings=(unread,) if named and named.rpartition("/")[2] != "import_map.json" else (),
        own=frozenset({text(data.get("name"))} - {""}),
        license=learned(data.get("license"), path, lines.get("license"), Source.METADATA),
    )


def read_rails(path: str, content: str) -> ParsedFile:
    """config/importmap.rb: packages that Rails downloaded into the tree have a version behind them, others an address.

    All other pins are files of the work, or come with gems, which the Gemfile names.
    """
    found = DependencyList(path)
    for match in _PIN.finditer(content):
        name, to, version = match.groups()
        place = found.place(content.count("\n", 0, match.start()) + 1, match[0].strip())
        if "://" in (to or ""):
            found.add(place, *module_of(to), Usage.RUNTIME_IMPORT, "importmap.rb: by its address", direct=True)
        elif version:
            url = package_names.registry(name, version)
            found.add(place, name, version, url, Usage.VENDORED, "importmap.rb: downloaded", direct=True)
    return found.parsed()


def _imported(place: Place, to: str) -> Dependency | None:
    """`npm:a@^1/x`, `jsr:@s/a@1`, `https://…`; None for a file."""
    why, how = f"{place.path.rpartition('/')[2]}: imports", Usage.RUNTIME_IMPORT
    specifier = _SPECIFIER.fullmatch(to)
    if specifier is None:
        name, version, url = module_of(to)
        return dependency_at(place, name, version, url, how, why, direct=True) if "://" in to else None
    kind, name, asked = specifier[1], specifier[2], specifier[3] or "*"
    version = asked if _EXACT.fullmatch(asked) else None
    url = package_names.registry(name, version) if kind == "npm" else _jsr(name, version)
    return dependency_at(place, name, version, url, how, why, direct=True, version_range="" if version else asked)


def _split(key: str) -> tuple[str, str]:
    found = _PEERS.fullmatch(key)
    name, _, version = (found[1] if found else key).rpartition("@")
    return (name, version) if name else (version, "")


def _needed(kind: str, entry: Mapping[str, Any], specifiers: Mapping[str, str]) -> Iterator[str]:
    """Keys of a package's needs: names of npm's (`a`, `a@1.0.0`, or by name), specifiers of JSR's (`npm:a@^1`)."""
    for section in _NEEDS:
        listed = entry.get(section)
        # Older files have a name for each.
        for need in map(text, listed.values()) if isinstance(listed, dict) else texts(listed or []):
            yield f"npm:{need}" if kind == "npm" else _meant(need, specifiers)


def _meant(specifier: str, specifiers: Mapping[str, str]) -> str:
    kind, _, rest = specifier.partition(":")
    to = specifiers.get(specifier) or specifiers.get(rest)
    if to is None:
        return specifier
    if to.startswith(f"{kind}:"):
        return to
    return f"{kind}:{to}" if "@" in to[1:].partition("_")[0] else f"{kind}:{_split(rest)[0]}@{to}"


def _modules(path: str, data: json_text.LocatedObject) -> list[Dependency]:
    """Modules by address, each work once: `https://deno.land/x/oak@v12/mod.ts` is one of oak v12."""
    remote = data.get("remote")
    lines = remote.lines() if isinstance(remote, json_text.LocatedObject) else {}
    found: dict[str, Dependency] = {}
    for address in table(remote):
        name, version, url = module_of(text(address))
        place = Place(path, lines.get(address), said(address))
        why = "deno.lock: fetched by its address"
        dependency = dependency_at(place, name, version, url, Usage.RUNTIME_IMPORT, why)
        found.setdefault(url or name, dependency)
    return list(found.values())


def module_of(address: str) -> tuple[str, str | None, str | None]:
    """Name, version and package URL of a module's work: a version in the address, else its host and first folder."""
    raw = _RAW.match(address)
    if raw:
        return raw[2], raw[3], of_address(f"https://github.com/{raw[1]}/{raw[2]}", raw[3])
    of_npm = _OF_NPM.match(address)
    package = package_names.package(of_npm[1], of_npm[2] or "") if of_npm else None
    if package:
        return package.name, package.version, package.purl
    module = _MODULE.match(address[:2_000])  # Addresses may have any length.
    if module:
        above = f"{module[1]}/{module[2]}{module[3]}".strip("/")
        return f"{module[3]}{module[4]}", module[5], purl("generic", module[4], module[5], above)
    first = _FIRST.match(address)
    name = "/".join(part for part in first.groups() if part) if first else address[:200]
    return name, None, purl("generic", name.rpartition("/")[2], None, name.rpartition("/")[0])
