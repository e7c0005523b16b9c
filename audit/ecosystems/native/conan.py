"""Conan: conanfile.txt, conanfile.py by its text alone, conan.lock of both generations."""

import re
from dataclasses import replace
from typing import Final

from audit import usage
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import json_text, python_literals
from audit.ecosystems.native import cmake, known_libraries
from audit.ecosystems.native.named_libraries import Line, LineKind, NamedLibraries
from audit.ecosystems.parsed_file import (
    AskedLibrary,
    BuildFile,
    Graph,
    PackageDetails,
    ParsedFile,
    dependency_at,
    first_lines,
    rows,
    said,
    table,
    text,
    texts,
)
from audit.ecosystems.purls import purl
from audit.facts import Dependency, Place, Usage
from audit.usage import NOT_SHIPPED

_REFERENCE: Final = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_+.-]*+)/(\[[^\]\n]*+\]|[^@#%\s]++)(?:@([^#%\s]*+))?[^\s]*+")
# A program puts it into a text: it is no part of a version that is read.
_PLACEHOLDER: Final = re.compile(r"\{[^{}\n]{0,100}\}|%[sdr]|%\(\w{1,50}\)[sdr]")
_SURE_REFERENCE: Final = re.compile(r"[a-z0-9_][a-z0-9_+.-]{0,100}/(?:v?\d|\[|cci\.)[^\s/]*+")
_TEXT_PREFIXES: Final = frozenset({"f", "F", "rf", "fr", "Rf", "fR"})
_SHARED_HERE: Final = re.compile(
    r"[\"']([A-Za-z0-9_+.-]++)/[^\"'\n]*+[\"'][^\n]{0,300}?options[ \t]*+=[^\n]{0,200}?[\"']shared[\"'][ \t]*+:[ \t]*+(True|False)"
)
_SECTION: Final = re.compile(r"\[([a-z_]++)\][ \t]*+")
_SHARED: Final = re.compile(r"([A-Za-z0-9_+.*-]++)(?:/[^:\s]*+)?:shared[ \t]*+=[ \t]*+(True|False)", re.IGNORECASE)
_QUOTED: Final = re.compile(r"\"([A-Za-z0-9_+.-]++)(?:/\*)?:shared\"[ \t]*+:[ \t]*+(True|False)")
_STRING: Final = re.compile(r'"([^"\s]++)"')
_MAX_LINE_CHARACTERS: Final = 1_000  # Longer ones are no options.
_BUILD: Final = frozenset({"tool_requires", "build_requires", "python_requires", "test_requires"})
# Ports that only help to build others.
_HELPERS: Final = ("vcpkg-cmake", "vcpkg-tool", "vcpkg-get-", "vcpkg-pkgconfig", "vcpkg-make", "vcpkg-boost")
_LINKER_FLAGS: Final = re.compile(
    r"\"(?:CMAKE_\w{1,60}LINKER_FLAGS\w{0,40}|CMAKE_\w{1,20}_STANDARD_LIBRARIES|LDFLAGS)\"[ \t]*+:[ \t]*+\"([^\"\n]{1,1000})\""
)
_TRIPLET: Final = re.compile(
    r"\"VCPKG_(?:TARGET_TRIPLET|DEFAULT_TRIPLET|LIBRARY_LINKAGE)\"[ \t\n]*+:[ \t\n]*+(?:\{[^{}]{0,200}?\"value\"[ \t]*+:[ \t]*+)?\"([^\"\n]{1,100})\""
)
_THE_TESTED: Final = frozenset({"self.tested_reference_str", ")"})  # A test of a package requires the package itself.
_CALLS: Final = ("requires", "build_requires", "tool_requires", "test_requires")


def read(path: str, content: str) -> ParsedFile:
    """conanfile.txt: `[requires]`, `[tool_requires]`, and `name:shared=True` below `[options]`."""
    section, found = "", DependencyList(path)
    listed: list[tuple[str, str, int]] = []
    for number, raw in enumerate(content.split("\n"), 1):
        line = raw.partition(" #")[0].strip()
        header = _SECTION.fullmatch(line)
        section = header[1] if header else "" if line.startswith("[") else section
        is_entry = line and not header and not line.startswith("#")
        if is_entry and section in {"requires", *_BUILD} and _reference(line):
            listed.append((line, section, number))
        elif is_entry and section in {"", "requires", *_BUILD}:  # Others are options and generators.
            what = "no reference (name/version)" if section else "no section"
            found.unreadable(number, f"{what}: {said(line)!r}")
    _add_all(found, listed, _links(content))
    return found.parsed()


def read_py(path: str, content: str) -> ParsedFile:
    """conanfile.py is never run: the class's lists and the calls of `self.requires` are read as they are spelled."""
    names = frozenset({"requires", *_BUILD})
    spelled = _without_prefixes(python_literals.tokens(content))
    listed = [
        (words, name, line) for name, found in python_literals.lists(spelled, names).items() for words, line in found
    ]
    for call in _CALLS:
        listed += [(words, call, line) for words, line, _ in python_literals.calls(spelled, f"self.{call}")]
    of_variables = _of_variables(spelled, {words for words, _, _ in listed})
    computed = _computed(spelled, is_known=bool(of_variables))
    listed += of_variables
    found = DependencyList(path)
    _add_all(found, sorted(dict.fromkeys(listed), key=lambda reference: reference[2]), _links(content))
    # A recipe may name itself in its test.
    found.own |= {words for words, _ in python_literals.lists(spelled, frozenset({"name"})).get("name", [])}
    if computed is not None:
        found.not_read(computed, "computes names of packages that it requires")
    return found.parsed()


def _computed(spelled: python_literals.Tokens, *, is_known: bool) -> int | None:
    """The first line whose requirement only the program knows; `is_known`: another place spells variables' packages."""
    for (word, _, line), (opens, _, _), (first, words, _) in zip(spelled, spelled[1:], spelled[2:], strict=False):
        if word != "self.requires" or opens != "(" or first in _THE_TESTED:
            continue
        if not is_known if words is None else not _reference(words):
            return line
    return None


def _without_prefixes(spelled: python_literals.Tokens) -> python_literals.Tokens:
    return [
        token
        for token, after in zip(spelled, [*spelled[1:], ("", None, 0)], strict=False)
        if token[0] not in _TEXT_PREFIXES or after[1] is None
    ]


def _of_variables(spelled: python_literals.Tokens, known: set[str]) -> list[tuple[str, str, int]]:
    """Texts that are plainly references, where `self.requires` is called with a variable."""
    called = (
        token for at, token in enumerate(spelled[:-2]) if spelled[at + 1][0] == "(" and spelled[at + 2][1] is None
    )
    if not any(word == "self.requires" for word, _, _ in called):
        return []
    texts = ((text, line) for _, text, line in spelled if text and text not in known)
    return [(text, "requires", line) for text, line in texts if _SURE_REFERENCE.fullmatch(_PLACEHOLDER.sub("$", text))]


def _links(content: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in content.split("\n"):
        if "shared" not in line or len(line) > _MAX_LINE_CHARACTERS:  # Most lines are out after one look.
            continue
        pairs = [*_SHARED.findall(line), *_QUOTED.findall(line), *_SHARED_HERE.findall(line)]
        found |= {name: "shared" if word.lower() == "true" else "static" for name, word in pairs}
    return found


def _reference(words: str) -> re.Match[str] | None:
    return _REFERENCE.fullmatch(_PLACEHOLDER.sub("$", words.strip().strip("\"',")))


def _add_all(found: DependencyList, listed: list[tuple[str, str, int]], links: dict[str, str]) -> None:
    """The packages of a file; without an option Conan builds and links static libraries."""
    for words, section, line in listed:
        match = _reference(words)
        if not match:
            continue
        link = links.get(match[1]) or links.get("*") or ""  # `*:shared=True` is for all.
        how = _how(match[1], section, link)
        why = f"{found.file}: " + (f"{match[1]}:shared" if link else section)
        if how is Usage.STATIC_LINK and not link:
            why += ", static unless told otherwise"
        found.dependencies.append(_dependency(match, how, why, found.place(line, words)))


def _how(name: str, section: str, link: str) -> Usage:
    if section == "test_requires":
        return Usage.TEST_ONLY
    if section in _BUILD:
        return Usage.BUILD_TOOL
    how = usage.native(name, link)
    return Usage.STATIC_LINK if how is Usage.UNKNOWN else how  # Conan's default.


def _dependency(match: re.Match[str], how: Usage, why: str, place: Place, *, direct: bool | None = True) -> Dependency:
    """One package; a range in brackets is no version, nor is a part that a program puts in."""
    version = None if match[2].startswith("[") or "$" in match[2] else match[2]
    more = PackageDetails(direct=direct)
    known = known_libraries.known_at(match[1], version) if how not in NOT_SHIPPED else None
    if known:
        more["license"] = known_libraries.learned(known, place)
    return dependency_at(place, match[1], version, purl("conan", match[1], version), how, why, **more)


def read_lock(path: str, content: str) -> ParsedFile:
    """conan.lock: a graph of nodes (0.4), or lists by kind (0.5)."""
    data = json_text.top(content)
    listed: list[tuple[str, str]] = []
    for section in ("requires", *sorted(_BUILD)):
        listed += [(words, section) for words in texts(data.get(section) or [])]
    nodes = json_text.objects(table(data.get("graph_lock")).get("nodes"))
    build = {mark for node in nodes.values() for mark in texts(node.get("build_requires") or [])}
    lines = {node["ref"]: node.line for node in nodes.values() if isinstance(node.get("ref"), str)}
    for mark, node in nodes.items():
        section = "build_requires" if mark in build or node.get("context") == "build" else "requires"
        if text(node.get("ref")) and ("package_id" in node or "prev" in node):
            listed.append((text(node.get("ref")), section))
    lines = first_lines(content, _STRING) | lines
    links = _links("\n".join(text(node.get("options")) for node in nodes.values()))
    found = DependencyList(path)
    for words, section in listed:
        match = _REFERENCE.fullmatch(words)
        if match:
            how, place = _how(match[1], section, links.get(match[1], "")), found.place(lines.get(words), words)
            found.dependencies.append(_dependency(match, how, f"conan.lock: {section}", place, direct=None))
    # The repository's own recipes stand there as the others do.
    return found.parsed(graph=Graph(decided=True, resolved=False))


def read_vcpkg(path: str, content: str) -> ParsedFile:
    """vcpkg.json: names or objects; `host` is for the build, a feature's are optional, an override is a version."""
    data = json_text.top(content)
    chosen = {
        text(override.get("name")): text(override.get("version")) or text(override.get("version-string"))
        for override in json_text.items(data.get("overrides"))
    }
    parts = [("dependencies", data, False)]
    parts += [(f"features.{name}", feature, True) for name, feature in json_text.objects(data.get("features")).items()]
    lines = first_lines(content, _STRING)
    found = []
    for section, part, optional in parts:
        for row in rows(part.get("dependencies")):
            name = text(row) or text(table(row).get("name"))
            if not name:
                continue
            version = chosen.get(name) or None
            is_tool = table(row).get("host") is True or name.startswith(_HELPERS)  # `host`: runs while building.
            place = Place(path, getattr(row, "line", None) or lines.get(name), said(name))
            # A tool's licence is not the work's concern.
            known = None if is_tool else known_libraries.known_at(name, version)
            how = Usage.BUILD_TOOL if is_tool else None
            why = f"vcpkg.json: {section}"
            library = known_libraries.dependency(name, known, how, why, place, direct=True, optional=optional)
            url = purl("generic", library.name.lower(), version)
            found.append(AskedLibrary(name, replace(library, version=version, purl=url)))
    own = frozenset({text(data.get("name"))} - {""})
    return ParsedFile(
        build=BuildFile(asked=tuple(found), linkage=cmake.triplet_linkage(text(data.get("default-triplet")))), own=own
    )


def read_presets(path: str, content: str) -> ParsedFile:
    """CMakePresets.json: the triplet, which sets how vcpkg's libraries are linked, and libraries in linker's flags."""
    said_by = {cmake.triplet_linkage(triplet) for triplet in _TRIPLET.findall(content)} - {""}
    named = NamedLibraries(path)
    for match in _LINKER_FLAGS.finditer(content):
        line = Line(content.count("\n", 0, match.start()) + 1, match[0], kind=LineKind.LINKS)
        named.words(match[1], line, "CMakePresets.json: flags for the linker")
    asked = tuple(AskedLibrary(dependency.name, dependency, is_linked=True) for dependency in named.found.values())
    linkage = next(iter(said_by)) if len(said_by) == 1 else ""  # Presets that differ decide nothing.
    return ParsedFile(build=BuildFile(asked=asked, linkage=linkage)) if asked or linkage else ParsedFile()
