"""Commands that install packages, as they stand in container files and in pipelines of continuous integration: `apt-get install -y curl=7.88`."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Final

from audit.ecosystems.npm import package_names
from audit.ecosystems.parsed_file import ParsedFile, dependency_at, not_read, said
from audit.ecosystems.purls import purl
from audit.ecosystems.python import specifiers
from audit.facts import Dependency, Finding, Place, Usage

MAX_COMMAND_CHARACTERS: Final = 20_000  # A generated command may have any length.
_SPLIT: Final = re.compile(r"(&&|\|\||[;|])")
# A pipeline's expression, and what a shell takes from another command: values that only the build knows.
_EXPRESSION: Final = re.compile(r"\$\{\{[^}\n]*+\}\}")
_SUBSTITUTED: Final = re.compile(r"\$\([^()]*+\)|`[^`]*+`")
_SYSTEM: Final = {
    "apt-get": ("deb", "install"), "apt": ("deb", "install"), "aptitude": ("deb", "install"), "apk": ("apk", "add"),
    "dnf": ("rpm", "install"), "yum": ("rpm", "install"), "microdnf": ("rpm", "install"), "zypper": ("rpm", "install"),
    "tdnf": ("rpm", "install"),
}  # fmt: skip
_LANGUAGE: Final = {
    "pip": "pypi", "pip3": "pypi", "pipx": "pypi", "uv": "pypi", "poetry": "pypi", "pipenv": "pypi",
    "npm": "npm", "yarn": "npm", "pnpm": "npm", "bun": "npm",
}  # fmt: skip
_VERBS: Final = frozenset({"install", "add", "i", "ci"})
_VERBS_OF: Final = {"poetry": frozenset({"add"}), "zypper": frozenset({"install", "in"})}
_VALUED: Final = frozenset({  # Behind these options stands a value, no package.
    "-t", "--target-release", "-o", "--option", "-c", "-r", "--requirement", "--constraint", "--repository", "-X",
    "-i", "--index-url", "--extra-index-url", "--prefix", "--target", "--root",
    "--find-links", "--platform", "--python-version", "--virtual", "--registry", "--installroot", "--trusted-host",
    "--timeout",
})  # fmt: skip
_VALUED_BY_PIP: Final = _VALUED | {"-f"}  # For pip a place stands behind `-f`, for all others a package.
_REMOVALS: Final = frozenset({"del", "remove", "purge", "autoremove", "erase"})
_NAMING: Final = frozenset({"-t", "--virtual"})
_REMOVED: Final = "container file: removed again by the same instruction"
PROGRAMS: Final = frozenset(_SYSTEM) | frozenset(_LANGUAGE)
"""Package managers whose commands are read."""
SAYS: Final = frozenset({"echo", "printf", "cat"})
"""Programs whose words are for people, or for a file."""
_REQUIREMENTS: Final = re.compile(r"(?:-r|--requirements?)=?(\S*+)")
# A variable that is called so has options, and no packages.
_OPTIONS_WITHIN: Final = re.compile(r"(?i)\$\{?(?:\w{0,40}_)?(?:opt|option|flag|arg|argument)s?(?:_\w{0,40})?\}?$")
_NAME_AND_VARIABLE: Final = re.compile(r"(@?[^$@=<>~!:]++)(?:[=<>~!]++|[@:]++)(?!//).*+")
_PACKAGE: Final = re.compile(r"[a-z0-9][A-Za-z0-9+._-]*+")
_ASKED: Final = re.compile(r"([^=<>~!]++)([=<>~!]*+)(.*+)")
_BEHIND: Final = {  # An architecture, a release, or a repository's tag.
    "deb": re.compile(r"(?::[a-z0-9-]++)?(?:/[a-z][a-z0-9./-]*+)?$"),
    "apk": re.compile(r"@[A-Za-z0-9_-]++$"),
}
_SPACES: Final = {"deb": "debian", "apk": "alpine", "rpm": "fedora"}  # The commonest, where the image does not say.


def packages(line: str, place: Place, usage: Usage, why: str, space: str = "") -> Iterator[Dependency]:
    """Each package that the commands of a line install; `space` is the distribution where it is known."""
    commands = list(_commands(line))
    # What is removed again matters only in an image that is delivered.
    removed = _removed(commands) if usage is Usage.AGGREGATE else [frozenset[str]()] * len(commands)
    for (program, rest), gone in zip(commands, removed, strict=True):
        installed = _installed(program, rest)
        if installed is None:
            continue
        verb, words = installed
        named = {name for word, name in pairwise(rest) if word in _NAMING}  # Alpine's, for all that one command adds.
        named |= {word.partition("=")[2] for word in rest if word.startswith("--virtual=")}
        whole = not gone.isdisjoint(named)
        for word in words:
            package = None if "$" in word else _dependency(program, word, space)
            if package:
                note = Place(place.path, place.line, said(f"{program} {verb} {word}"))
                how, because = (usage, why) if not whole and package[0] not in gone else (Usage.BUILD_TOOL, _REMOVED)
                yield dependency_at(note, *package, how, f"{because}: {program} {verb}", direct=True)


def left_open(line: str) -> Iterator[str]:
    """Clauses about what the commands of a line install and `packages` does not find: files, addresses, computed names."""
    for words, _ in segments(line):
        at = _at(words)
        program = _program(words[at]) if at is not None else ""
        installed = _installed(program, words[(at or 0) + 1 :]) if program else None
        if installed is None or words[0] in SAYS:
            continue
        arguments = list(installed[1])
        # What `xargs` adds comes from a file or from another command.
        if any(_is_computed(program, word) for word in arguments) or (not arguments and "xargs" in words[:at]):
            yield f"installs packages by {program} whose names only the build knows"
        if any(_is_elsewhere(program, word) for word in arguments):
            yield f"installs a package by {program} from a file or an address, which is not read"


def requirement_files(line: str) -> Iterator[str]:
    """The files of requirements that the commands of a line install (`pip install -r FILE`)."""
    for program, rest in _commands(line):
        if _LANGUAGE.get(program) == "pypi" and (_installed(program, rest) or "wheel" in rest[:2]):
            for word, after in pairwise([*rest, ""]):
                option = _REQUIREMENTS.fullmatch(word)
                if option and (option[1] or after):
                    yield (option[1] or after).strip("\"'")


@lru_cache(maxsize=8)  # Each line is asked about several things.
def segments(line: str) -> list[tuple[list[str], list[list[str]]]]:
    """The words of each command of a line, and those of the next commands into which it is piped."""
    line = _EXPRESSION.sub("$", line[:MAX_COMMAND_CHARACTERS])
    for _ in range(2 if "$(" in line or "`" in line else 0):  # One may stand within another.
        line = _SUBSTITUTED.sub("$", line)
    parts = _SPLIT.split(line)
    found = [command.split("#")[0].split() if " #" in command else command.split() for command in parts[::2]]
    return [
        (
            words,
            [
                found[near]
                for near in takewhile(lambda near: parts[2 * near - 1] == "|", range(at + 1, min(at + 5, len(found))))
            ],
        )
        for at, words in enumerate(found)
        if words
    ]


def not_whole(path: str, commands: Iterable[tuple[int, str]]) -> tuple[Finding, ...]:
    """A finding if one of these lines is not read to its end."""
    cut = next((number for number, words in commands if len(words) > MAX_COMMAND_CHARACTERS), None)
    said_so = f"has a command of which only the first {MAX_COMMAND_CHARACTERS:,} characters are read"
    return () if cut is None else (not_read(path, cut, said_so),)


def _commands(line: str) -> Iterator[tuple[str, list[str]]]:
    for words, _ in segments(line):
        at = _at(words)
        if at is not None:
            yield _program(words[at]), words[at + 1 :]


def _at(words: list[str]) -> int | None:
    """The place of the program; before it may stand `sudo`, variables that are set for it, or `uv run`."""
    near = pairwise([*words[:12], ""])
    return next((at for at, (word, after) in enumerate(near) if _program(word) and after != "run"), None)


def _installed(program: str, rest: list[str]) -> tuple[str, Iterator[str]] | None:
    """The verb and the arguments of a command that installs; None for all others."""
    kind, verb = _SYSTEM.get(program, (_LANGUAGE.get(program, ""), ""))
    verbs = _VERBS_OF.get(program, {verb} if verb else _VERBS)
    start = next((near for near, word in enumerate(rest[:10]) if word in verbs), None)  # Options may come first.
    if start is None or "python" in rest[:start]:  # Behind `uv python install` stands a version.
        return None
    return rest[start], arguments(rest[start + 1 :], _VALUED_BY_PIP if kind == "pypi" else _VALUED)


def _removed(commands: list[tuple[str, list[str]]]) -> list[frozenset[str]]:
    """For each command, the packages that later ones remove: they are in no layer of the image."""
    gone: set[str] = set()
    found: list[frozenset[str]] = []
    for program, rest in reversed(commands):
        found.append(frozenset(gone))
        at = next((at for at, word in enumerate(rest[:10]) if word in _REMOVALS), None)
        if program in _SYSTEM and at is not None:
            gone.update(arguments(rest[at + 1 :], _VALUED))
    return found[::-1]


def _program(word: str) -> str:
    # `@` stands before it in a Makefile, `-` in YAML, `$(` and quotes in a shell.
    name = word.rpartition("/")[2].lstrip("@-\"'([$").rstrip("\"'")
    return name if name in _SYSTEM or name in _LANGUAGE else ""


def arguments(words: list[str], valued: frozenset[str]) -> Iterator[str]:
    """Words that are no options, nor values of options; pip's `-e` stands before a package.

    Of a word with a variable only the name stays, where that has none: `curl` of `curl=$VERSION`.
    """
    skip = False
    for raw in words:
        word = raw.strip("\"'`)")
        if skip:
            skip = False
        elif word in valued:
            skip = True
        elif word.startswith((">", "<", "2>", "&")):  # Redirections end it.
            return
        elif word and word[0] not in "-([{\\" and not _OPTIONS_WITHIN.match(word):
            named = _NAME_AND_VARIABLE.fullmatch(word) if "$" in word else None
            yield named[1] if named else word


def _is_computed(program: str, word: str) -> bool:
    # For pip and npm a path leads to the work itself, or to what was made of it.
    return "$" in word and not (program in _LANGUAGE and "/" in word and "://" not in word)


def _is_elsewhere(program: str, word: str) -> bool:
    if program in _SYSTEM:
        return "://" in word or word.endswith((".deb", ".rpm", ".apk"))
    is_named = word.startswith((".", "/", "@", "$", "~", "file:"))  # Or it is a path.
    return _LANGUAGE[program] == "npm" and not is_named and not {"/", ":"}.isdisjoint(word.partition("@npm:")[0])


def _dependency(program: str, word: str, space: str) -> tuple[str, str | None, str | None] | None:
    """Name, version and package URL of an argument; None for a file, a folder, an address in npm's case."""
    kind = _SYSTEM[program][0] if program in _SYSTEM else _LANGUAGE[program]
    if kind == "pypi":
        asked = specifiers.asked(word) if "/" not in word or "://" in word else None  # A path is no package.
        return (asked.name, asked.version, specifiers.package_url(asked)) if asked else None
    if kind == "npm":
        at = word.find("@", 1)
        name, spec = (word[:at], word[at + 1 :]) if at > 0 else (word, "")
        if name.startswith((".", "/")) or "://" in name or (not name.startswith("@") and "/" in name):
            return None
        named = package_names.package(name, spec)
        return (named.name, named.version, named.purl) if named else None
    parts = _ASKED.fullmatch(word)
    if parts is None or word.endswith((".deb", ".rpm", ".apk")):
        return None
    name = _BEHIND[kind].sub("", parts[1]) if kind in _BEHIND else parts[1].partition(":")[0]
    if not _PACKAGE.fullmatch(name):
        return None
    # apt takes a pattern such as `1.2*`, apk a range such as `~=1.2`: neither is a version.
    sure = parts[3] if parts[2] == "=" and "*" not in parts[3] else None
    return name, sure or None, purl(kind, name, sure, space or _SPACES[kind])


def read_pipeline(path: str, content: str) -> ParsedFile:
    """Every `apt-get install` and its like of a pipeline, a tool of the build; no more is understood, so the file can't be broken."""
    space = "ubuntu" if "ubuntu" in content[:100_000] else ""
    lines = list(_lines_of_pipeline(content))
    found = {
        (package.name, package.version): package
        for number, line in lines
        for package in packages(line, Place(path, number), Usage.BUILD_TOOL, "pipeline", space)
    }
    return ParsedFile(dependencies=tuple(found.values()), findings=not_whole(path, lines))


def _lines_of_pipeline(content: str) -> Iterator[tuple[int, str]]:
    parts: list[str] = []
    first = 1
    for number, raw in enumerate(content.split("\n"), 1):
        # YAML is not parsed: such files are templates as often as not, and only commands are wanted.
        line = raw.strip().removeprefix("- ").removeprefix("run:").removeprefix("script:").strip()
        if line.startswith("#"):
            continue
        first = first if parts else number
        if line.endswith("\\"):
            parts.append(line[:-1])
            continue
        whole = " ".join([*parts, line])
        parts = []
        if "install" in whole or " add " in whole:
            yield first, whole
    if parts:
        yield first, " ".join(parts)
