"""`#include` of a known library's header in C and C++ sources, for libraries that no build file names."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from audit.ecosystems.native import kernel_headers, known_libraries
from audit.ecosystems.native.known_libraries import KnownLibrary
from audit.ecosystems.native.named_libraries import Line, LineKind, NamedLibraries
from audit.ecosystems.parsed_file import ParsedFile
from audit.facts import Dependency, Place, Usage

_INCLUDE: Final = re.compile(r"#[ \t]{0,20}include[ \t]{0,20}[<\"]([A-Za-z0-9_][A-Za-z0-9_+./-]{1,100})[>\"]")
_INCLUDE_BYTES: Final = re.compile(_INCLUDE.pattern.encode())
_PRAGMA: Final = re.compile(
    r"#[ \t]{0,8}pragma[ \t]{1,8}comment[ \t]{0,8}\([ \t]{0,8}lib(?:rary)?[ \t]{0,8},[ \t]{0,8}\"([^\"\n]{1,100})\""
)
_PRAGMA_BYTES: Final = re.compile(_PRAGMA.pattern.encode())
_LOADS: Final = re.compile(r"\b(?:lt_)?dlm?open(?:ext)?[ \t]{0,8}\([ \t\n]{0,40}\"([^\"\n]{1,100})\"")
_BY_SOURCES: Final = (  # A word without which the pattern finds nothing, the pattern, and its name for people.
    ("pragma", _PRAGMA, "#pragma comment(lib)"),
    ("dlopen", _LOADS, "dlopen()"),
    ("dlmopen", _LOADS, "dlmopen()"),
)
_HEADER: Final = re.compile(r"\.(?:h|hh|hpp|hxx|h\+\+|inc)(?:\.\w{1,12})?$", re.IGNORECASE)
_MAX_COMMENT_CHARACTERS: Final = 4_000  # Before an `#include`: it may stand in a comment that begins there.
_ALSO_BY: Final = {"mysql-client": "mariadb-connector-c"}  # Libraries whose headers are another's, too.
WHY: Final = "#include of its header, and no build file says how it is linked"


@lru_cache(maxsize=2**14)  # Sources include the same headers.
def _known(header: str) -> KnownLibrary | None:
    return known_libraries.by_header(header)


def names_library(data: bytes) -> bool:
    """Whether a source includes a known library's header, tells the linker of a library, or loads one while it runs."""
    # Sources are decoded only if this says so: most name no library.
    if b"dlopen" in data or b"dlmopen" in data or (b"pragma" in data and _PRAGMA_BYTES.search(data)):
        return True
    return any(_known(match[1].decode("ascii")) for match in _INCLUDE_BYTES.finditer(data))


def is_header(name: str) -> bool:
    """Whether a file is a header, or a template of one (`config.h.in`)."""
    return _HEADER.search(name) is not None


def read(path: str, content: str) -> ParsedFile:
    """The libraries whose headers a source includes, each once, where it is first included; and the kernel."""
    kernel = kernel_headers.read(path, content)
    found: dict[str, Dependency] = {}
    for include in _INCLUDE.finditer(content):
        known = _known(include[1])
        if known is None or known.name in found or not _counts(path, content, include.start()):
            continue
        place = Place(path, content.count("\n", 0, include.start()) + 1, f"#include <{include[1]}>")
        found[known.name] = known_libraries.dependency(known.name, known, Usage.UNKNOWN, WHY, place)
    linked = _linked(path, content)
    return ParsedFile(dependencies=(*kernel.dependencies, *found.values(), *linked), kernel=kernel.kernel)


def _linked(path: str, content: str) -> tuple[Dependency, ...]:
    named = NamedLibraries(path)
    for word, pattern, why in _BY_SOURCES:
        seen, number = 0, 1
        for match in pattern.finditer(content) if word in content else ():
            number += content.count("\n", seen, match.start())
            seen = match.start()
            if match[1].startswith("./"):
                continue  # A file of the work's own folder is its own.
            line = Line(number, match[0], kind=LineKind.LINKS)
            name = match[1] if "." in match[1] else f"{match[1]}.lib"  # Windows' linker and loader add an ending.
            named.words(name if "/" in name or pattern is _PRAGMA else f"/{name}", line, why)
    return tuple(named.found.values())


def _counts(path: str, content: str, at: int) -> bool:
    """Whether only blanks stand before it in its line, and it is in no block comment, which in Go is C."""
    if content[content.rfind("\n", 0, at) + 1 : at].strip():
        return False
    opened = content.rfind("/*", max(0, at - _MAX_COMMENT_CHARACTERS), at)
    # cgo takes C from the comment above `import "C"`.
    if opened < 0 or path.endswith(".go") or content.find("*/", opened + 2, at) >= 0:
        return True
    before = content[content.rfind("\n", 0, opened) + 1 : opened]
    return '"' in before or "//" in before  # What looks like a comment's sign there may be none.


def settle(
    included: Iterable[Dependency], is_named: Callable[[str], bool], headers: Iterable[str]
) -> Iterator[Dependency]:
    """The libraries that are known by their headers alone: not in the tree, and named by no file of a build, as used or as made.

    `headers` are the paths of all headers in the tree: a header that lies there is the one that is meant.
    """
    there: dict[str, list[str]] | None = None
    for dependency in included:
        if is_named(dependency.name) or is_named(_ALSO_BY.get(dependency.name, dependency.name)):
            continue
        if there is None:  # Only once it is needed: trees may have very many.
            there = {}
            for path in headers:
                there.setdefault(path.rpartition("/")[2].partition(".")[0], []).append(path)
        header = dependency.places[0].said.removeprefix("#include <").removesuffix(">")
        stem = header.rpartition("/")[2].partition(".")[0]
        # The header itself, or the template from which it is made.
        ends = tuple(f"/{header}{more}" for more in ("", ".in", ".cmake", ".cmakein", ".cmake.in"))
        if not any(f"/{path}".endswith(ends) for path in there.get(stem, ())):
            yield dependency
