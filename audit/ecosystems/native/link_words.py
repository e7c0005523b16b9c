"""The words that a linker is told: plain names, `-lX`, files, imported targets, and CMake's generator expressions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from audit.ecosystems.native import known_libraries
from audit.ecosystems.parsed_file import said

_FILE: Final = re.compile(r"(?:[^\s]*/)?(?:lib)?([A-Za-z0-9_+.-]+?)(\.a|\.so(?:\.[0-9.]+)?|\.lib|\.dylib|\.dll)")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+.-]*")
_TARGET: Final = re.compile(r"([A-Za-z][A-Za-z0-9_+.-]*)::([A-Za-z0-9_+.:-]+)")
_VERSIONED: Final = re.compile(r"\$\{[^{}]{0,80}VERSION[^{}]{0,80}\}")
_IN_FOLDER: Final = re.compile(
    r"(\$\{[^{}\s]{1,100}\}[^\s${}@]{0,200}/)(?:lib)?([A-Za-z0-9_+.-]{1,100}?)(\.a|\.so(?:\.[0-9.]+)?|\.lib|\.dylib)"
)  # A file of a folder that a variable has.
_OF_TREE: Final = re.compile(r"(?:SOURCE|BINARY|BUILD|OUTPUT|INSTALL|LIST)\w*\}")  # Folders of the work's own.
# Given to a linker beside libraries.
_NO_LIBRARY: Final = re.compile(r"\.(?:o|obj|res|def|map|lds?|ver|sym|txt|exp|rc|cpp|cc|c)$")
_STATIC_NAME: Final = re.compile(r"(?<=[A-Za-z0-9])[-_]?static$", re.IGNORECASE)
_SHARED_NAME: Final = re.compile(r"(?<=[A-Za-z0-9])[-_]shared$", re.IGNORECASE)
_MARKS: Final = re.compile(
    r"(?i)(?<=[a-z0-9])(?:[-_]?(?:stat(?:ic)?(?:lib)?|shared|debug|dll|omf)|[-_](?:mt|mtd|md|mdd|imp|a|d)|(?<=[0-9])d|_?(?:x?64|32)){1,3}(?=-[0-9]{1,4}$|$)"
)
# Package managers: the target has the library's name.
_FOREIGN: Final = frozenset({"unofficial", "CONAN_PKG", "PkgConfig"})
_PASSED_ON: Final = frozenset({  # Expressions that stand for their own words.
    "LINK_ONLY", "BUILD_INTERFACE", "INSTALL_INTERFACE", "BUILD_LOCAL_INTERFACE", "TARGET_NAME_IF_EXISTS", "TARGET_NAME",
    "TARGET_FILE", "TARGET_LINKER_FILE", "LOWER_CASE", "JOIN", "LINK_LIBRARY", "LINK_GROUP",
})  # fmt: skip
_MAX_CHARACTERS: Final = 2_000
_MAX_NESTED: Final = 8  # Generator expressions nest without limit.


@dataclass(frozen=True, slots=True)
class LinkItem:
    """A library as a linker is told of it: `name`, `link` (`static`, `shared`, ""), `target` as written (`A::B`)."""

    name: str
    link: str = ""
    target: str = ""


def one_of(names: Sequence[str]) -> str:
    """The words on libraries of which a build takes the first that is found; empty for a single name."""
    return f", one of {said(', '.join(dict.fromkeys(names)))}" if len(set(names)) > 1 else ""


def names(word: str) -> Iterator[LinkItem]:
    """The libraries that a word names; none in options and in variables of which nothing is known."""
    yield from filter(None, map(_named, _plain_words(word[:_MAX_CHARACTERS], 0)))


def _named(word: str) -> LinkItem | None:
    if word.startswith("-l"):
        exact = word.startswith("-l:")  # GNU ld's way to name a file.
        word = word[3:] if exact else word[2:]
        return _file(word) if exact else LinkItem(word) if _NAME.fullmatch(word) else None
    word = _VERSIONED.sub("", word)
    file = _IN_FOLDER.fullmatch(word) if len(word) < 300 else None
    # A file of the work's own folders is its own, unless it is called like a known library.
    if file and (known_libraries.by_link_name(file[2]) or not _OF_TREE.search(file[1])):
        return LinkItem(file[2], "static" if file[3] == ".a" else "" if file[3] == ".lib" else "shared")
    if "$" in word or "@" in word or not word or word[0] == "-":
        return None
    target = _TARGET.fullmatch(word)
    if target:
        space, last = target[1], target[2].rpartition("::")[2]
        return LinkItem(last if space in _FOREIGN else space, _of_name(last), word)
    if _NO_LIBRARY.search(word):
        return None
    return _file(word) or (LinkItem(word, _of_name(word), word) if _NAME.fullmatch(word) else None)


def _file(word: str) -> LinkItem | None:
    file = _FILE.fullmatch(word) if len(word) < 300 else None
    if not file:
        return None
    # A `.lib` may be an archive, or the import library of a DLL.
    return LinkItem(file[1], "static" if file[2] == ".a" else "" if file[2] == ".lib" else "shared")


def _of_name(target: str) -> str:
    """The linkage of a target whose name says it (`zlibstatic`, `zstd_shared`)."""
    return "static" if _STATIC_NAME.search(target) else "shared" if _SHARED_NAME.search(target) else ""


def without_marks(name: str) -> str:
    """The name without the ending that says how it is linked, or what for it is built: debugging, 64 bits, Windows."""
    return _MARKS.sub("", name)


def _plain_words(words: str, depth: int) -> Iterator[str]:
    for word in _split(words, ";"):
        front, begins, behind = word.partition("$<")
        if not begins:
            yield from word.split()
        elif depth < _MAX_NESTED:
            end = next(_outside(behind, ">"), len(behind))
            for value in _values(behind[:end]):
                # `-l$<…>`: the option belongs to each of the values.
                yield from _plain_words(front + value if front == "-l" else value, depth + 1)
            yield from _plain_words(behind[end + 1 :], depth + 1)


def _outside(words: str, mark: str) -> Iterator[int]:
    """The places of a mark that stands in no expression within these words."""
    depth = 0
    for at, sign in enumerate(words):
        if sign == "<" and words[at - 1 : at] == "$":
            depth += 1
        elif sign == ">" and depth:
            depth -= 1
        elif sign == mark and not depth:
            yield at


def _split(words: str, mark: str) -> list[str]:
    return [words[before + 1 : at] for before, at in pairwise([-1, *_outside(words, mark), len(words)])]


def _values(inside: str) -> list[str]:
    """The values of an expression: `$<IF:condition,a,b>`, `$<condition:a>`, `$<LINK_ONLY:a>`; none of one that asks."""
    # Two colons belong to a target's name.
    colons = (at for at in _outside(inside, ":") if inside[at + 1 : at + 2] != ":" and inside[at - 1 : at] != ":")
    at = next(colons, len(inside))
    head, value = inside[:at], inside[at + 1 :]
    if at < len(inside) and head in {"IF", "LINK_LIBRARY", "LINK_GROUP"}:
        return _split(value, ",")[1:]
    is_passed_on = head.startswith("$<") or head in {"0", "1"} or head in _PASSED_ON
    return [value] if at < len(inside) and is_passed_on else []
