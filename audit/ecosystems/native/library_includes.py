"""`#include` of a known library's header in C and C++ sources, for libraries that no build file names."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from audit.ecosystems.native import kernel_headers, known_libraries
from audit.ecosystems.native.known_libraries import KnownLibrary
from audit.ecosystems.parsed_file import ParsedFile
from audit.facts import Dependency, Place, Usage

_INCLUDE: Final = re.compile(r"#[ \t]{0,20}include[ \t]{0,20}[<\"]([A-Za-z0-9_][A-Za-z0-9_+./-]{1,100})[>\"]")
_INCLUDE_BYTES: Final = re.compile(_INCLUDE.pattern.encode())
_HEADER: Final = re.compile(r"\.(?:h|hh|hpp|hxx|h\+\+|inc)(?:\.\w{1,12})?$", re.IGNORECASE)
WHY: Final = "#include of its header, and no build file says how it is linked"


@lru_cache(maxsize=2**14)
def _known(header: str) -> KnownLibrary | None:
    return known_libraries.by_header(header)


def names_library(data: bytes) -> bool:
    """Whether a source includes a known library's header."""
    return any(_known(one[1].decode("ascii")) for one in _INCLUDE_BYTES.finditer(data))


def is_header(name: str) -> bool:
    """Whether a file is a header, or a template of one (`config.h.in`)."""
    return _HEADER.search(name) is not None


def read(path: str, content: str) -> ParsedFile:
    """What a source includes of libraries: each once, where it is first included; and of the kernel."""
    kernel = kernel_headers.read(path, content)
    found: dict[str, Dependency] = {}
    for include in _INCLUDE.finditer(content):
        known = _known(include[1])
        if known is None or known.name in found or not _is_alone(content, include.start()):
            continue
        place = Place(path, content.count("\n", 0, include.start()) + 1, f"#include <{include[1]}>")
        found[known.name] = known_libraries.dependency(known.name, known, Usage.UNKNOWN, WHY, place)
    return ParsedFile(dependencies=(*kernel.dependencies, *found.values()), kernel=kernel.kernel)


def _is_alone(content: str, at: int) -> bool:
    """Whether nothing but blanks stands before it in its line."""
    return not content[content.rfind("\n", 0, at) + 1 : at].strip()


def settle(
    included: Iterable[Dependency], is_named: Callable[[str], bool], headers: Iterable[str]
) -> Iterator[Dependency]:
    """The libraries that are known by their headers alone: not in the tree, and named by no file of a build, as used or as made.

    `headers` are the paths of all headers in the tree: a header that lies there is the one that is meant.
    """
    there: dict[str, list[str]] | None = None
    for one in included:
        if is_named(one.name):
            continue
        if there is None:
            there = {}
            for path in headers:
                there.setdefault(path.rpartition("/")[2].partition(".")[0], []).append(path)
        header = one.places[0].said.removeprefix("#include <").removesuffix(">")
        stem = header.rpartition("/")[2].partition(".")[0]
        if not any(_is_that(path, header) for path in there.get(stem, ())):
            yield one


def _is_that(path: str, header: str) -> bool:
    """Whether a file in the tree is the header that is included so, or the template of which it is made."""
    return any(f"/{path}".endswith(f"/{header}{more}") for more in ("", ".in", ".cmake", ".cmakein", ".cmake.in"))
