"""CMake, command by command: libraries that are found, fetched, built from a folder, imported and linked."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from audit.ecosystems.native import (
    cmake_commands,
    cmake_unread,
    known_libraries,
    link_words,
    named_libraries,
    platform_libraries,
)
from audit.ecosystems.native.cmake_commands import CMakeScript, Definitions
from audit.ecosystems.native.cmake_listing import FETCHES, Listing, conan, fetched
from audit.ecosystems.parsed_file import BuildFile, Include, ParsedFile, dependency_at, said
from audit.ecosystems.purls import purl
from audit.facts import Place, Usage

_KEYWORDS: Final = frozenset({
    "PUBLIC", "PRIVATE", "INTERFACE", "debug", "optimized", "general", "LINK_PUBLIC", "LINK_PRIVATE",
    "LINK_INTERFACE_LIBRARIES",
})  # fmt: skip
_SEARCHES: Final = frozenset({  # Keywords of find_library: the names end with the first of them but NAMES.
    "NAMES", "NAMES_PER_DIR", "HINTS", "PATHS", "PATH_SUFFIXES", "DOC", "REQUIRED", "REGISTRY_VIEW", "VALIDATOR", "ENV", "OPTIONAL",
    "NO_CACHE", "NO_DEFAULT_PATH", "NO_PACKAGE_ROOT_PATH", "NO_CMAKE_PATH", "NO_CMAKE_ENVIRONMENT_PATH",
    "NO_SYSTEM_ENVIRONMENT_PATH", "NO_CMAKE_SYSTEM_PATH", "NO_CMAKE_INSTALL_PREFIX", "CMAKE_FIND_ROOT_PATH_BOTH",
    "ONLY_CMAKE_FIND_ROOT_PATH", "NO_CMAKE_FIND_ROOT_PATH",
})  # fmt: skip
_WITH_VALUE: Final = frozenset({  # Options of linkers behind which a value stands.
    "-framework", "-weak_framework", "-undefined", "-u", "-e", "-z", "-rpath", "-soname", "-install_name", "-arch", "-isysroot", "-T",
    "-Xlinker", "-current_version", "-compatibility_version", "-exported_symbols_list", "-o",
})  # fmt: skip
_LINK_PROPERTIES: Final = frozenset(
    {"LINK_LIBRARIES", "INTERFACE_LINK_LIBRARIES", "LINK_FLAGS", "LINK_OPTIONS", "IMPORTED_LINK_INTERFACE_LIBRARIES"}
)
_LINKER_FLAGS: Final = re.compile(r"CMAKE_(?:EXE|SHARED|MODULE)_LINKER_FLAGS|CMAKE_C(?:XX)?_STANDARD_LIBRARIES")
_VENDORED: Final = re.compile(
    r"(?:^|/)(third[-_]?party|3rd[-_]?party|thirdparty|vendor|vendored|external|externals|extern|deps|bundled|submodules)/",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+.-]*")
_FIND_MODULE: Final = re.compile(r"(?:^|/)Find([A-Za-z][A-Za-z0-9_+.-]*)\.cmake$")
_CONFIG: Final = re.compile(r"(?:^|[/\s])([A-Za-z][A-Za-z0-9_+.-]*?)-?[cC]onfig(?:-?[vV]ersion)?\.cmake(?:\.in)?$")
_EXPORT: Final = re.compile(r"[-_.]?(?:targets?|exports?|config)$", re.IGNORECASE)
_FINDS_NOTHING: Final = frozenset({  # Parts of compilers, systems, or CMake itself.
    "threads", "packagehandlestandardargs", "packagemessage", "cmakepackageconfighelpers", "openmp", "ctest", "pkgconfig", "backtrace",
    "std", "cpm", "cmath", "math", "libm", "libdl", "rt", "winsock",
})  # fmt: skip
_LOCATIONS: Final = ("IMPORTED_LOCATION", "IMPORTED_IMPLIB")
_HANDLES: Final = ("PkgConfig::", "CONAN_PKG::")  # Targets for what another command names.
_FINDS: Final = frozenset({"find_package", "find_dependency"})
# The end of a name that a version makes whole (`Qt${QT_VERSION_MAJOR}`).
_VERSIONED: Final = re.compile(r"\$\{[^{}]{0,80}VERSION[^{}]{0,80}\}$")
_ON: Final = frozenset({"ON", "TRUE", "1", "YES"})  # CMake's words for true.


def read(path: str, content: str) -> ParsedFile:
    """CMakeLists.txt and *.cmake: the commands, which the tree's files settle together (build_tree)."""
    # A *.cmake may be a template.
    commands = cmake_commands.parse(content, is_text=not path.endswith("CMakeLists.txt"))
    return ParsedFile(build=BuildFile(commands=commands))


def read_template(path: str, _content: str) -> ParsedFile:
    """`xConfig.cmake.in` and `x-config.cmake.in`: the work is the package x for others."""
    config = _CONFIG.search(path)
    return ParsedFile(build=BuildFile(packages=frozenset({config[1]}))) if config else ParsedFile()


def evaluate(path: str, commands: CMakeScript, known: Definitions) -> ParsedFile:
    """The content of a file's commands, with the definitions of all files of the tree."""
    listing = Listing(path)
    if commands.unfinished is not None:
        listing.broken(commands.unfinished, "a bracket that is never closed: nothing was read from here on")
    config = _CONFIG.search(path)
    if config and not _FIND_MODULE.search(path):
        listing.packages.add(config[1])
    includes: list[Include] = []
    for command in cmake_commands.run(commands, known):
        includes += cmake_unread.look(listing, command, known)
        words = [word for word in command.words if word]
        if not command.name:
            why = "its variables and calls make more of it than is followed: some of what it asks for is not read"
            listing.report("file/refused", None, why)
        elif words and (does := _DOES.get(command.name)):
            is_computed = "$" in words[0] and not _VERSIONED.sub("", words[0]).isidentifier()
            if command.name in _FINDS and is_computed and not command.is_uncalled:
                listing.not_read(command.line, f"looks for a package whose name is computed ({said(words[0])})")
            does(listing, listing.place(command.line, f"{command.name}({' '.join(words[:8])})"), words)
    # Targets of sources that were taken over are another author's: they count where they are linked.
    is_ours = not _VENDORED.search(path)
    build = BuildFile(
        asked=tuple(listing.asked),
        libraries=frozenset(listing.libraries if is_ours else ()),
        packages=frozenset(listing.packages if is_ours else ()),
        projects=frozenset(listing.projects if is_ours else ()),
        spaces=frozenset(listing.spaces if is_ours else ()),
        commands=commands,
        linkage=listing.linkage,
    )
    return ParsedFile(
        findings=tuple(dict.fromkeys(listing.findings)),
        own=frozenset(listing.own if is_ours else ()),
        build=build,
        includes=tuple(dict.fromkeys(includes)),
    )


def _made(listing: Listing, place: Place, words: list[str]) -> None:
    """`add_library`, `add_executable`: a target of the tree's own, unless it is imported."""
    if "IMPORTED" in words:
        _imported(listing, place, words)
        return
    name = words[0]
    listing.own.add(name)
    listing.libraries.add(name)
    if words[1:2] == ["ALIAS"] and "::" in name:
        listing.spaces.add(name.partition("::")[0])  # Others find the work's targets in it.


def _program(listing: Listing, _place: Place, words: list[str]) -> None:
    if "IMPORTED" not in words:
        listing.own.add(words[0])


def _installed(listing: Listing, _place: Place, words: list[str]) -> None:
    """`install(EXPORT xTargets NAMESPACE x:: …)`, `export(…)`, package files: names by which others find the work."""
    said_by = dict(pairwise(words))
    space = said_by.get("NAMESPACE", "").partition("::")[0]
    if space:
        listing.spaces.add(space)
    exported = _EXPORT.sub("", said_by.get("EXPORT", ""))
    found = [match[1] for word in words[:20] if (match := _CONFIG.search(word))]
    listing.packages.update(name for name in (exported, said_by.get("PACKAGE", ""), *found) if _NAME.fullmatch(name))


def _property(listing: Listing, place: Place, words: list[str]) -> None:
    """`set_target_properties(x PROPERTIES OUTPUT_NAME z …)`: other names of the work's own, more that is linked."""
    for key, value in pairwise(words):
        if key.startswith(_LOCATIONS):
            _located(listing, place, words[0] if words[0] != "TARGET" else words[1], value)
        elif key in {"OUTPUT_NAME", "EXPORT_NAME"} and _NAME.fullmatch(value):
            listing.own.add(value)
            listing.libraries.add(value)
        elif key in _LINK_PROPERTIES:
            is_flags = key in {"LINK_FLAGS", "LINK_OPTIONS"}
            linked = value.split() if is_flags else [value]
            _link(listing, place, linked, "CMake: a target's properties", options_alone=is_flags)


def _located(listing: Listing, place: Place, target: str, file: str) -> None:
    """`IMPORTED_LOCATION`: where a known library lies for which a target is a handle under a name of the work's own."""
    for library in link_words.names(file):
        plain = link_words.without_marks(library.name)
        known = known_libraries.by_link_name(library.name) or known_libraries.by_link_name(plain)
        handles = [each for each in listing.asked if each.name == target]
        if known is None or any(each.dependency.license.expression for each in handles):  # The handle says more itself.
            continue
        listing.asked = [each for each in listing.asked if each.name != target]
        listing.library(library.name, known, library.link, "CMake: IMPORTED_LOCATION", place)


def _ran(listing: Listing, place: Place, words: list[str]) -> None:
    """`execute_process(COMMAND pkg-config --libs x)`, `exec_program(x-config ARGS --libs)`."""
    said_so = " ".join(words)
    for module in named_libraries.modules(said_so):
        known = known_libraries.by_module(module.name)
        if module.name and not module.name.isupper():
            link = "static" if module.static else ""
            listing.library(module.name, known, link, "CMake: execute_process, pkg-config", place)
    for name in named_libraries.scripts(said_so):
        known = known_libraries.by_name(name)
        listing.library(name.lower(), known, "", f"CMake: execute_process, {name}-config", place)


def _built(listing: Listing, place: Place, words: list[str]) -> None:
    """`add_subdirectory(third_party/x)`: sources that were taken over, built with the rest."""
    where = _VENDORED.search(words[0])
    name = words[0][where.end() :].strip("/").partition("/")[0] if where else ""
    if where and _NAME.fullmatch(name):
        known = known_libraries.by_name(name)
        dependency = known_libraries.dependency(
            name, known, Usage.VENDORED, f"CMake: add_subdirectory of {where[1]}/", place
        )
        header_only = dependency.usage is Usage.HEADER_ONLY
        listing.ask(replace(dependency, usage=Usage.VENDORED) if header_only else dependency, name)


def _imported(listing: Listing, place: Place, words: list[str]) -> None:
    """`add_library(x STATIC IMPORTED)`: another author's library, linked as it says; an INTERFACE is only a handle."""
    link = words[1] if len(words) > 1 else ""
    name = words[0].partition("::")[0]
    if _NAME.fullmatch(name) and name.lower() not in _FINDS_NOTHING:
        # Links to this target mean this library: they are not counted again.
        listing.own.add(words[0])
        listing.libraries.add(words[0])
        known = known_libraries.linked_as(name)
        listing.library(name, known, "" if link in {"INTERFACE", "UNKNOWN"} else link, f"CMake: {link} IMPORTED", place)


def _switch(listing: Listing, place: Place, words: list[str]) -> None:
    """`set(OPENSSL_USE_STATIC_LIBS ON)` and other variables that say how libraries are linked."""
    name, value = words[0].upper(), words[1] if len(words) > 1 else ""
    if name.endswith("_USE_STATIC_LIBS") and value.upper() in _ON:
        listing.static.add(name.removesuffix("_USE_STATIC_LIBS"))
    # Where CMake looks for archives alone, all that it finds is static.
    elif name == "CMAKE_FIND_LIBRARY_SUFFIXES" and value and set(words[1:]) <= {".a", ".lib"}:
        listing.static.add("")
    elif name == "BUILD_SHARED_LIBS":
        listing.built = "shared" if value.upper() in _ON else "static"
    elif name in {"VCPKG_TARGET_TRIPLET", "VCPKG_LIBRARY_LINKAGE", "VCPKG_DEFAULT_TRIPLET"}:
        listing.linkage = triplet_linkage(value)
    elif _LINKER_FLAGS.fullmatch(name):
        flags = [flag for word in words[1:] for flag in word.split()]
        _link(listing, place, flags, f"CMake: {words[0]}", options_alone=True)


def triplet_linkage(triplet: str) -> str:
    """The linkage of vcpkg's libraries, by the name of their triplet (`x64-windows-static`) or as it is set."""
    parts = frozenset(triplet.lower().split("-"))
    return "static" if "static" in parts else "shared" if parts & {"dynamic", "shared"} else ""


def _found(listing: Listing, place: Place, words: list[str]) -> None:
    """`find_package(X 1.2 EXACT)`; interpreters and programs are tools."""
    name = _VERSIONED.sub("", words[0])
    if not _NAME.fullmatch(name) or name.lower() in _FINDS_NOTHING:
        return
    version = words[1] if "EXACT" in words and len(words) > 1 and words[1][:1].isdigit() else None
    alone = "Interpreter" in words and not {"Development", "Development.Module"} & set(words)  # No library is linked.
    if alone and name.lower().startswith(("python", "perl")):
        url = purl("generic", name.lower(), version)
        why = "CMake: find_package, the interpreter alone"
        listing.ask(dependency_at(place, name, version, url, Usage.BUILD_TOOL, why, direct=True), name)
        return
    known = known_libraries.by_name(name)
    static = bool({name.upper(), ""} & listing.static)  # `""` stands for all.
    how = Usage.STATIC_LINK if static else None
    dependency = known_libraries.dependency(name, known, how, "CMake: find_package", place)
    by_name = "no word on how it is linked" if dependency.usage is Usage.UNKNOWN else "known by its name"
    why = f"CMake: find_package, {'static libraries asked for' if static else by_name}"
    url = purl("generic", dependency.name.lower(), version) if version else dependency.purl
    listing.ask(replace(dependency, why=why, version=version, purl=url), name)


def _searched(listing: Listing, place: Place, words: list[str]) -> None:
    """`find_library(VARIABLE NAMES x x16 …)`: several names of one library, of which the first that is known counts."""
    names: list[str] = []
    for word in words[1:]:
        if word in _SEARCHES and word != "NAMES":
            break
        found = next(link_words.names(word), None)
        if found and word != "NAMES" and "::" not in word:
            names.append(link_words.without_marks(found.name) if names else found.name)
    if not names or words[0].endswith("FRAMEWORK"):  # Apple's own, as a rule.
        return
    if platform_libraries.is_system(names[0]) or platform_libraries.is_framework(names[0]):
        return
    known = next((library for name in names if (library := known_libraries.by_link_name(name))), None)
    known = known or next((library for name in names if (library := known_libraries.by_name(name))), None)
    listing.library(names[0], known, "static" if "" in listing.static else "", "CMake: find_library", place)


def _checked(listing: Listing, place: Place, words: list[str]) -> None:
    """`pkg_check_modules(PREFIX REQUIRED IMPORTED_TARGET libusb-1.0>=1.0)`."""
    _modules(listing, place, _names_of_modules(words), "CMake: pkg_check_modules")


def _module_searched(listing: Listing, place: Place, words: list[str]) -> None:
    """`pkg_search_module(PREFIX libfoo libbar)` takes the first that is found; all count, as it is not known which that is."""
    names = _names_of_modules(words)
    _modules(listing, place, names, f"CMake: pkg_search_module{link_words.one_of(names)}")


def _names_of_modules(words: list[str]) -> list[str]:
    names = [re.split(r"[<>=]", word, maxsplit=1)[0] for word in words[1:]]
    return [name for name in names if _NAME.fullmatch(name) and not name.isupper()]  # `REQUIRED`, `QUIET` and the like.


def _modules(listing: Listing, place: Place, names: list[str], why: str) -> None:
    for name in names:
        listing.library(name, known_libraries.by_module(name), "", why, place)


def _links(why: str, words: slice, *, options_alone: bool = False) -> Callable[[Listing, Place, list[str]], None]:
    return lambda listing, place, given: _link(listing, place, given[words], why, options_alone=options_alone)


def _link(listing: Listing, place: Place, words: Sequence[str], why: str, *, options_alone: bool = False) -> None:
    """The libraries of words for a linker; `options_alone`: a plain word among them is an option's, and no library."""
    words = [part for word in words for part in (word.split() if word.startswith("-") else [word])]
    linked = [
        word
        for before, word in pairwise(("", *words))
        if word not in _KEYWORDS and (before not in _WITH_VALUE or word.startswith("-l"))
    ]
    frameworks = [after for before, after in pairwise(words) if before == "-framework"]
    linked += [framework for framework in frameworks if not platform_libraries.is_framework(framework, by_option=True)]
    beside = " ".join(words)  # Some names are the system's only beside others.
    for library in (library for word in linked for library in link_words.names(word)):
        # CMake puts `x-NOTFOUND` in place of a library that it has not found.
        if (
            (options_alone and library.target)
            or library.name.endswith("-NOTFOUND")
            or library.name.lower() in _FINDS_NOTHING
        ):
            continue
        if platform_libraries.is_system(library.name, beside) or platform_libraries.is_framework(library.name):
            continue
        name = link_words.without_marks(library.name) or library.name
        known = known_libraries.by_link_name(library.name) or known_libraries.by_link_name(name)
        known = known or known_libraries.by_name(name)
        if known is None and library.target.startswith(_HANDLES):
            continue
        link = library.link or ("static" if "" in listing.static else "")
        listing.library(name if known else library.name, known, link, why, place, target=library.target or library.name)


_DOES: Final[dict[str, Callable[[Listing, Place, list[str]], None]]] = {  # The reader of each command.
    "add_library": _made,
    "add_executable": _program,
    "add_custom_target": _program,
    "project": lambda listing, _place, words: listing.projects.add(words[0]),
    "install": _installed,
    "export": _installed,
    "configure_package_config_file": _installed,
    "write_basic_package_version_file": _installed,
    "set": _switch,
    "option": _switch,
    "set_target_properties": _property,
    "set_property": _property,
    "find_package": _found,
    "find_dependency": _found,
    "hunter_add_package": _found,
    "rapids_find_package": _found,
    "rapids_cpm_find": _found,
    "find_library": _searched,
    "check_library_exists": _links("CMake: check_library_exists", slice(1)),
    "add_subdirectory": _built,
    "target_link_libraries": _links("CMake: target_link_libraries", slice(1, None)),
    "target_link_options": _links("CMake: options for the linker", slice(None), options_alone=True),
    "link_libraries": _links("CMake: link_libraries", slice(None)),
    "add_link_options": _links("CMake: options for the linker", slice(None), options_alone=True),
    "execute_process": _ran,
    "exec_program": _ran,
    "pkg_check_modules": _checked,
    "pkg_search_module": _module_searched,
    "conan_cmake_configure": conan,
    "conan_cmake_run": conan,
    **{name: fetched(name) for name in FETCHES},
}
