"""CMake, command by command: what is found, fetched, built from a folder, imported, and linked how."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from audit import usage
from audit.ecosystems import artifacts
from audit.ecosystems.parsed_file import PackageDetails, ParsedFile, dependency_at, finding, said
from audit.ecosystems.purls import name_of_address, of_address, purl
from audit.facts import Dependency, Place, Usage

_TOKEN: Final = re.compile(
    r"#\[(=*+)\[|#[^\n]*+|\[(=*+)\[|\"([^\"\\]*+(?:\\.[^\"\\]*+)*+)\"|[()]|(?:\\.|[^\s()\"#\\])++|[\"\\]", re.DOTALL
)
_COMMANDS: Final = frozenset({
    "find_package", "fetchcontent_declare", "externalproject_add", "cpmaddpackage", "add_subdirectory",
    "target_link_libraries", "add_library", "add_executable", "project", "pkg_check_modules", "pkg_search_module",
    "set", "set_target_properties", "add_custom_target",
})  # fmt: skip
_MAKES: Final = frozenset({"project", "add_executable", "add_library", "add_custom_target"})
_FETCHES: Final = {
    "fetchcontent_declare": "FetchContent_Declare",
    "externalproject_add": "ExternalProject_Add",
    "cpmaddpackage": "CPMAddPackage",
}
_SHORT: Final = re.compile(r"(?:(gh|gl|bb):|(?=https?://))([^#@\s]++)(?:[#@]([^#@\s]++))?(?:[#@][^\s]*+)?")
"""CPM's short form: `gh:owner/name#tag`, `gl:owner/name@1.0`, an address."""
_HOSTS: Final = {"gh": "github.com", "gl": "gitlab.com", "bb": "bitbucket.org"}
_KEYWORDS: Final = frozenset({
    "PUBLIC", "PRIVATE", "INTERFACE", "debug", "optimized", "general", "LINK_PUBLIC", "LINK_PRIVATE",
    "LINK_INTERFACE_LIBRARIES",
})  # fmt: skip
_PLATFORM: Final = frozenset({
    "m", "pthread", "dl", "rt", "c", "stdc++", "util", "gcc", "gcc_s", "atomic", "log", "android", "threads", "objc", "socket", "nsl",
    "pthreads", "procstat", "kvm", "execinfo", "network", "root", "be",
    # import libraries of the Windows SDK
    "advapi32", "avrt", "bcrypt", "cfgmgr32", "comctl32", "comdlg32", "crypt32", "d2d1", "d3d11", "d3d12", "d3d9", "d3dcompiler",
    "dbghelp", "dinput8", "dnsapi", "dsound", "dwmapi", "dwrite", "dxgi", "dxguid", "gdi32", "gdiplus", "glu32", "hid", "imm32",
    "iphlpapi", "kernel32", "ksuser", "mf", "mfplat", "mfreadwrite", "mfuuid", "mpr", "msimg32", "mswsock", "ncrypt", "netapi32",
    "normaliz", "ntdll", "ole32", "oleaut32", "opengl32", "pathcch", "pdh", "powrprof", "propsys", "psapi", "rpcrt4", "runtimeobject",
    "secur32", "setupapi", "shcore", "shell32", "shlwapi", "strmiids", "synchronization", "user32", "userenv", "usp10", "uuid",
    "uxtheme", "version", "wbemuuid", "windowsapp", "windowscodecs", "winhttp", "wininet", "winmm", "winspool", "wintrust", "winusb",
    "wldap32", "ws2_32", "wsock32", "wtsapi32", "xinput",
})  # fmt: skip
"""Parts of the system on which the work runs, by the names under which linkers know them; in any case."""
_VENDORED: Final = re.compile(
    r"(?:^|/)(third[-_]?party|3rd[-_]?party|thirdparty|vendor|vendored|external|externals|extern|deps)/", re.IGNORECASE
)
_TEST: Final = re.compile(r"(?:^|/)(?:tests?|testing|unittests?|benchmarks?|examples?)/", re.IGNORECASE)
_LIBRARY: Final = re.compile(r"(?:[^\s]*/)?(?:lib)?([A-Za-z0-9_+.-]+?)(\.a|\.so(?:\.[0-9.]+)?|\.lib|\.dylib|\.dll)$")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+.-]*")
_FIND_MODULE: Final = re.compile(r"(?:^|/)Find([A-Za-z][A-Za-z0-9_+.-]*)\.cmake$")
_FINDS_NOTHING: Final = frozenset(
    {"threads", "packagehandlestandardargs", "cmakepackageconfighelpers", "openmp", "ctest", "pkgconfig"}
)


@dataclass
class _Listing:
    """What one file has said so far."""

    path: str
    found: list[Dependency] = field(default_factory=list)
    own: set[str] = field(default_factory=set)
    static: set[str] = field(default_factory=set)

    def package(self, name: str) -> str:
        """What a target or a pkg-config module is called; within `FindX.cmake` all of them are what `find_package(X)` names."""
        module = _FIND_MODULE.search(self.path)
        return module[1] if module else name

    def add(
        self, name: str, how: Usage, why: str, place: Place, *, version: str | None = None, url: str | None = None
    ) -> None:
        """One more dependency; one of a folder of tests is for tests."""
        if _TEST.search(self.path):
            how, why = Usage.TEST_ONLY, f"{why}, in a folder of tests"
        url = url or purl("generic", name.lower(), version)
        self.found.append(dependency_at(place, name, version, url, how, why, direct=True))


def read(path: str, content: str) -> ParsedFile:
    """CMakeLists.txt and *.cmake: no variable is followed but those that ask for static libraries."""
    listing = _Listing(path)
    findings = []
    for command, line, words in _commands(content):
        if not command:
            why = "a bracket that is never closed: nothing was read from here on"
            findings.append(finding("file/broken", path, line, why))
        elif words:
            _take(listing, command, Place(path, line, said(f"{command}({' '.join(words[:8])})")), words)
    return ParsedFile(dependencies=tuple(listing.found), findings=tuple(findings), own=frozenset(listing.own))


def _take(listing: _Listing, command: str, place: Place, words: list[str]) -> None:
    if command in _MAKES and "IMPORTED" not in words:
        listing.own.add(words[0])
        if words[1:2] == ["ALIAS"]:
            listing.own.add(words[0].partition("::")[0])
        return
    if command in _FETCHES:
        _fetched(listing, command, place, words)
        return
    does = {
        "add_library": _imported,
        "set": _switch,
        "find_package": _found,
        "add_subdirectory": _built,
        "target_link_libraries": _linked,
        "pkg_check_modules": _checked,
        "pkg_search_module": _checked,
    }
    if command in does:
        does[command](listing, place, words)


def _built(listing: _Listing, place: Place, words: list[str]) -> None:
    """`add_subdirectory(third_party/x)`: sources that were taken over, built with the rest."""
    where = _VENDORED.search(words[0])
    name = words[0][where.end() :].strip("/").partition("/")[0] if where else ""
    if where and _NAME.fullmatch(name):
        listing.add(name, Usage.VENDORED, f"CMake: add_subdirectory of {where[1]}/", place)


def _imported(listing: _Listing, place: Place, words: list[str]) -> None:
    """`add_library(x STATIC IMPORTED)`: somebody else's library, linked as it says; an INTERFACE is a handle for any library."""
    link = words[1] if len(words) > 1 else ""
    name = words[0].partition("::")[0]
    if _NAME.fullmatch(name):
        listing.own.add(words[0])
        name = listing.package(name)
        how = usage.native(name, "" if link == "INTERFACE" else link)
        listing.add(name, how, f"CMake: {link} IMPORTED", place)


def _switch(listing: _Listing, _place: Place, words: list[str]) -> None:
    """`set(OPENSSL_USE_STATIC_LIBS ON)`."""
    if words[0].upper().endswith("_USE_STATIC_LIBS") and words[1:2] and words[1].upper() in {"ON", "TRUE", "1", "YES"}:
        listing.static.add(words[0].upper().removesuffix("_USE_STATIC_LIBS"))


def _found(listing: _Listing, place: Place, words: list[str]) -> None:
    """`find_package(X 1.2 EXACT)`; interpreters and programs are tools."""
    name = words[0]
    if not _NAME.fullmatch(name) or name.lower() in _FINDS_NOTHING:
        return
    version = words[1] if "EXACT" in words and len(words) > 1 and words[1][:1].isdigit() else None
    alone = "Interpreter" in words and not {"Development", "Development.Module"} & set(words)
    if alone and name.lower().startswith(("python", "perl")):
        listing.add(name, Usage.BUILD_TOOL, "CMake: find_package, the interpreter alone", place, version=version)
        return
    static = name.upper() in listing.static
    how = usage.native(name, "static" if static else "")
    known = "no word on how it is linked" if how is Usage.UNKNOWN else "known by its name"
    link = "static libraries asked for" if static else known
    listing.add(name, how, f"CMake: find_package, {link}", place, version=version)


def _fetched(listing: _Listing, command: str, place: Place, words: list[str]) -> None:
    """Sources that the build downloads: with FetchContent they become part of it, an external project is built apart."""
    short = _SHORT.fullmatch(words[0]) if words and command == "cpmaddpackage" else None
    if short:
        host = _HOSTS.get(short[1] or "")
        whence = f"https://{host}/{short[2]}" if host else short[2]
        words = ["GIT_REPOSITORY", whence, "GIT_TAG", short[3] or "", *words[1:]]
    said_by = dict(pairwise(words))
    address = said_by.get("GIT_REPOSITORY") or said_by.get("URL") or ""
    if "GITHUB_REPOSITORY" in said_by:
        address = f"https://github.com/{said_by['GITHUB_REPOSITORY']}"
    tag = said_by.get("GIT_TAG") or said_by.get("VERSION")
    version = tag if tag and "$" not in tag else None
    name = said_by.get("NAME", "") if command == "cpmaddpackage" else words[0]
    name = name or name_of_address(address)
    if not _NAME.fullmatch(name):
        return
    known = usage.by_name(name) or usage.by_name(name_of_address(address))
    apart = command == "externalproject_add"
    how = known or (Usage.UNKNOWN if apart else Usage.STATIC_LINK)
    git = said_by.get("GIT_REPOSITORY") or "GITHUB_REPOSITORY" in said_by
    url = of_address(address, version, name) if git else None
    listing.add(name, how, f"CMake: {_FETCHES[command]}", place, version=version, url=url)
    listing.found[-1] = replace(listing.found[-1], **_archive(said_by, address, version))


def _archive(said_by: Mapping[str, str], address: str, version: str | None) -> PackageDetails:
    """Where the sources come from, and what they hash to (`URL_HASH SHA256=…`)."""
    if not said_by.get("URL"):
        return {"download": artifacts.repository(address, version), "checksums": ()}
    algorithm, _, digest = said_by.get("URL_HASH", "").partition("=")
    return {"download": artifacts.address(address), "checksums": artifacts.checksum(algorithm, digest)}


def _checked(listing: _Listing, place: Place, words: list[str]) -> None:
    """`pkg_check_modules(PREFIX REQUIRED IMPORTED_TARGET libusb-1.0>=1.0)`."""
    for word in words[1:]:
        name = re.split(r"[<>=]", word, maxsplit=1)[0]
        if _NAME.fullmatch(name) and not name.isupper():
            name = listing.package(name)
            listing.add(name, usage.native(name), "CMake: pkg_check_modules, no word on how it is linked", place)


def _linked(listing: _Listing, place: Place, words: list[str]) -> None:
    """Libraries that are linked by file or by plain name; targets of packages belong to their find_package."""
    for word in words[1:]:
        file = _LIBRARY.match(word) if "$" not in word and len(word) < 300 else None
        if file and file[1].lower() not in _PLATFORM:
            link = "static" if file[2] == ".a" else "" if file[2] == ".lib" else "shared"
            listing.add(
                file[1], usage.native(file[1], link), f"CMake: target_link_libraries of a {file[2]} file", place
            )
        elif (
            not file
            and word not in _KEYWORDS
            and "::" not in word
            and _NAME.fullmatch(word)
            and word.lower() not in _PLATFORM
        ):
            listing.add(word, usage.native(word), "CMake: target_link_libraries, no word on how it is linked", place)


def _commands(content: str) -> Iterator[tuple[str, int, list[str]]]:
    """Each known command, its line, its words; comments and bracket arguments are left out.

    At the end one without a name, where the last one does not end.
    """
    line, seen, at, depth = 1, 0, 0, 0
    before, command, begun = "", "", 1
    words: list[str] = []
    while token := _TOKEN.search(content, at):
        at = token.end()
        word = token[0]
        bracket = token[1] if token[1] is not None else token[2]
        if bracket is not None:
            end = content.find(f"]{bracket}]", at)
            at = len(content) if end < 0 else end + len(bracket) + 2
            continue
        if word[0] == "#":
            continue
        if word == "(":
            depth += 1
            if depth == 1:
                line += content.count("\n", seen, token.start())
                seen = token.start()
                command, begun, words = before.lower(), line, []
        elif word == ")":
            depth = max(0, depth - 1)
            if depth == 0 and command in _COMMANDS:
                yield command, begun, words
        elif depth:
            words.append(token[3] if token[3] is not None else word)
        before = word
    if depth:
        yield "", begun, []
