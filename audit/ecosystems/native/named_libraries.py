"""Names in build files of C and C++, in the words of linkers and pkg-config: `-lX`, `pkg-config --libs X`, `X-config`."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from typing import Final

from audit.ecosystems.native import known_libraries, link_words, platform_libraries
from audit.ecosystems.native.known_libraries import KnownLibrary
from audit.ecosystems.parsed_file import NOT_READ, ParsedFile, finding, not_read, said
from audit.facts import Dependency, Finding, Place, Usage

_VALUE: Final = r"(?:[A-Za-z0-9_+.-]|\$[({][A-Za-z0-9_]{1,60}[)}]|@[A-Za-z0-9_]{1,60}@|\$[A-Za-z_]\w{0,60})"
_BEFORE: Final = r"(?<![^\s\"'`=,(\[])"
_WORD: Final = re.compile(
    r"(?P<static>-Wl,-Bstatic|-Wl,-dn\b|-Bstatic\b)|(?P<dynamic>-Wl,-Bdynamic|-Wl,-dy\b|-Bdynamic\b)"
    rf"|{_BEFORE}-l(?::lib(?P<file>[A-Za-z0-9_+-][A-Za-z0-9_+.-]{{0,80}}?)\.(?P<end>a|so)(?![A-Za-z0-9_])"
    rf"|(?P<name>{_VALUE}{{1,80}})|[ \t]{{1,4}}(?P<apart>[A-Za-z0-9_+.-]{{1,80}}))"
    rf"|{_BEFORE}-(?:weak_|needed_|reexport_)?framework[ \t,]{{1,4}}(?:-Wl,)?(?P<framework>[A-Za-z]\w{{0,60}})"
)
_LIBRARY_FILE: Final = re.compile(
    r"(?<![^\s\"'`=,(\[:;])(?P<folder>(?:[\w.~+$(){}@:-]{0,80}[/\\]){0,12})"
    r"(?:lib(?P<unix>[A-Za-z0-9_+-][A-Za-z0-9_+.-]{0,60}?)\.(?P<end>a|so|la|dylib|tbd)(?:\.[0-9]{1,4}){0,3}|(?P<windows>[A-Za-z0-9_+-][A-Za-z0-9_+.-]{0,60}?)\.(?:lib|LIB))"
    r"(?![A-Za-z0-9_.*%])"
)
_ENDINGS: Final = re.compile(r"\.(?:a|so|la|dylib|tbd|lib|LIB)\b")
FOLDER_OF_OTHERS: Final = re.compile(
    r"(?:^|[/\\])(?:third[-_]?party|3rd[-_]?party|vendor|vendored|externals?|extern|deps|contrib|download|srclib)[/\\]",
    re.IGNORECASE,
)  # A folder for others' works.
_BUILT: Final = re.compile(
    r"(?i)(?:top|abs|build|src|source|obj|out|bin|root|cur|local|target|dest|here)[\w.]{0,20}[)}]|\$[@*<^]"
)  # Folders of the tree's own, or of what is built of it.
_PKG_CONFIG: Final = re.compile(
    r"(?<![\w.-])(?:[\w-]{1,40}-)?(?:pkg-config|pkgconf)(?![\w-])|\$[({]?\w{0,20}PKG_?CONF(?:IG)?\w{0,20}[)}]?"
)
_MAX_ARGUMENTS_CHARACTERS: Final = 600  # Of a call of pkg-config; of a longer one the rest counts as computed.
_ARGUMENTS: Final = re.compile(rf"[^`;|&\n]{{0,{_MAX_ARGUMENTS_CHARACTERS}}}")
# No module: a switch, or CMake's word for what it has not found.
_SWITCH: Final = re.compile(r"[A-Z0-9]+(?:_[A-Z0-9]+)+|[^\s]*-NOTFOUND")
# A function of make that is called after pkg-config: its last argument has the modules.
_PKG_FUNCTION: Final = re.compile(r"\$[({]call[ \t]++\w*pkg\w*,([^\n]{0,600})", re.IGNORECASE)
_SCRIPT: Final = re.compile(
    r"(?<![A-Za-z0-9_/.-])(?:\$[({]?)?([A-Za-z][A-Za-z0-9+.]{0,30}(?:-[0-9.]{1,6})?)[-_](?:config|CONFIG)[)}]?[ \t]{1,8}"
    r"--(?:libs|ldflags|cflags|cxxflags|link|embed)"
)
_MODULE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+.-]*")
_COMPARES: Final = re.compile(r"[<>=!]{1,2}")
# Asked this, pkg-config tells where something lies, or which version it is: nothing is linked by that.
_ASKS: Final = ("--variable", "--modversion", "--version", "--atleast-pkgconfig", "--help", "--list-all")
# Behind `-l` in a shell's tests, and in options that are words: `-list`, `-level`, `-lto_library`.
_OPTIONS: Final = re.compile(
    r"t|e|[ai]?|dflags|ink|in[ek]s?|ist\S*|ang(?:uage)?|ay(?:er|out)|ength|evel|ib(?:path|rary|path:\S*)?|icen[cs]e|imit|ive|oad|ocal(?:e|host)?|og(?:file)?"
    r"|ong|oop\w*|to(?:_library|-\w+)?|to_library\S*|ower|owres|atest|abels?|eft|avfi|pc_type"
)
# Nothing but options, variables and files.
LINKER_WORDS: Final = re.compile(r"\s*+(?:(?:[-$@/.~`\\]|[\w./-]++\.(?:o|obj|a|so|la|lo|lib)\b)\S*+\s*+)++")
COMPILES: Final = re.compile(
    r"\$(?:CC|CXX|LD|FC|GCC|CLANG)(?!\w)|\$[({]\w{0,30}(?:(?<!SU)CC|CXX|(?<!BUI)LD|LINK|GCC|CLANG|(?<![A-Z])F(?:C|77|90)(?!\w))\w{0,30}[)}]|(?<![\w.-])(?:[\w-]{1,40}-)?(?:gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|ld|c99|cl(?=[ \t.])|link(?=\.exe|[ \t]++[-/@])|libtool|trylink|gfortran|f77|f90|ifort|ifx|icc|icpc|icx|nvcc|mpi(?:cc|cxx|c\+\+|f90)|tcc|valac|dmd|ldc2|ghc|rustc|swiftc|fpc|zig)(?:\.exe|-[0-9.]{1,6})?(?![\w.=-])"
)
_VARIABLE: Final = re.compile(r"\$[({]\w++[)}]|\$\w++|@\w++@")
_FUNCTION: Final = re.compile(r"\$\([a-z]{1,20}[ \t][^()\n]{0,300}\)")  # A call of one of make's functions.
_INSTALLS: Final = re.compile(
    r"(?<![\w-])(?:apt|apt-get|yum|dnf|apk|brew|pacman|zypper|pkg|port|pip3?)[ \t](?:[^\n;&|]{0,80}[ \t])?(?:install|add|-S\w{0,3})(?![\w-])"
)  # Names of packages are no libraries that are linked.
_VALA: Final = re.compile(r"(?<!\S)--pkg[ =]{1,4}([A-Za-z][\w.+-]{0,60})")
_OF_VALA: Final = frozenset({"posix", "linux"})  # Vala's own, of the C library and the kernel.
_PARAMETER: Final = re.compile(r"\$[({][0-9][)}]|\$[0-9]")
_COMPUTED: Final = re.compile(r"[$@]")
_STATIC: Final = re.compile(r"(?<![^\s\"'`=,(\[])(?:-static|-all-static)(?![\w-])")
# Another library is taken in their place, where the work brings none.
_STAND_INS: Final = frozenset({"termcap", "curses"})
Expand = Callable[[str], str]


class LineKind(Enum):
    """The use of a line, as far as one can see.

    LINKS: files of libraries in it are linked. OTHER: a `-lX` may be a program's option, and counts where the table has an X.
    """

    PLAIN = "plain"
    LINKS = "links"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a build file: `number`, `text`, its `kind`, and `expand`, which puts values in place of variables."""

    number: int
    text: str
    expand: Expand = str
    kind: LineKind = LineKind.PLAIN


@dataclass(frozen=True, slots=True)
class LinkedName:
    """A library that a line links: its `name`, and whether it says that this is `static`."""

    name: str
    static: bool = False


def linked(words: str, expand: Expand = str) -> Iterator[LinkedName]:
    """Each `-lX`, `-l:libX.a` and `-framework X` of a line; an empty name stands for one that is not known."""
    static = False
    for word in _WORD.finditer(words):
        # These options hold for all libraries behind them.
        if word["static"] or word["dynamic"]:
            static = bool(word["static"])
        elif word["file"]:
            yield LinkedName(word["file"], word["end"] == "a")
        elif word["framework"]:
            if not platform_libraries.is_framework(word["framework"], by_option=True):
                yield LinkedName(word["framework"])
        # Other programs have a `-l` of their own.
        elif word["apart"]:
            if _follows_compiler(words, word):
                yield LinkedName(word["apart"], static)
        else:
            name = " ".join(expand(word["name"]).split()).rstrip(".,")
            written = word["name"]
            is_one = written.count("$") + written.count("@") // 2 == 1
            is_whole = is_one and written[0] in "$@" and (written[-1] in ")}@" or re.fullmatch(r"\$\w+", written))
            yield LinkedName(name if is_whole or " " not in name else "", static)


def _follows_compiler(words: str, word: re.Match[str]) -> bool:
    """Whether `-l X` stands behind a compiler, and X is known, or the line begins with the compiler."""
    compiler = COMPILES.search(words, 0, word.start())
    if compiler is None or not word["apart"][0].isalpha():
        return False
    return not words[: compiler.start()].strip(" \t@-") or known_libraries.linked_as(word["apart"]) is not None


def files(words: str, expand: Expand = str) -> Iterator[LinkedName]:
    """Each library that a line names by its file: `/usr/lib/libX.a`, `$(DIR)/libX.so`, `X.lib`."""
    for word in _LIBRARY_FILE.finditer(words) if _ENDINGS.search(words) else ():
        whole = expand(word[0]).strip()
        # Sources of others are found where they lie.
        if " " in whole or FOLDER_OF_OTHERS.search(whole) or word["folder"].startswith("-"):
            continue
        is_option = words[max(0, word.start() - 4) : word.start()].upper() == "LIB:"
        if word["windows"] and (is_option or platform_libraries.is_system(word["windows"], "ole32")):
            continue
        name = (word["unix"] or "").removesuffix(".dll") or _of_windows(word["windows"])
        if name in _STAND_INS and word["folder"]:  # The work brings it itself.
            continue
        # A file of the work's own folder may be its own: it counts only where the table knows its name.
        is_outside = whole.startswith("/") or word["folder"].startswith("$")
        is_outside = is_outside or bool(word["windows"] and not word["folder"])
        if known_libraries.linked_as(name) or (is_outside and not _BUILT.search(word["folder"])):
            yield LinkedName(name, word["end"] == "a")


def _of_windows(name: str) -> str:
    if platform_libraries.is_system(name):
        return name
    plain = name.removeprefix("lib")
    # `Xd.lib` is for debugging.
    for candidate in (name, plain, link_words.without_marks(plain), plain[:-1] if plain[-1:] in "dD" else ""):
        if (candidate == name or len(candidate) > 1) and known_libraries.linked_as(candidate):
            return candidate
    return plain


def modules(words: str, expand: Expand = str) -> Iterator[LinkedName]:
    """Each module in a line's calls of pkg-config for flags, or whether it is there; empty for a computed one."""
    calls = list(_PKG_CONFIG.finditer(words))
    ends = [*(call.start() for call in calls[1:]), len(words)]
    for call, end in zip(calls, ends, strict=False):
        said_to_it = _ARGUMENTS.match(words, call.end(), end)
        arguments = _to_its_end(said_to_it[0] if said_to_it else "")
        if any(ask in arguments for ask in _ASKS) or _PARAMETER.search(arguments):
            continue
        known = expand(arguments)
        names = list(module_names(_VARIABLE.sub(" ", _FUNCTION.sub(" ", known))))
        # The rest may name more.
        is_cut = said_to_it is not None and said_to_it.end() < end and len(arguments) == _MAX_ARGUMENTS_CHARACTERS
        if is_cut or _FUNCTION.search(known) or (not names and _VARIABLE.search(known)):
            names.append("")
        for name in names:
            yield LinkedName(name, "--static" in arguments)


def _to_its_end(words: str) -> str:
    depth = 0
    for at, sign in enumerate(words):
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return words[:at]
    return words


def bindings(words: str) -> Iterator[LinkedName]:
    """Each X in `valac --pkg X`: the binding of a library, which is called like its module."""
    for match in _VALA.finditer(words) if "--pkg" in words else ():  # Cheaper than the pattern.
        if match[1] not in _OF_VALA:
            yield LinkedName(match[1])


def called(words: str, expand: Expand = str) -> Iterator[LinkedName]:
    """Each module in a line's calls of a Makefile's functions for pkg-config (`$(call pkg_check_modules,X,zlib)`)."""
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
        # `x >= 1.2`: the version is a word of its own.
        if is_version and name:
            is_version = False
        elif rest and not rest[0]:
            is_version = True
            if name and _MODULE.fullmatch(name):
                yield name
        elif _MODULE.fullmatch(name) and "/dev/null" not in word and not _SWITCH.fullmatch(name):
            yield name


def scripts(words: str) -> Iterator[str]:
    """Each X in a line's calls of `X-config --libs`."""
    for call in _SCRIPT.finditer(words):
        # pkg-config has other rules.
        if call[1].lower() not in {"pkg", "pkgconf"} and not call[1].lower().endswith("pkg"):
            yield call[1]


def asks_for_static(words: str) -> bool:
    """Whether a line asks for a program without shared libraries."""
    return _STATIC.search(words) is not None


@lru_cache(maxsize=16)  # Asked for each library of a line.
def has_parameter(words: str) -> bool:
    """Whether a line uses an argument of the function that it stands in."""
    return _PARAMETER.search(words) is not None


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
        # Behind a tab `#` is the shell's.
        shown = whole if whole[:1] == "\t" else whole.partition("#")[0] if "#" in whole else whole
        if shown.strip() and not shown.lstrip().startswith("#"):
            yield begun, shown.rstrip("\r")
    if held.strip():
        yield begun, held


@dataclass
class NamedLibraries:
    """The libraries that the file at `path` has named so far: each once for each way in which it is linked, as `found`.

    `own` is made by the work, `computed` is the first place of a computed name, `cut` a line read in part.
    """

    path: str
    found: dict[tuple[str, Usage], Dependency] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    computed: Place | None = None
    cut: int | None = None

    def link(self, library: LinkedName, line: int, words: str, why: str) -> None:
        """A library by its name for the linker; parts of the system are none, a computed name is remembered."""
        if has_parameter(words):  # The lines of a function say what, where it is called.
            return
        if " " in library.name and not _COMPUTED.search(library.name):  # A variable that has one of these values.
            for name in library.name.split():
                self.link(replace(library, name=name), line, words, why)
            return
        known = known_libraries.by_link_name(library.name)
        if known is None and (
            _OPTIONS.fullmatch(library.name) or platform_libraries.is_system(library.name, self.path, words)
        ):
            return
        if not library.name or _COMPUTED.search(library.name) or not any(map(str.isalpha, library.name)):
            self.computed = self.computed or Place(self.path, line, said(words))
        elif not platform_libraries.is_system(library.name, self.path, words):
            known = (
                known
                or known_libraries.by_name(library.name)
                or known_libraries.linked_as(link_words.without_marks(library.name))
            )
            self._add(library, known, Place(self.path, line, said(words)), why)

    def module(self, library: LinkedName, line: int, words: str, why: str) -> None:
        """A module of pkg-config's."""
        if not library.name:
            self.computed = self.computed or Place(self.path, line, said(words))
            return
        known = known_libraries.by_module(library.name)
        self._add(library, known, Place(self.path, line, said(words)), why)

    def library(self, name: str, line: int, words: str, why: str) -> None:
        """A library by its name."""
        if platform_libraries.is_system(name):
            return
        self._add(LinkedName(name.lower()), known_libraries.by_name(name), Place(self.path, line, said(words)), why)

    def words(self, words: str, line: Line, why: str) -> None:
        """All that the words of a line name, the whole line or a part of it."""
        if ("install" in words or "add" in words or "-S" in words) and _INSTALLS.search(words):
            return
        for library in linked(words, line.expand):
            if line.kind is not LineKind.OTHER or known_libraries.by_link_name(library.name):
                self.link(library, line.number, line.text, f"{why}: -l{library.name}")
        for file in files(words, line.expand) if line.kind is LineKind.LINKS else ():
            self.link(file, line.number, line.text, f"{why}: the file of {file.name}")
        for module in (*modules(words, line.expand), *called(words, line.expand), *bindings(words)):
            self.module(module, line.number, line.text, f"{why}: pkg-config")
        for name in scripts(words):
            self.library(name, line.number, line.text, f"{why}: {name}-config")

    def make(self, name: str) -> None:
        """A library that the work makes itself, by its name for the linker."""
        known = known_libraries.linked_as(name)
        self.own |= {name, known.name} if known and name not in _STAND_INS else {name}

    def _add(self, library: LinkedName, known: KnownLibrary | None, place: Place, why: str) -> None:
        how = Usage.STATIC_LINK if library.static else Usage.DYNAMIC_LINK
        made = known_libraries.dependency(library.name, known, how, why, place)
        self.found.setdefault((made.name, made.usage), made)

    def parsed(self, *findings: Finding, static: str = "") -> ParsedFile:
        """All of it. `static` says that the file asks for a program without shared libraries."""
        # An unknown name that is a variant of what the file itself makes is the work's own.
        kept = (
            dependency
            for dependency in self.found.values()
            if dependency.license.expression or not self._is_variant(dependency.name)
        )
        listed = [
            replace(dependency, usage=Usage.STATIC_LINK, why=f"{dependency.why}, and {static}")
            if static and dependency.usage is Usage.DYNAMIC_LINK
            else dependency
            for dependency in kept
        ]
        if self.computed:
            message = "links a library whose name is computed, so that it is not known which: list it in the rulebook, or add an SBOM"
            findings = (*findings, finding(NOT_READ, self.path, self.computed.line, message))
        if self.cut:
            findings = (*findings, not_read(self.path, self.cut, "names more in one line than is read"))
        return ParsedFile(dependencies=tuple(listed), findings=findings, own=frozenset(self.own))

    def _is_variant(self, name: str) -> bool:
        """Whether an unknown library is one that the file makes, in another build of it (`xd` for debugging, `x64`)."""
        ours = {link_words.without_marks(library) for library in self.own}
        return link_words.without_marks(name) in ours or name.removesuffix("d") in self.own
