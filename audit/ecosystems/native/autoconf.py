"""Autoconf (`configure.ac`, macros in `*.m4`) and configure scripts that are written by hand: which libraries a build looks for."""

import re
from dataclasses import replace
from posixpath import dirname, join, normpath
from typing import Final

from audit.ecosystems.native import known_libraries, link_words
from audit.ecosystems.native.named_libraries import (
    Line,
    LineKind,
    LinkedName,
    NamedLibraries,
    linked,
    logical_lines,
    module_names,
)
from audit.ecosystems.parsed_file import Include, ParsedFile, ParseError, not_read, said
from audit.facts import Finding, Place

_CALL: Final = re.compile(
    r"(?<![A-Za-z0-9_])(PKG_CHECK_MODULES_STATIC|PKG_CHECK_MODULES|PKG_CHECK_EXISTS|PKG_HAVE_WITH_MODULES|PKG_WITH_MODULES"
    r"|AC_CHECK_LIB|AC_SEARCH_LIBS|AC_HAVE_LIBRARY|AC_LIB_HAVE_LINKFLAGS|AC_LIB_LINKFLAGS|AX_CHECK_LIBRARY|TEA_ADD_LIBS"
    r"|PHP_CHECK_LIBRARY|PHP_ADD_LIBRARY|PHP_ADD_LIBRARY_WITH_PATH|PHP_ADD_LIBRARY_DEFER|AC_INIT)[ \t]*+\("
)
_MODULES_AT: Final = {  # The argument that has the list of modules.
    "PKG_CHECK_MODULES": 1, "PKG_CHECK_MODULES_STATIC": 1, "PKG_CHECK_EXISTS": 0, "PKG_HAVE_WITH_MODULES": 1, "PKG_WITH_MODULES": 1,
}  # fmt: skip
_LIBRARIES_AT: Final = {  # The argument that names libraries for the linker.
    "AC_CHECK_LIB": 0, "AC_SEARCH_LIBS": 1, "AC_LIB_HAVE_LINKFLAGS": 0, "AC_LIB_LINKFLAGS": 0, "AX_CHECK_LIBRARY": 2,
    "AC_HAVE_LIBRARY": 0, "TEA_ADD_LIBS": 0, "PHP_CHECK_LIBRARY": 0, "PHP_ADD_LIBRARY": 0, "PHP_ADD_LIBRARY_WITH_PATH": 0,
    "PHP_ADD_LIBRARY_DEFER": 0,
}  # fmt: skip
_OTHERS_AT: Final = {"AC_HAVE_LIBRARY": 3}  # The argument with other libraries that linking needs: elsewhere the fifth.
_ARCHIVE: Final = re.compile(r"lib([^.]+)\.a")
_AUTOCONF_S_OWN: Final = frozenset({"AC_CHECK_LIB", "AC_SEARCH_LIBS", "AC_HAVE_LIBRARY"})
# Macros that are called after a library, as those of the Autoconf Archive: AM_PATH_GTK_2_0, AX_LIB_READLINE.
_NAMED_MACRO: Final = re.compile(
    r"(?<![A-Za-z0-9_\[(])(?:AX|ACX|AM|VL|GP|XIPH)_(?:PATH_|LIB_|CHECK_|WITH_|HAVE_|REQUIRE_)?([A-Z][A-Z0-9_]{1,40})(?![A-Za-z0-9_])"
)
_OTHER_MACROS: Final = {
    "AC_PATH_XTRA": "libx11", "AC_PATH_X": "libx11", "LIBCURL_CHECK_CONFIG": "curl", "BOOST_REQUIRE": "boost", "AX_BOOST_BASE": "boost",
    "AX_PATH_BDB": "berkeley-db", "AX_BERKELEY_DB": "berkeley-db", "AX_PYTHON_DEVEL": "python", "gl_LIBUNISTRING": "libunistring",
    "AX_CHECK_GL": "libglvnd", "AX_CHECK_GLU": "glu", "AX_CHECK_GLUT": "freeglut", "AX_WITH_CURSES": "ncurses", "AX_LIB_MYSQL": "mysql",
    "AX_LIB_POSTGRESQL": "libpq",
}  # fmt: skip
_OTHER_MACRO: Final = re.compile(rf"(?<![A-Za-z0-9_\[(])({'|'.join(_OTHER_MACROS)})(?![A-Za-z0-9_])")
# Looked for as an interpreter or a program, or in the C library as a rule.
_NO_LIBRARY: Final = frozenset({"python", "perl", "ruby", "libiconv", "libintl", "flex", "guile", "lua"})
_ASSIGNED: Final = re.compile(
    r"(?:^|[;)])[ \t]*+(?:export[ \t]++)?([A-Za-z_]\w*+)=(\"[^\"\n]*+\"|'[^'\n]*+'|[^\s;\"']++)", re.MULTILINE
)
_NAME: Final = re.compile(r"[A-Za-z0-9_+.-]{1,80}")
_ANSWERS: Final = frozenset({"yes", "no", "none", "auto", "true", "false"})  # Set before a library's name is known.
_VARIABLE: Final = re.compile(r"\$\{?([A-Za-z_]\w*+)\}?")
_LINE_OF_FLAGS: Final = re.compile(
    r"(?i)\b\w*(?:libs?|ldflags|ldadd|link\w*)(?:_\w+)?[ \t]*\+?=|AC_SUBST|AC_DEFINE_UNQUOTED|^[ \t]*+[A-Za-z_]\w*+=[\"']?-[lL]"
)
_COMMENT: Final = re.compile(r"(?:(?<=\s)|^)dnl\b[^\n]*+|^[ \t]*+#[^\n]*+", re.MULTILINE)
# Macros that come with the tools: they look for what the tools need, and not the work.
_OF_TOOLS: Final = re.compile(
    r"(?:^|/)(?:libtool|lt[a-z~]+|pkg|gettext|iconv|intl\w*|lib-\w+|nls|po|progtest|lcmessage|gnulib-\w+|threadlib|lock|ax_pthread|acx_pthread|tcl)\.m4$"
)
_BY_ACLOCAL: Final = re.compile(r"generated (?:automatically )?by aclocal")  # A copy of macros from the system.
_DEFINED: Final = re.compile(
    r"(?<!\w)(?:m4_define|m4_pattern_define|define|AC_SUBST)\(\[?(\w++)\]?[ \t]*+,[ \t\n]*+\[([^\[\]()]{1,400})\]"
)
_LOOP: Final = re.compile(r"(?<!\w)for[ \t]++([A-Za-z_]\w*+)[ \t]++in[ \t]++([^;\n]++)")
_TAKEN_IN: Final = re.compile(
    r"(?<!\w)(?:m4_s?include|s?include|builtin\(\[?include\]?,)\(?[ \t]*+\[?([\w./-]{1,200})\]?\)", re.MULTILINE
)
_MAX_ARGUMENTS_CHARACTERS: Final = 4_000  # A call that is not closed ends here.
_MAX_VALUE_CHARACTERS: Final = 1_000  # Of one variable.
# Looks for a file, links nothing.
_TESTS: Final = re.compile(r"(?:\btest|\[)[ \t]++(?:![ \t]++)?-[a-z][ \t]++\S{1,300}")
_PARAMETER: Final = re.compile(r"\$([1-9])")
_DEFINES: Final = re.compile(r"_DEFUN(?:_ONCE)?\(\[?(\w{1,80})")
_SIGN: Final = re.compile(r"[\[\](),]")
_HAND: Final = re.compile(r"^[ \t]*+(?:echo|printf|cat|die|warn|log|#|--)", re.MULTILINE)
_PKG_FUNCTION: Final = re.compile(
    r"(?<!\w)(?:check|require|test|use|find|need)_pkg_?config\w*[ \t]++([A-Za-z0-9_-]++|\"[^\"\n]*+\")[ \t]++(\"[^\"\n]++\"|[A-Za-z0-9_+.-]++)"
)
_AUTOCONF: Final = re.compile(r"[Gg]enerated (?:automatically )?(?:by|using) (?:GNU )?[Aa]utoconf")


def read(path: str, content: str) -> ParsedFile:
    """configure.ac, configure.in and *.m4: a library that is looked for is used where it is found."""
    named = NamedLibraries(path)
    if _OF_TOOLS.search(path) or _BY_ACLOCAL.search(content[:400]):
        return named.parsed()
    text = _COMMENT.sub("", content)
    values = _values(text)
    calls = _Calls(text)
    wrappers: dict[str, tuple[str, int]] = {}
    cut: Finding | None = None
    for call in _CALL.finditer(text):
        arguments, number = calls.arguments(call.end(), 5), calls.line(call.start())
        shown = f"{call[1]}({', '.join(arguments[:3])})"
        if calls.is_cut and len(arguments) <= _MODULES_AT.get(call[1], _LIBRARIES_AT.get(call[1], 0)):
            cut = cut or not_read(path, number, f"has more names in one {call[1]} than are read")
        # A macro's parameters are not known in *.m4.
        if not cut and not path.endswith(".m4") and _is_computed(call[1], arguments, values):
            cut = not_read(path, number, f"looks by {call[1]} for a library whose name is computed")
        _called(named, call[1], arguments, number, shown, values)
        wrappers |= _wrapper(text, call, arguments)
    _called_by_wrappers(named, text, wrappers, values)

    def expand(words: str) -> str:
        return _VARIABLE.sub(lambda match: values.get(match[1], match[0]), words[:_MAX_ARGUMENTS_CHARACTERS])

    is_library = path.endswith(".m4")
    for number, line in enumerate(text.split("\n"), 1):
        if not is_library:  # There they are defined, not called.
            _macros(named, number, line)
        if _LINE_OF_FLAGS.search(line):
            named.words(
                _TESTS.sub(" ", line), Line(number, line, expand, LineKind.LINKS), _why(path, "in flags for the linker")
            )
    named.computed = None  # Names that are computed are those of what was looked for before.
    return replace(named.parsed(*([cut] if cut else ())), includes=_included(path, text))


def _values(text: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for match in _ASSIGNED.finditer(text):  # Each assignment adds: the branches of a script are not told apart.
        before, more = values.get(match[1], ""), match[2].strip("\"'")
        own = re.sub(rf"\$\{{?{match[1]}\}}?(?!\w)", " ", more)  # `LIBS="$LIBS -lm"` must not put itself in.
        values[match[1]] = f"{before} {own}".strip()[:_MAX_VALUE_CHARACTERS] if own not in before else before
    values |= {match[1]: match[2].replace('"', " ").replace("'", " ") for match in _LOOP.finditer(text)}
    return values | {f"[{match[1]}]": " ".join(match[2].split()) for match in _DEFINED.finditer(text)}


def _included(path: str, text: str) -> tuple[Include, ...]:
    found = []
    calls = _Calls(text)
    for match in _TAKEN_IN.finditer(text):
        part = normpath(join(dirname(path), match[1]))
        if not part.startswith(("..", "/")) and part != path:
            place = Place(path, calls.line(match.start()), said(match[0]))
            found.append(Include(part, place, "autoconf", optional=True))
    return tuple(found)


def _called(
    named: NamedLibraries, macro: str, arguments: list[str], line: int, shown: str, values: dict[str, str]
) -> None:
    why = _why(named.path, f"{macro} looks for it")
    if macro == "AC_INIT":
        name = arguments[0] if arguments else ""
        known = known_libraries.by_name(name)
        named.own |= {name, known.name} if known else {name}
    elif macro in _MODULES_AT:
        for words in arguments[_MODULES_AT[macro] :][:1]:
            for name in module_names(_expanded(words, values)):
                named.module(LinkedName(name, macro.endswith("_STATIC")), line, shown, why)
    else:
        for words in arguments[_LIBRARIES_AT[macro] :][:1]:
            names = [
                name for name in _expanded(words, values).split() if _NAME.fullmatch(name) and name not in _ANSWERS
            ]
            # Of AC_SEARCH_LIBS the first that is found is used: all count.
            choice = link_words.one_of(names) if macro == "AC_SEARCH_LIBS" else ""
            for name in names:
                bare = _ARCHIVE.sub(r"\1", name.removeprefix("-l"))
                named.link(LinkedName(bare), line, shown, f"{why}{choice}")
        at = _OTHERS_AT.get(macro, 4)
        for library in linked("".join(arguments[at : at + 1])):
            if library.name and "$" not in library.name:
                named.link(library, line, shown, why)


def _is_computed(macro: str, arguments: list[str], values: dict[str, str]) -> bool:
    """Whether a call names nothing but variables to which the file gives no value."""
    at = _MODULES_AT.get(macro, _LIBRARIES_AT.get(macro, 0) if macro in _AUTOCONF_S_OWN else len(arguments))
    words = "".join(arguments[at : at + 1])
    return _VARIABLE.search(words) is not None and not _expanded(words, values).strip()


def _macros(named: NamedLibraries, number: int, line: str) -> None:
    """Macros that are called after the library for which they look."""
    for match in _OTHER_MACRO.finditer(line):
        named.library(_OTHER_MACROS[match[1]], number, line.strip(), _why(named.path, f"{match[1]} looks for it"))
    for match in _NAMED_MACRO.finditer(line):
        # A version may end the name.
        known = known_libraries.by_name(re.sub(r"(?:_[0-9]+)+$", "", match[1])) or known_libraries.by_name(match[1])
        if known and known.name not in _NO_LIBRARY:
            named.library(known.name, number, line.strip(), _why(named.path, f"{match[0]} looks for it"))


def _wrapper(text: str, call: re.Match[str], arguments: list[str]) -> dict[str, tuple[str, int]]:
    """The work's own macro around a call that gets its parameter: by its name that call, and the parameter's number."""
    at = _MODULES_AT.get(call[1], _LIBRARIES_AT.get(call[1], 0))
    parameter = _PARAMETER.search(arguments[at]) if len(arguments) > at else None
    start = text.rfind("_DEFUN", max(0, call.start() - _MAX_ARGUMENTS_CHARACTERS), call.start()) if parameter else -1
    name = _DEFINES.match(text, start) if start >= 0 else None
    return {name[1]: (call[1], int(parameter[1]) - 1)} if name and parameter else {}


def _called_by_wrappers(
    named: NamedLibraries, text: str, wrappers: dict[str, tuple[str, int]], values: dict[str, str]
) -> None:
    if not wrappers:
        return
    calls = _Calls(text)
    for call in re.finditer(rf"(?<![\w\[])({'|'.join(map(re.escape, wrappers))})\(", text):
        macro, at = wrappers[call[1]]
        arguments = calls.arguments(call.end(), 9)
        slot = _MODULES_AT.get(macro, _LIBRARIES_AT.get(macro, 0))
        given = [""] * slot + arguments[at : at + 1]
        _called(named, macro, given, calls.line(call.start()), f"{call[1]}({', '.join(arguments[:3])})", values)


def _why(path: str, words: str) -> str:
    return f"{path.rpartition('/')[2]}: {words}"


def _expanded(words: str, values: dict[str, str]) -> str:
    words = " ".join(values.get(f"[{word}]", word) for word in words[:_MAX_ARGUMENTS_CHARACTERS].split())
    for _ in range(3):  # A value may have variables itself.
        if "$" not in words:
            break
        words = _VARIABLE.sub(lambda match: values.get(match[1], ""), words[:_MAX_ARGUMENTS_CHARACTERS])
    return words


class _Calls:
    """The calls in a text, in their order: the line of each, and its arguments."""

    def __init__(self, text: str) -> None:
        self._text, self._seen, self._line = text, 0, 1
        self.is_cut = False  # whether the arguments that were read last go on beyond the bound
        # Calls within calls are each read to their end: without a bound that takes quadratic time.
        self._left = 4 * len(text) + _MAX_ARGUMENTS_CHARACTERS

    def line(self, place: int) -> int:
        """The line, from 1."""
        self._line += self._text.count("\n", self._seen, place)  # Calls come in order: no line is counted twice.
        self._seen = place
        return self._line

    def arguments(self, start: int, most: int) -> list[str]:
        """The first arguments of a call, without the quotes around them, of at most _MAX_ARGUMENTS_CHARACTERS characters.

        Raises ParseError where calls within calls would be gone through again and again.
        """
        found: list[str] = []
        depth, brackets, begun = 0, 0, start
        self.is_cut = False
        for sign in _SIGN.finditer(self._text, start, start + _MAX_ARGUMENTS_CHARACTERS):
            if self._left < sign.end() - start:
                raise ParseError("calls of macros within each other: not read", code="file/refused")
            if sign[0] in "[]":  # m4's quotes.
                brackets = max(0, brackets + (1 if sign[0] == "[" else -1))
            elif brackets:
                continue
            elif sign[0] == "(":
                depth += 1
            elif sign[0] == ")" and depth:
                depth -= 1
            elif sign[0] == ")" or not depth:
                found.append(re.sub(r"[\[\]]", "", self._text[begun : sign.start()]).strip().strip("\"'"))
                begun = sign.end()
                if sign[0] == ")" or len(found) == most:
                    break
        else:
            self.is_cut = start + _MAX_ARGUMENTS_CHARACTERS < len(self._text)
        self._left -= begun - start if found else _MAX_ARGUMENTS_CHARACTERS
        return found


def read_script(path: str, content: str) -> ParsedFile:
    """A configure script that a person wrote, and its parts (nginx' `auto/`): names behind `-l` and for pkg-config."""
    named = NamedLibraries(path)
    if _AUTOCONF.search(content[:3_000]):  # It says nothing that its configure.ac does not.
        return named.parsed()
    for number, line in logical_lines(content):
        if _HAND.match(line):  # Words for people.
            continue
        named.words(line, Line(number, line), _why(path, "the script looks for it"))
        for match in _PKG_FUNCTION.finditer(line):
            for name in module_names(match[2].strip('"')):
                named.module(LinkedName(name), number, line, _why(path, "the script looks for it by pkg-config"))
    named.computed = None  # Shell variables get their values elsewhere.
    return named.parsed()
