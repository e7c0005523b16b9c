"""Rust: Cargo.toml says what is asked for and when, Cargo.lock which versions were taken and who needs whom."""

import re
from collections.abc import Iterator
from typing import Any, Final

from audit.ecosystems import artifacts, build_scripts, includes
from audit.ecosystems.formats import manifest_suppliers, toml_text
from audit.ecosystems.origins import named, taken
from audit.ecosystems.parsed_file import (
    Graph,
    ManifestEntry,
    PackageDetails,
    ParsedFile,
    dependency_at,
    learned,
    rows,
    said,
    table,
    text,
    texts,
)
from audit.ecosystems.purls import of_address, purl
from audit.facts import Checksum, Dependency, Finding, Place, Source, Usage

SECTIONS: Final = {
    "dependencies": Usage.STATIC_LINK,
    "dev-dependencies": Usage.TEST_ONLY,
    "dev_dependencies": Usage.TEST_ONLY,
    "build-dependencies": Usage.BUILD_TOOL,
    "build_dependencies": Usage.BUILD_TOOL,
}
_INHERITED: Final = "workspace"
"""In the place of a range: the workspace says which."""
_CHECKSUM: Final = re.compile(r"^checksum = \"([0-9a-f]{64})\"$", re.MULTILINE)
_EXACT: Final = re.compile(r"=[ \t]*+(\d++\.\d++\.\d++[0-9A-Za-z.+-]*+)")


def read(path: str, content: str) -> ParsedFile:
    """Cargo.toml: all its tables of dependencies, those of targets and of the workspace included."""
    data = toml_text.load(content)
    lines = toml_text.TomlLines(content)
    found: list[Dependency] = []
    for prefix, holder in _holders(data):
        for section, how in SECTIONS.items():
            for name, rule in table(holder.get(section)).items():
                one = _asked(path, lines, f"{prefix}{section}", how, text(name), rule)
                found += [one] if one else []
    package = table(data.get("package"))
    shared = table(table(data.get("workspace")).get("package"))
    stated = (text(package.get("license")) or text(shared.get("license"))).replace("/", " OR ")
    where = lines.key("package" if package.get("license") else "workspace.package", "license")
    file = text(package.get("license-file"))
    if file and not stated:
        stated, where = f"SEE LICENSE IN {file}", lines.key("package", "license-file")
    return ParsedFile(
        dependencies=tuple(found),
        findings=tuple(_outside(path, lines, data)),
        own=frozenset({text(package.get("name"))} - {""}),
        license=learned(stated, path, where, Source.METADATA),
        meant=tuple(_meant(path, lines, data)),
        suppliers=manifest_suppliers.named(
            [*rows(package.get("authors")), *rows(shared.get("authors"))],
            package.get("repository"),
            shared.get("repository"),
        ),
    )


def _holders(data: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """What holds tables of dependencies: the file itself, and each of its targets."""
    targets = [(f"target.{text(name)}.", table(one)) for name, one in table(data.get("target")).items()]
    return [("", data), *targets]


def _outside(path: str, lines: toml_text.TomlLines, data: dict[str, Any]) -> Iterator[Finding]:
    """Folders outside of the repository, in whatever table they stand."""
    tables = [(f"{at}{section}", holder.get(section)) for at, holder in _holders(data) for section in SECTIONS]
    tables.append(("workspace.dependencies", table(data.get("workspace")).get("dependencies")))
    tables += [(f"patch.{text(source)}", rules) for source, rules in table(data.get("patch")).items()]
    for section, rules in tables:
        for name, rule in table(rules).items():
            folder = text(table(rule).get("path"))
            yield from includes.outside(folder, _place(path, lines, section, text(name), folder))


def _place(path: str, lines: toml_text.TomlLines, section: str, name: str, words: str) -> Place:
    return Place(path, lines.key(re.sub(r"[\"' ]", "", section), name), said(f"{name} {words}"))


def _meant(path: str, lines: toml_text.TomlLines, data: dict[str, Any]) -> Iterator[ManifestEntry]:
    """What members of the workspace take over from it, and what is used in place of packages that are named alike (`[patch]`)."""
    shared = table(table(data.get("workspace")).get("dependencies"))
    for name, rule in shared.items():
        one = _asked(path, lines, "workspace.dependencies", Usage.UNKNOWN, text(name), rule)
        if one:
            yield ManifestEntry(text(name), one, asked=_INHERITED)
    for source, rules in table(data.get("patch")).items():
        for name, rule in table(rules).items():
            one = _asked(path, lines, f"patch.{text(source)}", Usage.UNKNOWN, text(name), rule)
            if one:
                yield ManifestEntry(one.name, one)


def _asked(
    path: str, lines: toml_text.TomlLines, section: str, how: Usage, name: str, rule: object
) -> Dependency | None:
    """One line or table of dependencies; None for a folder of the repository itself."""
    terms = table(rule)
    if "path" in terms:
        return None
    real = text(terms.get("package")) or name
    words = text(rule) or text(terms.get("version")) or (_INHERITED if terms.get("workspace") is True else "")
    exact = _EXACT.fullmatch(words)
    version = exact[1] if exact else None
    git = text(terms.get("git"))
    mark = text(terms.get("rev")) or text(terms.get("tag")) or None
    url = of_address(git, mark, real) if git else purl("cargo", real, version)
    registry, index = text(terms.get("registry")), text(terms.get("registry-index"))
    url = taken(url, index) if index else url if registry == "crates-io" else named(url, registry)
    place = _place(path, lines, section, name, words or git)
    more: PackageDetails = {"direct": True, "optional": terms.get("optional") is True}
    more["version_range"] = "" if version or git else words
    version = version or (mark if git else None)
    return dependency_at(place, real, version, url, how, f"Cargo.toml: {section}", **more)


def read_lock(path: str, content: str) -> ParsedFile:
    """Cargo.lock: entries without a source are the repository's own, and what they need is direct."""
    found: list[Dependency] = []
    graph = Graph()
    for line, entry, section in toml_text.elements(content, "package"):
        name, version, source = (text(entry.get(key)) for key in ("name", "version", "source"))
        needed = tuple(" ".join(one.split()[:2]) for one in texts(entry.get("dependencies") or []))
        if not source:
            graph.own[name] = needed
            continue
        digest = _CHECKSUM.search(section)
        checksums = artifacts.checksum("sha256", digest[1]) if digest else ()
        found.append(_locked(name, version, source, Place(path, line, said(f"{name} {version}")), checksums))
        graph.add((name, f"{name} {version}"), needed)
    graph.tools = build_scripts.tools(name for name, *_ in graph.keys)
    return ParsedFile(dependencies=tuple(found), graph=graph, own=frozenset(graph.own) - {""})


def _locked(name: str, version: str, source: str, place: Place, checksums: tuple[Checksum, ...]) -> Dependency:
    """One entry, from a registry or a repository."""
    download = None
    if source.startswith("git+"):
        address, _, commit = source.removeprefix("git+").partition("#")
        url = of_address(address.partition("?")[0], commit or None, name)
        download = artifacts.repository(address, commit)
    else:
        url = taken(purl("cargo", name, version), source) if name else None
    more: PackageDetails = {"download": download, "checksums": checksums}
    return dependency_at(place, name, version, url, Usage.UNKNOWN, "Cargo.lock", **more)
