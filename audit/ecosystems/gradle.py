"""Gradle: gradle.lockfile, the version catalogue, and build files call by call (they are programs, and never run)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final, Unpack

from audit import usage
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import gradle_calls, toml_text
from audit.ecosystems.formats.tokenizer import END, MAX_VALUE_TOKENS, Token, TokenKind, tokens
from audit.ecosystems.parsed_file import (
    BuildFile,
    Graph,
    PackageDetails,
    ParsedFile,
    dependency_at,
    not_read,
    said,
    table,
    text,
    texts,
)
from audit.ecosystems.purls import purl
from audit.facts import Dependency, Place, Usage

# `group:name:version:classifier@type`, of which Gradle needs the first two. A path has a stroke, `plugin:1` no name.
_COORDINATES: Final = re.compile(r"([^\s:/\\]++):([^\s:/\\\d][^\s:/\\@]*+)(?::([^\s:@!]*+))?.*+")
# The same beyond doubt, for a text that stands in no call: the group is plain, and the version looks like one.
_SURE_COORDINATES: Final = re.compile(
    r"[A-Za-z][\w.-]*+:[A-Za-z$][\w.${}-]*+:(?:v?\d|\$|\[|\+|latest\.)[^\s:/]*+(?::[\w.@-]*+)?"
)
_OWN_PARTS: Final = frozenset({  # The build's own parts, files, and Gradle's own libraries.
    "projects", "tasks", "sourceSets", "configurations", "files", "fileTree", "gradleApi", "gradleKotlinDsl", "gradleTestKit", "localGroovy",
})  # fmt: skip
# Calls among dependencies that name none.
_SAYS_NOTHING: Final = frozenset({
    "exclude", "because", "apply", "print", "println", "logger", "return", "continue", "break",
})  # fmt: skip
# Blocks whose calls are rules for dependencies: versions, patterns, what takes the place of what.
_RULES: Final = frozenset({
    "dependencyManagement", "layered", "modules", "components", "attributesSchema", "artifactTypes", "registerTransform",
})  # fmt: skip
_VARIABLE: Final = re.compile(r"\$(?:\{([A-Za-z_]\w*+)\}|([A-Za-z_]\w*+)(?!\.\w))")  # `$name.of` is a property of it.
_DEFINES: Final = frozenset({"val", "var", "def", "final"})
_KOTLIN: Final = frozenset({"kotlin", "embeddedKotlin"})  # `kotlin("reflect")` is an archive of Kotlin's own.
_NO_LIBRARIES: Final = frozenset(
    {"versions", "plugins", "findLibrary", "findBundle"}
)  # Of a catalogue: `libs.versions.x`.
_KEYS: Final = frozenset({"group", "name", "version"})
_MAX_SHOWN_CHARACTERS: Final = 60
_MAX_TEXT_CHARACTERS: Final = 300  # Of a text with variables, and of what stands for one: more is no coordinate.
_MAX_VALUE_TOKENS: Final = 100  # Of a variable among arguments.
_CONFIGURATION: Final = re.compile(
    r"(?:[a-zA-Z0-9]*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[aA]nnotationProcessor|[cC]ompile|[rR]untime|[cC]lasspath)"
    r"|kapt[A-Za-z0-9]*|ksp[A-Za-z0-9]*|developmentOnly|shadow|detektPlugins|checkstyle)"
)
_GROUP: Final = re.compile(r"^[ \t]*+(?:project\.)?group[ \t]*+=?[ \t]*+['\"]([^'\"\n]{1,200})['\"]", re.MULTILINE)
_ROOT: Final = re.compile(r"^[ \t]*+rootProject\.name[ \t]*+=[ \t]*+['\"]([^'\"\n]{1,200})['\"]", re.MULTILINE)
_CATALOGUE: Final = re.compile(r"^[ \t]*+library\(", re.MULTILINE)
_INCLUDE: Final = re.compile(
    r"^[ \t]*+include(?:Flat)?[ \t(]++((?:['\"][^'\"\n]{1,200}+['\"][ \t]*+(?:,[ \t\r\n]*+)?)++)", re.MULTILINE
)
_QUOTED: Final = re.compile(r"['\"]([^'\"\n]++)['\"]")
_ACCESSOR: Final = re.compile(r"[-_.]+")  # Gradle makes each of these a dot.
# Plug-ins that put all that is used into one archive.
_SHADOW: Final = ("com.github.johnrengelman.shadow", "com.gradleup.shadow", "org.springframework.boot")


_Coordinates = tuple[str, str, str]  # Group, name and version.


def _archive(
    place: Place, coordinates: tuple[str, str, str], how: Usage, why: str, **more: Unpack[PackageDetails]
) -> Dependency:
    """An archive by group, name and version; a range or a variable is no version."""
    group, name, version = coordinates
    sure = version if version and not set(version) & set("$[](),+{}") else None
    more["version_range"] = "" if sure or "$" in version else version
    return dependency_at(place, f"{group}:{name}", sure, purl("maven", name, sure, group), how, why, **more)


def read_lock(path: str, content: str) -> ParsedFile:
    """gradle.lockfile: `group:name:version=configuration,…`; that of the build script is for the build alone."""
    found = DependencyList(path)
    script = found.file.startswith(("buildscript-", "settings-"))
    for number, line in enumerate(content.split("\n"), 1):
        words, equals, configurations = line.strip().partition("=")
        parts = words.split(":")
        if not words or words.startswith("#") or words == "empty":  # `empty=` lists configurations without any.
            continue
        if len(parts) != 3 or not equals:
            found.broken(number, f"no line of gradle.lockfile: {said(line)!r}")
            continue
        hows = [usage.gradle(configuration) for configuration in configurations.split(",") if configuration]
        how = Usage.BUILD_TOOL if script else usage.strongest(*hows) if hows else Usage.UNKNOWN
        why = f"{found.file}: {said(configurations)[:80]}"
        found.dependencies.append(_archive(found.place(number, line), (parts[0], parts[1], parts[2]), how, why))
    return found.parsed(graph=Graph(decided=True))


def read_catalogue(path: str, content: str) -> ParsedFile:
    """libs.versions.toml: names for archives, which build files use as `libs.that.name`."""
    data = toml_text.load(content)
    lines = toml_text.TomlLines(content)
    versions = table(data.get("versions"))
    bundles: dict[str, list[str]] = {}
    for bundle, members in table(data.get("bundles")).items():
        for member in texts(members):
            bundles.setdefault(member, []).append(_alias("bundles", text(bundle)))
    found, graph = DependencyList(path), Graph(resolved=False)  # Nothing is used until a build takes it.
    for alias, rule in table(data.get("libraries")).items():
        group, name, version = _coordinates(rule, versions)
        line = lines.key("libraries", alias)
        if group and name:
            place = found.place(line, f"{text(alias)} = {group}:{name}:{version}")
            found.dependencies.append(_archive(place, (group, name, version), Usage.UNKNOWN, "version catalogue"))
            graph.add((_alias(text(alias)), *bundles.get(alias, ())))
        else:
            found.unreadable(line, f"no library, of a group and a name: {said(alias)!r}")
    return found.parsed(graph=graph)


def _alias(*parts: str) -> str:
    return ".".join(["libs", *(_ACCESSOR.sub(".", part) for part in parts)]).lower()


def _coordinates(rule: object, versions: dict[str, Any]) -> tuple[str, str, str]:
    terms = table(rule)
    words = (text(rule) or text(terms.get("module"))).split(":")
    group, name = (words[0], words[1]) if len(words) > 1 else (text(terms.get("group")), text(terms.get("name")))
    stated = terms.get("version")
    asked = versions.get(text(table(stated).get("ref"))) if table(stated).get("ref") else stated
    version = text(asked) or text(table(asked).get("strictly")) or (words[2] if len(words) > 2 else "")
    return group, name, version


class _Block(Enum):
    """The kinds of blocks: each call in `DEPENDENCIES` asks for some, `DETAILS` are of one dependency, `RULES` of any."""

    OTHER = "other"
    DEPENDENCIES = "dependencies"
    DETAILS = "details"
    RULES = "rules"


@dataclass
class _Script(DependencyList):
    """A build script so far: its `lines`, what `variables` are made of, the texts that were `taken`, its `bundler`.

    `not_taken` is the first line that asks for a dependency and was not understood.
    """

    lines: list[str] = field(default_factory=list)
    variables: dict[str, list[Token]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    not_taken: int | None = None
    bundler: str = ""


def read_build(path: str, content: str) -> ParsedFile:
    """A build script: `configuration 'group:name:version'`, `configuration(libs.name)`; what is not understood is said."""
    script, blocks, is_matched = _Script(path, lines=content.split("\n")), [_Block.OTHER], True
    pieces = tokens(content)
    for statement, end in gradle_calls.statements(pieces):
        block = _read_statement(script, statement, blocks[-1], opens=end == "{")
        if end == "{":
            blocks.append(block)
        elif end == "}" and len(blocks) > 1:
            blocks.pop()
        elif end:
            is_matched = False
    if script.not_taken:
        words = said(script.lines[script.not_taken - 1])[:_MAX_SHOWN_CHARACTERS]
        script.not_read(script.not_taken, f"names dependencies in calls that are not read (`{words}`)")
    if len(blocks) > 1 or not is_matched:
        script.not_read(None, "has brackets that do not match, so that its calls are not all read")
    _add_unasked(script, pieces)
    groups = frozenset(match[1] for match in _GROUP.finditer(content) if "$" not in match[1])
    build = BuildFile(spaces=groups) if groups else None
    return script.parsed(bundler=script.bundler, build=build)


def read_settings(path: str, content: str) -> ParsedFile:
    """settings.gradle: the parts and the name of the build, and plug-ins that it installs, as build files do."""
    names = {match[1] for match in _ROOT.finditer(content)} | {
        project.rpartition(":")[2] for project in included(content)
    }
    found = read_build(path, content)
    catalogue = _CATALOGUE.search(content)
    if catalogue:
        # Such a catalogue is code, and libraries in it are named by calls.
        line = content.count("\n", 0, catalogue.start()) + 1
        unread = not_read(path, line, "names libraries of a version catalogue")
        found = replace(found, findings=(*found.findings, unread))
    return replace(found, build=BuildFile(projects=frozenset(names)) if names else None)


def included(content: str) -> list[str]:
    """The parts that settings.gradle lists, as it writes them (`:core:io`)."""
    return [match[1] for call in _INCLUDE.finditer(content) for match in _QUOTED.finditer(call[1])]


def settle(reads: Mapping[str, ParsedFile]) -> dict[str, ParsedFile]:
    """The files of a tree by path: an archive of the work's own group, called like one of its parts, is the work's own."""
    builds = [file.build for file in reads.values() if file.build]
    names = frozenset(name for build in builds for name in build.projects)
    own = frozenset(f"{group}:{name}" for build in builds for group in build.spaces for name in names)
    return {path: replace(file, own=file.own | own) if own and file.build else file for path, file in reads.items()}


def _read_statement(script: _Script, statement: list[Token], around: _Block, *, opens: bool) -> _Block:
    """Add the dependencies of one statement; the answer is the kind of the block that it opens."""
    statement = gradle_calls.without_condition(statement)
    is_inside = around is _Block.DEPENDENCIES
    first = statement[0].text if statement else ""
    name, words = gradle_calls.call(statement) if statement else ("", [])
    is_known = _CONFIGURATION.fullmatch(name) is not None
    # A call among the details of a dependency asks for another one all the same.
    if (around is _Block.DETAILS and not is_known) or (first in _SAYS_NOTHING and (is_inside or not opens)):
        script.taken |= {token.text for token in statement if token.kind is TokenKind.STRING}
        if first == "apply" and any("://" in token.text for token in statement):
            script.not_read(statement[0].line, "applies a script of another place")
        return _Block.DETAILS
    if around is _Block.RULES or (opens and first in _RULES):
        return _Block.RULES
    ends_in_word = bool(statement) and statement[-1].kind is TokenKind.WORD
    if opens and ends_in_word and statement[-1].text == "dependencies":
        return _Block.DEPENDENCIES
    if not statement or _defines(script, statement):
        return around
    if name == "id" and not script.bundler:
        script.bundler = next((word.text for word in words if word.text in _SHADOW), "")
    is_loop = opens and ends_in_word  # `listOf("g:a:1").forEach {`
    if not is_known and (is_loop or not is_inside):
        return around
    asked, is_whole = _asked(script, words)
    _add_asked(script, statement[0].line, name, asked, is_known=is_known)
    # Elsewhere a lone word may be a task's or a property's: `compile(it)`.
    behind = [word.text for word in words[:3] if word.text != "("][1:2]
    is_asking = is_inside or behind in (["."], ["["])
    if not is_whole and is_asking and (not opens or (is_known and words)):
        script.not_taken = script.not_taken or statement[0].line
    return _Block.DETAILS if asked or is_whole else around


def _defines(script: _Script, statement: list[Token]) -> bool:
    """Whether the statement gives a variable or a property its value, which is kept."""
    depth = 0
    for at, token in enumerate(statement):
        depth += token.is_opening - token.is_closing
        if depth == 0 and token.kind is TokenKind.MARK and token.text == "=":
            if "=" in {each.text for each in (*statement[max(at - 1, 0) : at], *statement[at + 1 : at + 2])}:
                continue  # Compared.
            # A longer one is rather a table of all that a build may use.
            value = statement[at + 1 : at + 1 + MAX_VALUE_TOKENS]
            for name in {each.text for each in statement[:at] if each.kind in {TokenKind.WORD, TokenKind.LABEL}}:
                # With two values it is not known which one counts.
                is_same = [each.text for each in script.variables.get(name, value)] == [each.text for each in value]
                script.variables[name] = value if is_same else []
            return True
    return statement[0].text in _DEFINES


def _asked(script: _Script, words: list[Token]) -> tuple[list[_Coordinates | str], bool]:
    """The archives and the catalogue's names that a call asks for, and whether all of its arguments were understood."""
    asked: list[_Coordinates | str] = []
    named: dict[str, str] = {}
    is_own, is_whole = False, True
    for argument in gradle_calls.arguments(words):
        is_label = argument[0].kind is TokenKind.LABEL
        if is_label or (len(argument) > 1 and argument[1].text == "="):
            key, value = argument[0].text, argument[1 if is_label else 2 :]
            if key in named:  # The next map of several.
                is_whole = _add_named(asked, named) and is_whole
            if key in _KEYS:
                named[key] = value[0].text if len(value) == 1 and value[0].kind is TokenKind.STRING else ""
        elif argument[0].text != "{":
            found = _in_argument(script, argument)
            asked += found or []
            is_own, is_whole = is_own or found == [], is_whole and found is not None
    is_whole = _add_named(asked, named) and is_whole
    return asked, is_whole and (bool(asked) or is_own)


def _add_named(asked: list[_Coordinates | str], named: dict[str, str]) -> bool:
    """Take an archive out of what was named so far; whether nothing stays that is no archive."""
    is_empty = not named
    group, name, version = (named.pop(key, "") for key in ("group", "name", "version"))
    asked += [(group, name, version)] if group and name else []
    return is_empty or bool(group and name)


def _in_argument(script: _Script, argument: list[Token]) -> list[_Coordinates | str] | None:
    """The archives of one argument; none for a part of the build itself, None for what only the build knows."""
    found: list[_Coordinates | str] = []
    is_own = False
    for at, token in enumerate(argument):
        before, after = argument[at - 1] if at else END, argument[at + 1] if at + 1 < len(argument) else END
        is_bare = token.kind is TokenKind.WORD and before.text != "." and after.text not in {".", "(", "["}
        if token.kind is TokenKind.STRING:
            found += _literal(script, token)
        elif token.text in _KOTLIN and after.text == "(":
            texts_in_it = [each.text for each in argument[at + 2 : at + 5] if each.kind is TokenKind.STRING]
            found += (
                [("org.jetbrains.kotlin", f"kotlin-{texts_in_it[0]}", texts_in_it[-1] * (len(texts_in_it) > 1))]
                if texts_in_it
                else []
            )
        elif token.text == "BOM_COORDINATES":  # A constant of Spring Boot's plug-in.
            found.append(("org.springframework.boot", "spring-boot-dependencies", ""))
        elif token.text == "libs" and after.text == "." and before.text != ".":
            found += _accessor(argument, at)
        elif is_bare and len(value := script.variables.get(token.text, [])) in range(1, _MAX_VALUE_TOKENS + 1):
            for here, part in enumerate(value):
                found += _literal(script, part) if part.kind is TokenKind.STRING else []
                is_first = part.text == "libs" and (not here or value[here - 1].text != ".")
                found += _accessor(value, here) if is_first else []
            is_own = is_own or _is_own(value)
    return found if found or is_own or _is_own(argument) else None


def _is_own(words: list[Token]) -> bool:
    return any(
        word.text in _OWN_PARTS or (word.text == "project" and (after.text == "(" or len(words) == 1))
        for word, after in zip(words, [*words[1:], END], strict=False)
        if word.kind is TokenKind.WORD
    )


def _literal(script: _Script, token: Token) -> list[_Coordinates | str]:
    coordinates = _spelled(script, token.text)
    script.taken |= {token.text} if coordinates else set()
    return [coordinates] if coordinates else []


def _spelled(script: _Script, words: str) -> _Coordinates | None:
    """Group, name and version in a text, with the texts that the script gave to its variables."""

    def given(found: re.Match[str]) -> str:
        value = script.variables.get(found[1] or found[2], [])
        is_text = len(value) == 1 and value[0].kind is TokenKind.STRING and len(value[0].text) <= _MAX_TEXT_CHARACTERS
        return value[0].text if is_text else found[0]

    has_variables = "$" in words and len(words) <= _MAX_TEXT_CHARACTERS
    coordinates = _COORDINATES.fullmatch(_VARIABLE.sub(given, words) if has_variables else words)
    return (coordinates[1], coordinates[2], coordinates[3] or "") if coordinates else None


def _accessor(words: list[Token], at: int) -> list[_Coordinates | str]:
    """The name `libs.that.name`, without a method that is called on it."""
    end = at
    while end + 2 < len(words) and words[end + 1].text == "." and words[end + 2].kind is TokenKind.WORD:
        end += 2
    parts = [word.text for word in words[at : end + 1 : 2]]
    if parts[1:2] and parts[1] in _NO_LIBRARIES:
        return []
    is_method = [word.text for word in words[end + 1 : end + 2]] == ["("]
    name = ".".join(parts[:-1] if is_method else parts)
    return [name] if "." in name else []


def _add_asked(
    script: _Script, line: int, configuration: str, asked: list[_Coordinates | str], *, is_known: bool
) -> None:
    place = script.place(line, script.lines[line - 1])
    how, why = usage.gradle(configuration), f"{script.file}: {said(configuration)}"
    # A plug-in's own configuration may be for anything, where its name does not say it.
    how = how if is_known or how is not Usage.DYNAMIC_LINK else Usage.UNKNOWN
    for named in asked:
        if isinstance(named, str):
            name = named.lower()
            script.dependencies.append(
                dependency_at(replace(place, said=name), name, None, None, how, why, direct=True)
            )
        else:
            script.dependencies.append(_archive(place, named, how, why, direct=True))


def _add_unasked(script: _Script, pieces: list[Token]) -> None:
    """Archives that the script names, and that no call asked for: in tables, as versions to force, for plug-ins."""
    known = {dependency.name for dependency in script.dependencies}
    for token in pieces:
        is_sure = token.kind is TokenKind.STRING and _SURE_COORDINATES.fullmatch(token.text) is not None
        coordinates = _spelled(script, token.text) if is_sure and token.text not in script.taken else None
        if coordinates and ":".join(coordinates[:2]) not in known:
            place = script.place(token.line, script.lines[token.line - 1])
            why = f"{script.file}: named outside the calls that are read"
            script.dependencies.append(_archive(place, coordinates, Usage.UNKNOWN, why))
