"""CMake's language: the commands of a file, and the words that variables, loops, macros and functions put into them.

Nothing is run: a variable stands for all that is ever assigned to it, whichever branch of an `if` that is in.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

_TOKEN: Final = re.compile(
    r"#\[(=*+)\[|#[^\n]*+|\[(=*+)\[|\"([^\"\\]*+(?:\\.[^\"\\]*+)*+)\"|[()]|(?:\\.|[^\s()\"#\\])++|[\"\\]", re.DOTALL
)
_REFERENCE: Final = re.compile(r"\$\{([A-Za-z0-9_.+/-]{1,100})\}")
_WORD: Final = re.compile(r"[A-Za-z_]\w*+")
_ENDS: Final = {"function": "endfunction", "macro": "endmacro"}
_SET_ENDS: Final = frozenset({"CACHE", "PARENT_SCOPE"})
_FIRST_OF_SEVERAL: Final = frozenset({  # A loop calls these with one name after the other.
    "find_package", "find_dependency", "add_library", "add_executable", "project", "add_subdirectory", "fetchcontent_declare",
    "externalproject_add",
})  # fmt: skip
# They use variables, and assign none.
_ASKS: Final = frozenset({
    "if", "elseif", "else", "endif", "while", "endwhile", "message", "unset", "mark_as_advanced", "target_link_libraries", "link_libraries",
    "include_directories", "target_include_directories",
})  # fmt: skip
_FINDS: Final = frozenset({
    "find_package", "find_dependency", "pkg_check_modules", "pkg_search_module", "enable_language", "include", "hunter_add_package",
    "fetchcontent_declare", "externalproject_add", "cpmaddpackage", "cpmfindpackage",
})  # fmt: skip
_NAME_MARKS: Final = re.compile(r"[^a-z0-9]+")
_MAX_VALUES: Final = 200  # Kept of one variable.
_MAX_MIXED: Final = 16  # Words that come of one with several variables in it: they multiply.
_MAX_WORD_CHARACTERS: Final = 2_000
_MAX_NAME_CHARACTERS: Final = 100
_PART: Final = re.compile(r"\w+")
_MAX_DEPTH: Final = 5  # Calls within calls, and variables within variables.


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its `name` in small letters, its first `line`, its `words` as they are written, without quotation marks.

    `is_uncalled` says that it stands in a routine, which was looked at by itself.
    """

    name: str
    line: int
    words: tuple[str, ...]
    is_uncalled: bool = False


@dataclass(frozen=True, slots=True)
class Routine:
    """A function or a macro: its `parameters` and the commands in it, its `body`."""

    parameters: tuple[str, ...]
    body: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class CMakeScript:
    """The commands `listed` in a file of so many `characters`; `unfinished`: the line of a bracket never closed."""

    listed: tuple[Command, ...] = ()
    unfinished: int | None = None
    characters: int = 0


@dataclass(slots=True)
class Definitions:
    """`routines` by name, and the values of `variables`, in one file or in all of a tree.

    `named` are words to which a command may assign something; of those with variables in them `patterns` has the end by the
    beginning. `packages` are the names of what is looked for, in small letters, and `beginnings` how these begin.
    """

    routines: dict[str, Routine] = field(default_factory=dict)
    variables: dict[str, list[str]] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    patterns: dict[str, set[str]] = field(default_factory=dict)
    packages: set[str] = field(default_factory=set)
    beginnings: set[str] = field(default_factory=set)

    def add(self, commands: CMakeScript) -> None:
        """Add those of one file; a routine that is there stays."""
        for command in _without_routines(commands.listed, self.routines):
            name, words = _assigned(command)
            if name:
                _extend(self.variables.setdefault(name, []), words)
        for command in commands.listed:
            if command.name in _FINDS and command.words and "/" not in command.words[0]:
                # A variable's name is none of a package.
                name = plain(command.words[0][:_MAX_NAME_CHARACTERS].partition("$")[0]).removeprefix("find")
                self.packages.add(name)
                self.beginnings.update(name[:end] for end in range(2, len(name) + 1))
            if command.name not in _ASKS:
                self._name(command.words)
        self.packages.discard("")

    def _name(self, words: Sequence[str]) -> None:
        """The words of a command that are variables' names, or become one: `${prefix}_LIBRARIES`."""
        for word in words:
            if _WORD.fullmatch(word):
                self.named.add(word)
            elif "${" in word and len(word) < _MAX_NAME_CHARACTERS:
                parts = _REFERENCE.split(word)[::2]
                if any(parts) and all(not part or _PART.fullmatch(part) for part in parts):
                    self.patterns.setdefault(parts[0], set()).add(parts[-1])

    def may_assign(self, variable: str) -> bool:
        """Whether some command of the file or of the tree may give that variable a value."""
        if variable in self.variables or variable in self.named:
            return True
        # Looked up, and not compared with all: a stranger may write a hundred thousand of both.
        ends = range(len(variable) + 1)
        behind = ((at, self.patterns.get(variable[:at], ())) for at in ends)
        return any(variable[end:] in tails for at, tails in behind if tails for end in ends[at:])

    def of_package(self, variable: str) -> bool:
        """Whether a package that is looked for sets it: `OpenCV_LIBS`, `PYTHON_LIBRARIES` of `PythonLibs`."""
        whole, first = plain(variable), plain(variable.partition("_")[0])
        return first in self.beginnings or any(whole[:end] in self.packages for end in range(1, len(whole) + 1))


def plain(name: str) -> str:
    """A name in small letters, without marks."""
    return _NAME_MARKS.sub("", name.lower())


def parse(content: str, *, is_text: bool = False) -> CMakeScript:
    """All commands; comments and bracket arguments are left out. `is_text`: the file may be no script."""
    line, seen, at, depth, strays = 1, 0, 0, 0, 0
    before, name, begun = "", "", 1
    words: list[str] = []
    found: list[Command] = []
    while token := _TOKEN.search(content, at):
        at, word = token.end(), token[0]
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
                name, begun, words = before.lower(), line, []
                strays -= bool(_WORD.fullmatch(before))  # It was counted as a stray.
        elif word == ")":
            depth = max(0, depth - 1)
            if depth == 0 and name:
                found.append(Command(name, begun, tuple(words)))
        elif depth:
            words.append(token[3] if token[3] is not None else word)
        else:
            strays += 1
        before = word
    # In prose and templates other words stand beside the commands: there an open bracket says nothing.
    unfinished = begun if depth and not (is_text and strays > 0) else None
    return CMakeScript(tuple(found), unfinished, len(content))


def run(commands: CMakeScript, known: Definitions) -> Iterator[Command]:
    """The commands, their variables put in, those of routines where they are called; `known` is of the whole tree."""
    own = Definitions()
    own.add(commands)
    routines = known.routines | own.routines
    # The bounds grow with the file: calls of calls would take exponential time.
    running = _Run(routines, known.variables, 100 + commands.characters // 2, 1_000 + commands.characters * 2)
    yield from running.all(commands.listed, _Scope(own.variables), 0)
    if running.words_left < 0:
        yield Command("", 1, ())  # More than is followed.


@dataclass(slots=True)
class _Scope:
    """Variables set `here`, and the scope `around`."""

    here: dict[str, list[str]]
    around: "_Scope | None" = None

    def value(self, name: str) -> list[str] | None:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.here:
                return scope.here[name]
            scope = scope.around
        return None


@dataclass(slots=True)
class _Run:
    """A run of a file: `routines`, the tree's `shared` variables; `left` commands, `words_left` words may expand."""

    routines: Mapping[str, Routine]
    shared: Mapping[str, list[str]]
    left: int
    words_left: int

    def all(self, listed: Sequence[Command], scope: _Scope, depth: int) -> Iterator[Command]:
        """These commands, one after the other."""
        defined: dict[str, Routine] = {}
        for command in _without_routines(listed, defined):
            yield from self.evaluated(command, scope, depth)
        for routine in defined.values():  # By itself, with parameters of which nothing is known.
            # The colon keeps the word from being looked up again: no variable's name has one.
            unbound = {name: [f"${{{name}:}}"] for name in (*routine.parameters, "ARGN", "ARGV")}
            for command in routine.body:
                for inside in self.evaluated(command, _Scope(unbound, scope), _MAX_DEPTH):
                    yield replace(inside, is_uncalled=True)

    def evaluated(self, command: Command, scope: _Scope, depth: int) -> Iterator[Command]:
        name, written = command.name, command.words
        if name == "cmake_parse_arguments":
            self._parse_arguments(written, scope)
            return
        if name == "foreach":
            scope.here[written[0] if written else ""] = self._looped(written[1:], scope)
            return
        words = tuple(part for word in written for part in self.expand(word, scope))
        assigned, values = _assigned(replace(command, words=words))
        if assigned and depth:  # Those of the file are known already.
            outer = scope.around if "PARENT_SCOPE" in words and scope.around else scope
            outer.here[assigned] = _extend(list(outer.here.get(assigned, ())), values)
        routine = self.routines.get(name)
        firsts = self.expand(written[0], scope)[:50] if written else []
        several = len(firsts) > 1 and (routine is not None or name in _FIRST_OF_SEVERAL)
        rest = words[len(firsts) :] if several else ()
        for words_of_one in [(first, *rest) for first in firsts] if several else [words]:
            if routine is None:
                yield Command(name, command.line, words_of_one)
            else:
                yield from self._called(routine, replace(command, words=words_of_one), scope, depth)

    def _called(self, routine: Routine, command: Command, scope: _Scope, depth: int) -> Iterator[Command]:
        """The commands of a routine, at the line of the call, within the bound."""
        if depth >= _MAX_DEPTH or len(routine.body) > self.left:
            yield command  # The call itself, not followed.
            return
        self.left -= len(routine.body) + 1
        words = list(command.words)
        bound = {name: words[at : at + 1] for at, name in enumerate(routine.parameters)}
        bound |= {"ARGV": words, "ARGN": words[len(routine.parameters) :]}
        bound |= {f"ARGV{at}": [word] for at, word in enumerate(words[:10])}
        body = [replace(step, line=command.line) for step in routine.body]
        yield from self.all(body, _Scope(bound, scope), depth + 1)

    def _looped(self, words: Sequence[str], scope: _Scope) -> list[str]:
        """All that the variable of a loop is in turn."""
        if words[:1] == ("IN",) or words[:1] == ["IN"]:
            lists = True
            found: list[str] = []
            for word in words[1:]:
                if word in {"LISTS", "ITEMS", "ZIP_LISTS"}:
                    lists = word != "ITEMS"
                else:
                    _extend(found, self.expand(f"${{{word}}}" if lists else word, scope))
            return found
        return _extend([], [part for word in words for part in self.expand(word, scope)])

    def _parse_arguments(self, words: Sequence[str], scope: _Scope) -> None:
        """`cmake_parse_arguments(PREFIX options ones severals words…)`: the words behind each keyword."""
        given = [self.expand(word, scope) for word in words[:6]]
        if words[:1] == ("PARSE_ARGV",):  # The second form, for functions.
            given, behind = given[2:], list(scope.value("ARGV") or [])
        else:
            behind = [part for word in words[4:] for part in self.expand(word, scope)]
        if len(given) < 4 or not given[0]:
            return
        prefix, options, keywords = given[0][0], frozenset(given[1]), frozenset((*given[2], *given[3]))
        key = "UNPARSED_ARGUMENTS"
        scope.here.update({f"{prefix}_{option}": [] for option in (*options, *keywords, key)})
        for word in behind[:_MAX_VALUES]:
            if word in keywords:
                key = word
            elif word in options:
                scope.here[f"{prefix}_{word}"] = ["TRUE"]
            else:
                scope.here[f"{prefix}_{key}"].append(word)

    def expand(self, word: str, scope: _Scope, within: frozenset[str] = frozenset()) -> list[str]:
        """The words that a word stands for; an unknown variable stays as it is written, one `within` itself goes."""
        if "$" not in word:
            return [part for part in word.split(";") if part] if ";" in word else [word]
        found = _REFERENCE.search(word)
        self.words_left -= 1
        if found is None or len(within) >= _MAX_DEPTH or len(word) > _MAX_WORD_CHARACTERS or self.words_left < 0:
            return [word]
        name, front, rest = found[1], word[: found.start()], word[found.end() :]
        values = [] if name in within else scope.value(name)
        values = self.shared.get(name) if values is None else values
        behind = self.expand(rest, scope, within) if "${" in rest else [rest]
        if values is None:  # What stands behind it may be known.
            return [front + found[0] + tail for tail in behind]
        inside = within | {name}
        whole = [part for value in values[:_MAX_VALUES] for part in self.expand(value, scope, inside)]
        if not front and not rest:
            return whole[:_MAX_VALUES]
        mixed = [front + middle + other for middle in whole[:_MAX_MIXED] or [""] for other in behind[:_MAX_MIXED]][
            :_MAX_MIXED
        ]
        # A name that another variable makes whole: `${${X}_LIBRARIES}`.
        return (
            [part for candidate in mixed for part in self.expand(candidate, scope, inside)]
            if front.endswith("${")
            else mixed
        )


def _assigned(command: Command) -> tuple[str, list[str]]:
    """The variable to which a command assigns something, and what; an empty name for all other commands."""
    words = command.words
    if command.name == "set" and len(words) > 1 and words[0] not in _SET_ENDS:
        end = next((at for at, word in enumerate(words) if word in _SET_ENDS), len(words))
        return words[0], list(words[1:end])
    if command.name == "list" and len(words) > 2 and words[0] in {"APPEND", "PREPEND"}:
        return words[1], list(words[2:])
    # Names of options and libraries are often made in the other case.
    if command.name == "string" and len(words) == 3 and words[0] in {"TOLOWER", "TOUPPER"}:
        return words[2], [words[1].lower() if words[0] == "TOLOWER" else words[1].upper()]
    return "", []


def _extend(known: list[str], more: Sequence[str]) -> list[str]:
    for word in more[:_MAX_VALUES]:
        if len(known) >= _MAX_VALUES:
            break
        if word not in known:
            known.append(word)
    return known


def _without_routines(listed: Sequence[Command], routines: dict[str, Routine]) -> Iterator[Command]:
    """The commands outside of routines, which come to `routines`; the first of a name stays."""
    opened: Command | None = None
    body: list[Command] = []
    for command in listed:
        if opened is None and command.name in _ENDS and command.words:
            opened, body = command, []
        elif opened is not None and command.name == _ENDS[opened.name]:
            name = opened.words[0].lower()
            routines.setdefault(name, Routine(opened.words[1:], tuple(body)))
            opened = None
        elif opened is None:
            yield command
        else:
            body.append(command)
    if opened is not None:  # It never ends: its commands are those of the file.
        yield from body
