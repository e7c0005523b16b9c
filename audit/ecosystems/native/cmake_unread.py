"""Parts of a CMake build that its files do not spell out: files of any name that are taken in, variables that no file assigns, downloads."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from posixpath import dirname, join, normpath
from typing import Final

from audit.ecosystems.native.cmake_commands import Command, Definitions
from audit.ecosystems.native.cmake_listing import Listing
from audit.ecosystems.parsed_file import Include, ParsedFile, not_read, said
from audit.facts import Place

FAMILY: Final = "native"
"""The family of files that CMake's take in under any name."""
_MAX_FINDINGS: Final = 100  # Of one file: that it is not read is said by then.
_LINKS: Final = frozenset({"target_link_libraries", "link_libraries"})
_RUNS: Final = frozenset({"execute_process", "exec_program", "add_custom_command", "add_custom_target"})
_BRINGS: Final = re.compile(r"(?:^|[\s/}])(?:git(?:\.exe)?|\$\{GIT\w*\})[ ]clone[ ]|(?:^|[\s/])(?:curl|wget)(?:\.exe)?[ ][^\n]{0,500}://|\bpip3?[ ]install[ ](?!-r\b)")  # fmt: skip
# Scripts of package managers bring nothing themselves: their own commands are read.
_SCRIPT: Final = re.compile(r"(?i)\.cmake\b|\bcpm|conan|hunter|vcpkg")
_REFERENCE: Final = re.compile(r"\$(ENV)?\{([A-Za-z0-9_.+/-]{1,100})\}")
_WHOLE: Final = re.compile(r"(?:-l)?\$(?:ENV)?\{[A-Za-z0-9_.+/-]{1,100}\}")
# CMake's own variables, and folders of the build, in which it puts what it makes.
_OF_CMAKE: Final = re.compile(
    r"(?:CMAKE|CTEST|CPACK)_.*|.*PROJECT_NAME|ARG[CNV]\d*|(?:\w+_)?(?:SOURCE|BINARY)_DIR|BUILD_\w+"
    r"|[\w.+-]+_(?:VERSION(?:_(?:MAJOR|MINOR|PATCH|TWEAK))?|IS_TOP_LEVEL|DESCRIPTION|HOMEPAGE_URL)"  # Set by `project`.
)
_HERE: Final = re.compile(r"\$\{CMAKE_CURRENT_(?:LIST|SOURCE)_DIR\}/|\./")
_TREE: Final = re.compile(r"\$\{(?:CMAKE_HOME_DIRECTORY|\w*SOURCE_DIR|CMAKE_PARENT_LIST_DIR)\}/")
_IS_MADE: Final = re.compile(
    r"\$\{\w*(?:BINARY|BUILD|OUTPUT|INSTALL)\w*\}|(?i:(?:^|/)conan[^/]*$)"
    r"|(?:\$\{EPHEMERAL_DIR\}|/ephemeral)/generated_config\.cmake$"  # Flutter's version and folder.
)
_MODULE: Final = re.compile(
    r"[\w+-]+"
)  # `include(GNUInstallDirs)`: CMake's own, a found package's, or a `.cmake` of the tree.


def look(listing: Listing, command: Command, known: Definitions) -> tuple[Include, ...]:
    """One command: a finding for what only the build knows; the places of the file that it takes in."""
    words = [word for word in command.words if word]
    if command.is_uncalled or not words:  # Its parameters are not known.
        return ()
    if command.name == "include":
        return _included(listing, command.line, words, known)
    if command.name in _LINKS and len(listing.findings) < _MAX_FINDINGS:
        for word in words[1:]:
            for variable in _unassigned(word, known) if _WHOLE.fullmatch(word) else ():
                listing.not_read(command.line, f"links {said(variable)}, to which no file assigns anything")
    line = " ".join(words)
    is_download = command.name == "file" and words[0] == "DOWNLOAD" and not _SCRIPT.search(line)
    if is_download or (command.name in _RUNS and _BRINGS.search(line)):
        what = words[1] if is_download and len(words) > 1 else line
        listing.not_read(command.line, f"downloads something when it is built, which is not read ({said(what)[:80]})")
    return ()


def with_missing(files: Mapping[str, ParsedFile]) -> dict[str, ParsedFile]:
    """The files by path, with a finding for each place that takes in a file of which no file of the tree has the name."""
    # The paths, and each without its first folders: it is not known in which of them the build looks.
    there = {"/".join(parts[at:]) for path in files for parts in [path.split("/")] for at in range(len(parts))}
    found = dict(files)
    for path, file in files.items():
        named: dict[Place, list[str]] = {}
        for include in file.includes:
            named.setdefault(include.place, []).append(include.path)
        gone = (
            place for place, paths in named.items() if there.isdisjoint((*paths, *(f"{each}.cmake" for each in paths)))
        )
        findings = tuple(
            not_read(path, place.line, f"takes in {place.said}, which is not found in the tree")
            for place in islice(gone, _MAX_FINDINGS)
        )
        found[path] = replace(file, findings=(*file.findings, *findings)) if findings else file
    return found


def _included(listing: Listing, line: int, words: list[str], known: Definitions) -> tuple[Include, ...]:
    named = words[0]
    if (
        "OPTIONAL" in words
        or _MODULE.fullmatch(named)
        or "@" in named
        or _IS_MADE.search(named)
        or named.startswith("/")
    ):
        return ()
    folder = dirname(listing.path)
    is_here, in_tree = _HERE.match(named), _TREE.match(named)
    front = is_here or in_tree
    inside = named[front.end() :] if front else named
    if "$" in inside:
        if _unassigned(inside, known):
            listing.not_read(line, f"takes in {said(named)}, of which only the build knows which file it is")
        return ()
    # Without a variable it is beside the file, or below the folder of a file that takes this one in.
    candidates = [join(folder, inside)] if is_here else [inside] if in_tree else [join(folder, inside), inside]
    paths = dict.fromkeys(normpath(each) for each in candidates)
    place = Place(listing.path, line, said(named))
    return tuple(Include(each, place, FAMILY, optional=True) for each in paths if not each.startswith(".."))


def _unassigned(word: str, known: Definitions) -> list[str]:
    """The variables of a word that no command of the tree may assign, and that no package which is looked for sets."""
    return [
        found[0]
        for found in _REFERENCE.finditer(word)
        if found[1] or not (_OF_CMAKE.fullmatch(found[2]) or known.may_assign(found[2]) or known.of_package(found[2]))
    ]
