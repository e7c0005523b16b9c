"""What build files of C and C++ name in the words of linkers and of pkg-config: `-lX`, `pkg-config --libs X`, `X-config --libs`."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from audit.ecosystems.native import known_libraries
from audit.ecosystems.native.known_libraries import KnownLibrary
from audit.ecosystems.parsed_file import ParsedFile, finding, said
from audit.facts import Dependency, Finding, Place, Usage

_VALUE: Final = r"(?:[A-Za-z0-9_+.-]|\$[({][A-Za-z0-9_]{1,60}[)}]|@[A-Za-z0-9_]{1,60}@|\$[A-Za-z_]\w{0,60})"
_WORD: Final = re.compile(
    r"(?P<static>-Wl,-Bstatic|-Wl,-dn\b|-Bstatic\b)|(?P<dynamic>-Wl,-Bdynamic|-Wl,-dy\b|-Bdynamic\b)"
    r"|(?<![^\s\"'`=,(\[])-l(?::lib(?P<file>[A-Za-z0-9_+-][A-Za-z0-9_+.-]{0,80}?)\.(?P<end>a|so)(?![A-Za-z0-9_])"
    rf"|(?P<name>{_VALUE}{{1,80}}))"
)
_PKG_CONFIG: Final = re.compile(
    r"(?:(?<![\w.-])(?:[\w-]{1,40}-)?(?:pkg-config|pkgconf)(?![\w-])|\$[({]?\w{0,20}PKG_?CONF(?:IG)?\w{0,20}[)}]?)([^`;|&\n]{0,600})"
)
_PKG_FUNCTION: Final = re.compile(r"\$[({]call[ \t]++\w*pkg\w*,([^\n]{0,600})", re.IGNORECASE)
"""A function of make that is called after pkg-config: its last argument has the modules."""
_SCRIPT: Final = re.compile(
    r"(?<![A-Za-z0-9_/.-])(?:\$[({]?)?([A-Za-z][A-Za-z0-9+.]{0,30}(?:-[0-9.]{1,6})?)[-_](?:config|CONFIG)[)}]?[ \t]{1,8}"
    r"--(?:libs|ldflags|cflags|cxxflags|link|embed)"
)
_MODULE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+.-]*")
_COMPARES: Final = re.compile(r"[<>=!]{1,2}")
_ASKS: Final = ("--variable", "--modversion", "--version", "--atleast-pkgconfig", "--help", "--list-all")
"""Of pkg-config: where something lies, or which version it is; nothing is linked by that."""
_OPERATORS: Final = frozenset({"t", "e", "dflags", "ink"})
"""What `-l` is put before in a shell's tests of numbers, in a call of Go's, and of Microsoft's linker."""
_VARIABLE: Final = re.compile(r"\$[({]\w++[)}]|\$\w++|@\w++@")
_PARAMETER: Final = re.compile(r"\$[({][0-9][)}]|\$[0-9]")
_COMPUTED: Final = re.compile(r"[$@]")
_STATIC: Final = re.compile(r"(?<![^\s\"'`=,(\[])(?:-static|-all-static)(?![\w-])")
Expand = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class LinkedName:
    """A library that a line links: its name, and whether it says that this is done statically."""

    name: str
    static: bool = False


def linked(words: str, expand: Expand = str) -> Iterator[LinkedName]:
    """Each `-lX` and `-l:libX.a` of a line; `expand` puts values in the place of variables in a name. A name may come out empty."""
    static = False
    for word in _WORD.finditer(words):
        if word["static"] or word["dynamic"]:
            static = bool(word["static"])
        elif word["file"]:
            yield LinkedName(word["file"], word["end"] == "a")
        else:
            name = " ".join(expand(word["name"]).split()).rstrip(".,")
            is_whole = (
                word["name"][0] in "$@"
                and word["name"].count("$") + word["name"].count("@") // 2 == 1
                and word["name"][-1] in ")}@"
            )
            yield LinkedName(name if is_whole or " " not in name else "", static)


def modules(words: str, expand: Expand = str) -> Iterator[LinkedName]:
    """Each module in a line's calls of pkg-config that ask for flags, or whether it is there; empty for one that is computed."""
    for call in _PKG_CONFIG.finditer(words):
        arguments = call[1].partition(")")[0] if "$(" not in call[1] else call[1]
        if any(one in arguments for one in _ASKS) or _PARAMETER.search(arguments):
            continue
        known = expand(arguments)
        names = list(module_names(_VARIABLE.sub(" ", known)))
        if not names and _VARIABLE.search(known):
            names = [""]
        for name in names:
            yield LinkedName(name, "--static" in arguments)


def called(words: str, expand: Expand = str) -> Iterator[LinkedName]:
    """Each module in a line's calls of functions that a Makefile has for pkg-config (`$(call pkg_check_modules,X,zlib)`)."""
    for call in _PKG_FUNCTION.finditer(words):
        for name in module_names(_VARIABLE.sub(" ", expand(call[1]).rpartition(",")[2].rstrip(")} \t"))):
            yield LinkedName(name)


def module_names(words: str) -> Iterator[str]:
    """The modules in a list of them, without options and versions (`glib-2.0 >= 2.40 'zlib>1.2'`)."""
    is_version = False
    for word in re.split(r"[\s,\"'\[\]()]+", words):
        if not word or word[0] == "-":
            continue
        name, *rest = _COMPARES.split(word, maxsplit=1)
        if is_version and name:
            is_version = False
        elif rest and not rest[0]:
            is_version = True
            if name and _MODULE.fullmatch(name):
                yield name
        elif _MODULE.fullmatch(name) and "/dev/null" not in word:
            yield name


def scripts(words: str) -> Iterator[str]:
    """Each X in a line's calls of `X-config --libs`."""
    for call in _SCRIPT.finditer(words):
        if call[1].lower() not in {"pkg", "pkgconf"} and not call[1].lower().endswith("pkg"):
            yield call[1]


def asks_for_static(words: str) -> bool:
    """Whether a line asks for a program without shared libraries."""
    return _STATIC.search(words) is not None


def logical_lines(content: str) -> Iterator[tuple[int, str]]:
    """Each line with its number, continued ones as one, without comments and empty ones."""
    begun, held = 0, ""
    for number, line in enumerate(content.split("\n"), 1):
        if not held:
            begun = number
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        whole, held = held + line, ""
        shown = whole if whole[:1] == "\t" else whole.partition("#")[0] if "#" in whole else whole
        if shown.strip() and not shown.lstrip().startswith("#"):
            yield begun, shown.rstrip("\r")
    if held.strip():
        yield begun, held


@dataclass
class NamedLibraries:
    """What one file has named so far: each library once for each way in which it is linked; and what it makes itself."""

    path: str
    found: dict[tuple[str, Usage], Dependency] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    computed: Place | None = None

    def link(self, one: LinkedName, line: int, words: str, why: str) -> None:
        """A library by its name for the linker; parts of the system are none, and one whose name is computed is remembered."""
        if one.name in _OPERATORS or _PARAMETER.search(words):  # the lines of a function say what, where it is called
            return
        if not one.name or _COMPUTED.search(one.name) or not any(map(str.isalpha, one.name)):
            self.computed = self.computed or Place(self.path, line, said(words))
        elif " " in one.name:  # a variable that has one of these values
            for name in one.name.split():
                self.link(replace(one, name=name), line, words, why)
        elif not known_libraries.is_system(one.name):
            known = known_libraries.by_link_name(one.name) or known_libraries.by_name(one.name)
            self._add(one, known, Place(self.path, line, said(words)), why)

    def module(self, one: LinkedName, line: int, words: str, why: str) -> None:
        """A module of pkg-config's."""
        if not one.name:
            self.computed = self.computed or Place(self.path, line, said(words))
            return
        known = known_libraries.by_pkg_config(one.name) or known_libraries.by_name(one.name)
        self._add(one, known, Place(self.path, line, said(words)), why)

    def library(self, name: str, line: int, words: str, why: str) -> None:
        """A library by what it is called."""
        self._add(LinkedName(name.lower()), known_libraries.by_name(name), Place(self.path, line, said(words)), why)

    def words(self, words: str, line: int, why: str, expand: Expand = str, shown: str = "") -> None:
        """All that the words of a line name; `shown` is the line, where the words are a part of it."""
        shown = shown or words
        for one in linked(words, expand):
            self.link(one, line, shown, f"{why}: -l{one.name}")
        for one in (*modules(words, expand), *called(words, expand)):
            self.module(one, line, shown, f"{why}: pkg-config")
        for name in scripts(words):
            self.library(name, line, shown, f"{why}: {name}-config")

    def make(self, name: str) -> None:
        """A library that the work makes itself, by its name for the linker."""
        known = known_libraries.by_link_name(name) or known_libraries.by_name(name)
        self.own |= {name, known.name} if known else {name}

    def _add(self, one: LinkedName, known: KnownLibrary | None, place: Place, why: str) -> None:
        how = Usage.STATIC_LINK if one.static else Usage.DYNAMIC_LINK
        made = known_libraries.dependency(one.name, known, how, why, place)
        self.found.setdefault((made.name, made.usage), made)

    def parsed(self, *findings: Finding, static: str = "") -> ParsedFile:
        """All of it. `static` says that the file asks for a program without shared libraries."""
        listed = [_static(one, static) if static else one for one in self.found.values()]
        if self.computed:
            message = "links a library whose name is computed, so that it is not known which: list it in the rulebook, or add an SBOM"
            findings = (*findings, finding("file/unsupported", self.path, self.computed.line, message))
        return ParsedFile(dependencies=tuple(listed), findings=findings, own=frozenset(self.own))


def _static(one: Dependency, said_so: str) -> Dependency:
    if one.usage is not Usage.DYNAMIC_LINK:
        return one
    return replace(one, usage=Usage.STATIC_LINK, why=f"{one.why}, and {said_so}")
