"""Rust: Cargo.toml has the requested crates, Cargo.lock the versions that were taken, and the needs of each."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
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
    table,
    text,
    texts,
)
from audit.ecosystems.purls import of_address, purl
from audit.facts import Dependency, Source, Usage

SECTIONS: Final = {
    "dependencies": Usage.STATIC_LINK,
    "dev-dependencies": Usage.TEST_ONLY,
    "dev_dependencies": Usage.TEST_ONLY,  # The older spelling, which the 2024 edition refuses.
    "build-dependencies": Usage.BUILD_TOOL,
    "build_dependencies": Usage.BUILD_TOOL,  # The same.
}
_INHERITED: Final = "workspace"  # In the place of a range: the workspace says which.
_CHECKSUM: Final = re.compile(r"^checksum = \"([0-9a-f]{64})\"$", re.MULTILINE)
_EXACT: Final = re.compile(r"=[ \t]*+(\d++\.\d++\.\d++[0-9A-Za-z.+-]*+)")  # Cargo reads a bare `1.2.3` as `^1.2.3`.
# Called from build.rs, a part of no binary; what each does is from its own documentation. Crates that bring sources
# that are linked (`openssl-src`), or write code from templates of their own (`prost-build`), are not here.
BUILD_SCRIPT_CRATES: Final = {
    "autocfg": "asks the compiler what it can do",
    "autotools": "runs configure and make",
    "bindgen": "writes declarations from C headers",
    "cbindgen": "writes C headers from declarations",
    "cc": "runs the C compiler",
    "cfg_aliases": "names conditions for build.rs",
    "cmake": "runs CMake",
    "embed-resource": "runs the resource compiler",
    "gcc": "the former name of cc",
    "metadeps": "reads pkg-config's answers",
    "napi-build": "sets the linker's options for Node.js",
    "nasm-rs": "runs the assembler",
    "pkg-config": "asks pkg-config",
    "pyo3-build-config": "asks the Python interpreter",
    "rustc_version": "asks the compiler for its version",
    "system-deps": "reads pkg-config's answers",
    "vcpkg": "finds libraries of vcpkg",
    "version_check": "asks the compiler for its version",
    "winres": "runs the resource compiler",
    "winresource": "runs the resource compiler",
}


def read(path: str, content: str) -> ParsedFile:
    """Cargo.toml: all its tables of dependencies, those of targets and of the workspace included."""
    data = toml_text.load(content)
    lines = toml_text.TomlLines(content)
    found = DependencyList(path)
    targets = [(f"target.{text(name)}.", table(target)) for name, target in table(data.get("target")).items()]
    for prefix, holder in [("", data), *targets]:
        for section, how in SECTIONS.items():
            for name, rule in table(holder.get(section)).items():
                found.dependencies += _asked(found, lines, f"{prefix}{section}", how, text(name), rule)
    package = table(data.get("package"))
    shared = table(table(data.get("workspace")).get("package"))
    # Before SPDX expressions, Cargo wrote a choice as `MIT/Apache-2.0`.
    stated = (text(package.get("license")) or text(shared.get("license"))).replace("/", " OR ")
    where = lines.key("package" if package.get("license") else "workspace.package", "license")
    file = text(package.get("license-file"))
    if file and not stated:
        stated, where = f"SEE LICENSE IN {file}", lines.key("package", "license-file")
    found.own.add(text(package.get("name")))
    return found.parsed(
        license=learned(stated, path, where, Source.METADATA),
        meant=tuple(_meant(found, lines, data)),
        suppliers=manifest_suppliers.named(
            [*rows(package.get("authors")), *rows(shared.get("authors"))],
            package.get("repository"),
            shared.get("repository"),
        ),
    )


def read_config(path: str, content: str) -> ParsedFile:
    """.cargo/config.toml: crates in the place of others, and folders of crates."""
    data = toml_text.load(content)
    found = DependencyList(path)
    for folder in texts(data.get("paths") or []):  # Relative to the folder in which `.cargo` is.
        found.outside(f"../{folder}" if not folder.startswith("/") else folder, None, folder)
    return found.parsed(meant=tuple(_meant(found, toml_text.TomlLines(content), data)))


def _meant(found: DependencyList, lines: toml_text.TomlLines, data: dict[str, Any]) -> Iterator[ManifestEntry]:
    """The entries that members of a workspace take over, and those in place of packages of that name (`[patch]`)."""
    for name, rule in table(table(data.get("workspace")).get("dependencies")).items():
        for dependency in _asked(found, lines, "workspace.dependencies", Usage.UNKNOWN, text(name), rule):
            yield ManifestEntry(text(name), dependency, asked=_INHERITED)  # A member says itself how it uses the crate.
    for source, rules in table(data.get("patch")).items():
        for name, rule in table(rules).items():
            for dependency in _asked(found, lines, f"patch.{text(source)}", Usage.UNKNOWN, text(name), rule):
                yield ManifestEntry(dependency.name, replace(dependency, direct=False), is_replacement=True)
    for written, rule in table(data.get("replace")).items():  # The older form, by `name:version`.
        name = text(written).rpartition("#")[2].partition(":")[0]
        for dependency in _asked(found, lines, "replace", Usage.UNKNOWN, name, rule):
            yield ManifestEntry(dependency.name, replace(dependency, direct=False), is_replacement=True)


def _asked(
    found: DependencyList, lines: toml_text.TomlLines, section: str, how: Usage, name: str, rule: object
) -> Iterator[Dependency]:
    """One line or table of dependencies; nothing for a folder of the repository itself."""
    terms = table(rule)
    line = lines.key(re.sub(r"[\"' ]", "", section), name)
    if "path" in terms:  # A folder wins over the version beside it, which only counts once published.
        folder = text(terms.get("path"))
        found.outside(folder, line, f"{name} {folder}")
        return
    real = text(terms.get("package")) or name  # The key may be an alias.
    words = text(rule) or text(terms.get("version")) or (_INHERITED if terms.get("workspace") is True else "")
    exact = _EXACT.fullmatch(words)
    version = exact[1] if exact else None
    git = text(terms.get("git"))
    mark = text(terms.get("rev")) or text(terms.get("tag")) or None
    url = of_address(git, mark, real) if git else purl("cargo", real, version)
    registry, index = text(terms.get("registry")), text(terms.get("registry-index"))
    # `crates-io` is Cargo's own name for the registry that all share.
    url = taken(url, index) if index else url if registry == "crates-io" else named(url, registry)
    place = found.place(line, f"{name} {words or git}")
    more: PackageDetails = {"direct": True, "optional": terms.get("optional") is True}
    more["version_range"] = "" if version or git else words
    version = version or (mark if git else None)
    yield dependency_at(place, real, version, url, how, f"{found.file}: {section}", **more)


def read_lock(path: str, content: str) -> ParsedFile:
    """Cargo.lock: entries without a source are the repository's own, and what they need is direct."""
    found, graph = DependencyList(path), Graph()
    for line, entry, section in toml_text.elements(content, "package"):
        name, version, source = (text(entry.get(key)) for key in ("name", "version", "source"))
        # Since format 2 a need has a version only where several are locked, a source only where versions are alike.
        needed = tuple(" ".join(need.split()[:2]) for need in texts(entry.get("dependencies") or []))
        if not source:
            graph.own[name] = needed
            continue
        digest = _CHECKSUM.search(section)
        more = PackageDetails(checksums=artifacts.checksum("sha256", digest[1]) if digest else ())
        if source.startswith("git+"):
            address, _, commit = source.removeprefix("git+").partition("#")
            url = of_address(address.partition("?")[0], commit or None, name)
            more["download"] = artifacts.repository(address, commit)
        else:
            url = taken(purl("cargo", name, version), source) if name else None
        found.add(line, name, version, url, Usage.UNKNOWN, "Cargo.lock", **more)
        graph.add((name, f"{name} {version}"), needed)
    found.own |= graph.own.keys()
    # They run while a crate is built; no lock file says so, since it has no kinds of dependencies.
    graph.tools = {name: f"build scripts ({name})" for name, *_ in graph.keys if name in BUILD_SCRIPT_CRATES}
    return found.parsed(graph=graph)
