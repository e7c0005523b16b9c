"""Meson: dependency(), find_library() and subproject() calls, and wrap files, read by their text alone."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from audit import usage
from audit.ecosystems import artifacts
from audit.ecosystems.formats import python_literals
from audit.ecosystems.formats.python_literals import Tokens
from audit.ecosystems.native import known_libraries, link_words, named_libraries, platform_libraries
from audit.ecosystems.parsed_file import (
    AskedLibrary,
    BuildFile,
    PackageDetails,
    ParsedFile,
    dependency_at,
    learned,
    not_read,
    said,
)
from audit.ecosystems.purls import of_address, of_archive, version_of_archive
from audit.facts import UNLEARNED, Dependency, Learned, Place, Source, Usage
from audit.licenses.declared_license import together

# Found by Meson itself, without another author's library.
_NOTHING: Final = frozenset({"threads", "openmp", "appleframeworks", "coarray", "cuda", "compiler", ""})
# These pkg-config modules have no library: the build asks them for folders, or for programs that it runs.
_PATHS_ALONE: Final = frozenset({
    "bash-completion", "fish", "gtk-doc", "iso-codes", "shared-mime-info", "systemd", "udev", "vapigen", "xkeyboard-config", "dbus-1-sessiond",
})  # fmt: skip
_MAKES: Final = frozenset({"library", "shared_library", "static_library", "both_libraries", "shared_module"})
_GIVES: Final = frozenset({"name", "filebase"})
_NAME: Final = re.compile(r"(?!HAVE_)[A-Za-z][\w.+-]*+")
_WORD: Final = re.compile(r"[A-Za-z_]\w*+")
_LINE: Final = re.compile(r"([a-z_]++)[ \t]*+=[ \t]*+([^\n]*+)")
_PROVIDED: Final = re.compile(r"([\w.+-]++)[ \t]*+=[ \t]*+([^\n]*+)")
_VERSION: Final = re.compile(r"\D*+\d.*+")  # A branch's name alone (`main`) has no digit.
_MAX_ARGUMENTS: Final = 60  # Words of a call that are looked at.
_MAX_NAMES: Final = 50
_LICENSE: Final = re.compile(
    r"\bproject[ \t]*+\([^()]{0,2000}?\blicen[cs]e[ \t]*+:\s{0,50}(\[[^\]]{0,1000}\]|'[^'\n]{0,200}')"
)
_QUOTED: Final = re.compile(r"'([^'\n]++)'")
_MAX_BESIDE: Final = 1_000  # Flags in a line that are looked at for one of them.


def read(path: str, content: str) -> ParsedFile:
    """meson.build: `static: true` is a word on how it is linked, `native: true` says that the build needs it."""
    words = python_literals.tokens(content.replace(":", "="))  # `static: true` is read as Python's `static=true`.
    variables = _variables(words)
    asked: list[AskedLibrary] = []
    unknown = 0
    libraries, packages, projects = set[str](), set[str](), set[str]()
    wraps: dict[str, str] = {}
    for at, (function, owner) in _calls(words):
        names, options = _arguments(words, at, variables)
        if function == "project":
            projects.update(names[:1])
        elif function in _MAKES:
            libraries.update(names[:1])
        elif function == "override_dependency":
            packages.update(names[:1])
        elif function == "generate" and owner not in {"", "import"}:
            # pkgconfig.generate(library, filebase: 'x'): without a name it has the library's.
            given = [value for key in _GIVES for value in options.get(key, ())]
            library = variables.get(words[at + 2][0] if at + 2 < len(words) else "", [])
            packages.update(given or names[:1] or library[:1])
        elif function in {"dependency", "find_library", "subproject"}:
            # A fallback names the subproject that provides the dependency.
            wraps |= {name: wrap for name in names for wrap in options.get("fallback", ())[:1]}
            place = Place(path, words[at][2], said(names[0] if names else ""))
            asked += _looked_for(function, names, options, place, is_choice=_is_choice(words, at))
            unknown = unknown or (words[at][2] if not names and _is_computed(words, at) else 0)
        elif function == "run_command":
            asked += _ran(" ".join(names), Place(path, words[at][2], said(" ".join(names))))
    asked += _flags(path, words)
    static = any(word[1] is not None and "prefer_static=true" in word[1] for word in words)
    build = BuildFile(
        asked=tuple(_static(library) if static else library for library in asked if library.name),
        libraries=frozenset(libraries),
        packages=frozenset(packages),
        projects=frozenset(projects),
        wraps=wraps,
    )
    findings = (not_read(path, unknown, "looks for a library whose name is computed"),) if unknown else ()
    return ParsedFile(build=build, own=frozenset(libraries), findings=findings)


def stated_license(path: str, content: str) -> Learned:
    """The licence that `project()` states; of several all count."""
    found = _LICENSE.search(content)
    names = _QUOTED.findall(found[1]) if found else []
    if found is None or not names:
        return UNLEARNED
    line = content.count("\n", 0, found.start(1)) + 1
    return learned(together(names).expression or ", ".join(names), path, line, Source.METADATA)


def _is_computed(words: Tokens, at: int) -> bool:
    """Whether a call is given a variable or another call first."""
    return (
        at + 3 < len(words)
        and words[at + 2][1] is None
        and words[at + 3][0] != "="
        and words[at + 2][0] not in {")", "["}
    )


def _is_choice(words: Tokens, at: int) -> bool:
    """Whether a call has a second argument without a name: a choice of libraries, where it is a `dependency()`."""
    marks = [word if string is None else "" for word, string, _ in words[at + 3 : at + 6]]
    return len(marks) > 2 and marks[0] == "," and marks[1] != ")" and marks[2] != "="


def _calls(words: Tokens) -> Iterator[tuple[int, tuple[str, str]]]:
    """The places of all calls, with the function's name and its owner (`cc` of `cc.find_library`)."""
    for at in range(len(words) - 1):
        if words[at + 1][0] == "(" and words[at][1] is None and _WORD.match(words[at][0]):
            owner, _, name = words[at][0].rpartition(".")
            behind_call = at > 1 and words[at - 1][0] == "." and words[at - 2][0] == ")"
            yield at, (name, "call" if behind_call else owner)


def _arguments(words: Tokens, at: int, variables: dict[str, list[str]]) -> tuple[list[str], dict[str, list[str]]]:
    """The texts of a call's positional arguments, and those of its named ones; a variable stands for its values."""
    names: list[str] = []
    options: dict[str, list[str]] = {}
    key, depth, calls = "", 0, 0
    # Calls within calls are each looked at: without a bound that takes quadratic time.
    for near in range(at + 1, min(at + _MAX_ARGUMENTS, len(words))):
        word, text, _ = words[near]
        if text is None and len(word) == 1:
            depth += (word in "([{") - (word in ")]}")
            calls += (word == "(") - (word == ")")
        if depth == 0:
            break
        if text is None and words[near + 1 : near + 2] and words[near + 1][0] == "=" and words[near + 1][1] is None:
            key = word
            options[key] = []
            continue
        values = [text] if text is not None else variables.get(word, [word] if word in {"true", "false"} else [])
        if calls == 1:  # The text is not an argument of a call within.
            (options[key] if key else names).extend(values)
    return names, options


def _variables(words: Tokens) -> dict[str, list[str]]:
    """The texts assigned to each variable, also by `+=` and loops (whose `:` is read as `=`); of a library its name."""
    found: dict[str, list[str]] = {}
    for at in range(1, len(words) - 2):
        name, mark = words[at - 1][0], words[at][0]
        if words[at - 1][1] is not None or not _WORD.fullmatch(name):
            continue
        if mark not in {"=", "+"} or (mark == "+" and words[at + 1][0] != "="):
            continue
        start = at + 1 + (mark == "+")
        is_list = words[start][1] is not None or words[start][0] == "["
        is_made = words[start][0] in _MAKES and start + 2 < len(words) and words[start + 2][1] is not None
        library = [words[start + 2][1] or ""] if is_made else []
        values = _texts(words, start) if is_list else found.get(words[start][0]) or library
        found.setdefault(name, []).extend(values[: _MAX_NAMES - len(found.get(name, ()))])
    return found


def _texts(words: Tokens, start: int) -> list[str]:
    """A text, or the texts of a list and of the lists within it."""
    if words[start][1] is not None:
        return [words[start][1] or ""]
    found: list[str] = []
    depth = 0
    for word, text, _ in words[start : start + _MAX_ARGUMENTS * 4]:
        if text is None and word in {"=", "("}:  # No list of texts.
            break
        if text is not None:
            found.append(text)
        depth += (word == "[") - (word == "]") if text is None else 0
        if depth == 0:
            break
    return found


def _split(function: str, names: list[str]) -> list[str]:
    """The libraries of one call: all its names, as a variable may have several; of a subproject the first."""
    if function == "dependency":
        return [part for name in names[:_MAX_NAMES] for part in name.split()[:_MAX_NAMES] if _NAME.fullmatch(part)]
    return [name for name in names[:_MAX_NAMES] if _NAME.fullmatch(name)] if function == "find_library" else names[:1]


def _looked_for(
    function: str, names: list[str], options: dict[str, list[str]], place: Place, *, is_choice: bool
) -> Iterator[AskedLibrary]:
    libraries = _split(function, names)
    # Meson takes the first that is found: all count, as only the build knows which that is.
    choice = link_words.one_of(libraries) if is_choice and function == "dependency" else ""
    return (_asked(function, name, options, place, choice) for name in libraries)


def _asked(function: str, name: str, options: dict[str, list[str]], place: Place, choice: str) -> AskedLibrary:
    """One library, or one of a `choice`; without a name where it is a part of the system."""
    word = name.partition("|")[0]
    is_system = word.lower() in _NOTHING or platform_libraries.is_framework(word)
    is_system = is_system or (function != "subproject" and platform_libraries.is_system(word))
    static = (options.get("static") or [""])[0]
    link = {"true": Usage.STATIC_LINK, "false": Usage.DYNAMIC_LINK}.get(static)
    look_up = known_libraries.by_link_name if function == "find_library" else known_libraries.by_pkg_config
    known = look_up(word) or known_libraries.by_name(word) or look_up(link_words.without_marks(word))
    known = known or look_up(f"lib{link_words.without_marks(word)}")  # `find_library` may leave out the prefix.
    why = f"meson.build: {function}(){choice}" + (f", static: {static}" if link else "")
    optional = (options.get("required") or [""])[0] == "false"
    dependency = known_libraries.dependency(word, known, link, why, place, direct=True, optional=optional)
    # For the machine that builds, not for the one that runs.
    if (options.get("native") or [""])[0] == "true":
        dependency = replace(dependency, usage=Usage.BUILD_TOOL)
    elif word in _PATHS_ALONE and function == "dependency":
        dependency = replace(
            dependency, usage=Usage.BUILD_TOOL, why=f"{why}, which tells where things lie, and has no library"
        )
    elif function == "subproject" and dependency.usage is Usage.UNKNOWN:
        dependency = replace(dependency, usage=Usage.STATIC_LINK)  # Built with the rest.
    return AskedLibrary("" if is_system else word, dependency)


def _ran(command: str, place: Place) -> Iterator[AskedLibrary]:
    for module in named_libraries.modules(command):
        known = known_libraries.by_module(module.name)
        dependency = known_libraries.dependency(
            module.name, known, None, "meson.build: run_command(), pkg-config", place
        )
        yield AskedLibrary(module.name, dependency)
    for name in named_libraries.scripts(command):
        known = known_libraries.by_name(name)
        dependency = known_libraries.dependency(
            name.lower(), known, None, f"meson.build: run_command(), {name}-config", place
        )
        yield AskedLibrary(name, dependency)


def _flags(path: str, words: Tokens) -> list[AskedLibrary]:
    """Texts for the linker (`-lX`), wherever they stand."""
    found: list[AskedLibrary] = []
    flags = [(text, line) for _, text, line in words if text is not None and text.startswith("-l")]
    beside: dict[int, str] = {}
    for text, line in flags:
        beside[line] = f"{beside.get(line, '')} {text}"[:_MAX_BESIDE]
    for text, line in flags:
        for linked in link_words.names(text):
            known = known_libraries.linked_as(linked.name)
            if not platform_libraries.is_system(linked.name, beside[line]):
                how = Usage.STATIC_LINK if linked.link == "static" else None
                place = Place(path, line, said(text))
                dependency = known_libraries.dependency(linked.name, known, how, "meson.build: -l", place)
                found.append(AskedLibrary(linked.name, dependency, is_linked=True))
    return found


def _static(library: AskedLibrary) -> AskedLibrary:
    if library.dependency.usage is not Usage.UNKNOWN:
        return library
    made = replace(library.dependency, usage=Usage.STATIC_LINK, why=f"{library.dependency.why}, prefer_static")
    return replace(library, dependency=made)


def read_wrap(path: str, content: str) -> ParsedFile:
    """subprojects/x.wrap: sources that Meson downloads and builds in, and the names by which builds ask for them."""
    values: dict[str, tuple[str, int]] = {}
    provided: list[str] = []
    programs = section = ""
    for at, raw in enumerate(content.split("\n"), 1):
        line = raw.strip()
        if line.startswith("["):
            section = line.strip("[] ")
        elif section == "provide" and (given := _PROVIDED.match(line)):
            # Programs that the build runs are no libraries.
            if given[1] == "program_names":
                programs = given[2]
            else:
                names = given[2].split(",") if given[1] == "dependency_names" else [given[1]]
                provided += (name.strip() for name in names)
        elif pair := _LINE.match(line):
            values.setdefault(pair[1], (pair[2].strip(), at))
    name = path.rpartition("/")[2].removesuffix(".wrap")
    wraps = {alias: name for alias in provided[:_MAX_NAMES] if alias}
    dependency = _wrapped(path, name, values)
    if dependency is None:
        return ParsedFile(build=BuildFile(wraps=wraps))
    if (programs and not wraps) or name in _PATHS_ALONE:
        dependency = replace(dependency, usage=Usage.BUILD_TOOL, why="Meson: a wrap of programs that the build runs")
    return ParsedFile(build=BuildFile(asked=(AskedLibrary(name, dependency),), wraps=wraps))


def _wrapped(path: str, name: str, values: dict[str, tuple[str, int]]) -> Dependency | None:
    """The sources; None for a wrap that only leads to another one."""
    address, number = values.get("url") or values.get("source_url") or ("", 1)
    if not address:
        return None
    git = "url" in values  # Archives have `source_url`.
    written = values.get("revision", ("", 0))[0] if git else version_of_archive(address)
    version = written if written and (not git or _VERSION.fullmatch(written)) else None
    url = of_address(address, version, name) if git else of_archive(address, version, name)
    how = usage.by_name(name) or Usage.STATIC_LINK
    known = known_libraries.known_at(name, version)
    place, why = Place(path, number, said(address)), "Meson: a wrap, built in"
    more: PackageDetails = {"download": artifacts.repository(address, version) if git else artifacts.address(address)}
    more["direct"] = True
    # Meson's hashes are SHA-256.
    more["checksums"] = () if git else artifacts.checksum("sha256", values.get("source_hash", ("", 0))[0])
    if known:
        more["license"] = known_libraries.learned(known, place)
    return dependency_at(place, name, version, url, how, why, **more)
