"""Gradle: gradle.lockfile, the version catalogue, and build files line by line (they are programs, and never run)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, Unpack

from audit import usage
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import toml_text
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

_CALL: Final = re.compile(
    r"[ \t]*+([a-zA-Z][A-Za-z0-9]*+)[ \t]*+\(?[ \t]*+"
    r"(?:(?:platform|enforcedPlatform|kotlin)[ \t]*+\([ \t]*+)?"
    r"(?:['\"]([^'\"\s:]++):([^'\"\s:]++)(?::([^'\"\s:@]*+))?[^'\"]*+['\"]|(libs\.[A-Za-z0-9_.]++))"
)
_VARIABLE: Final = re.compile(r"[ \t]*+([a-zA-Z][A-Za-z0-9]*+)(?:[ \t]++|[ \t]*+\([ \t]*+)([A-Za-z_]\w*+)(?=[.\[])")
_OWN_PARTS: Final = frozenset(  # The build's own parts, and files.
    {"project", "projects", "rootProject", "sourceSets", "files", "fileTree", "gradle", "layout"}
)
_NAMED: Final = re.compile(r"(group|name|version)[ \t]*+[:=][ \t]*+['\"]([^'\"]*+)['\"]")
_PLUGIN: Final = re.compile(
    r"[ \t]*+(?:plugins[ \t]*+\{[ \t]*+)?id[ \t]*+\(?[ \t]*+['\"]([A-Za-z0-9_.-]++)['\"]\)?(?:[ \t]++version[ \t]*+\(?['\"]([^'\"]++)['\"])?"
)
_CONFIGURATION: Final = re.compile(
    r"(?:[a-zA-Z0-9]*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[aA]nnotationProcessor|[cC]ompile|[rR]untime|[cC]lasspath)"
    r"|kapt[A-Za-z0-9]*|ksp[A-Za-z0-9]*|developmentOnly|shadow|detektPlugins|checkstyle)"
)
_MORE: Final = re.compile(
    r",[ \t]*+(?:['\"]([^'\"\s:]++):([^'\"\s:]++)(?::([^'\"\s:@]*+))?[^'\"]*+['\"]|(libs\.[A-Za-z0-9_.]++))"
)
_GROUP: Final = re.compile(r"^[ \t]*+(?:project\.)?group[ \t]*+=?[ \t]*+['\"]([^'\"\n]{1,200})['\"]", re.MULTILINE)
_ROOT: Final = re.compile(r"^[ \t]*+rootProject\.name[ \t]*+=[ \t]*+['\"]([^'\"\n]{1,200})['\"]", re.MULTILINE)
_CATALOGUE: Final = re.compile(r"^[ \t]*+library\(", re.MULTILINE)
_INCLUDE: Final = re.compile(
    r"^[ \t]*+include(?:Flat)?[ \t(]++((?:['\"][^'\"\n]{1,200}+['\"][ \t]*+(?:,[ \t\r\n]*+)?)++)", re.MULTILINE
)
_QUOTED: Final = re.compile(r"['\"]([^'\"\n]++)['\"]")
_COMMENT: Final = re.compile(r"(?<!:)//[^\n]*+")  # Not the `//` of an address.
_BLOCK: Final = re.compile(r"^[ \t]*+dependencies[ \t]*+\{")  # In one line with what it holds.
_MAX_LINE_CHARACTERS: Final = 1_000  # A longer line is not searched for calls.
_ACCESSOR: Final = re.compile(r"[-_.]+")  # Gradle makes each of these a dot.
# Plug-ins that put all that is used into one archive.
_SHADOW: Final = ("com.github.johnrengelman.shadow", "com.gradleup.shadow", "org.springframework.boot")


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


def read_build(path: str, content: str) -> ParsedFile:
    """A build script: `configuration 'group:name:version'`, several with commas between, also over several lines."""
    found = DependencyList(path)
    computed: int | None = None
    bundler = ""
    for number, line in _calls(content):
        plugin = _PLUGIN.match(line)
        if plugin:
            bundler = bundler or (plugin[1] if plugin[1] in _SHADOW else "")
            continue
        dependency = _called(line, found.place(number, line))
        variable = _VARIABLE.match(line)
        if dependency:
            found.dependencies += [dependency, *_others(line, dependency)]
        elif computed is None and variable and variable[2] not in _OWN_PARTS and _CONFIGURATION.fullmatch(variable[1]):
            computed = number  # A configuration is given a variable; parts of the build and files have other readers.
            found.not_read(computed, "computes the names of some dependencies")
    groups = frozenset(match[1] for match in _GROUP.finditer(content) if "$" not in match[1])
    build = BuildFile(spaces=groups) if groups else None
    return found.parsed(bundler=bundler, build=build)


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


def _calls(content: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; a call of a configuration that goes on behind an open bracket or a comma is one."""
    begun: tuple[int, str] | None = None
    for number, line in enumerate(content.split("\n"), 1):
        # Most lines have no comment, and looking for two characters is fast.
        bare = _COMMENT.sub("", line).rstrip() if "//" in line else line.rstrip()
        bare = _BLOCK.sub("", bare)
        whole = f"{begun[1]} {bare.strip()}" if begun else bare
        # An open bracket would otherwise take in the rest of the file.
        if len(whole) > _MAX_LINE_CHARACTERS:
            begun = None
            continue
        first = begun[0] if begun else number
        opens = whole.endswith(("(", ",")) and _CONFIGURATION.fullmatch(
            re.split(r"[\s(]", whole.strip(), maxsplit=1)[0]
        )
        begun = (first, whole) if opens else None
        if not opens:
            yield from ((first, statement) for statement in whole.split(";"))


def _others(line: str, first: Dependency) -> Iterator[Dependency]:
    for words in _MORE.finditer(line):
        if words[4]:
            yield _of_catalogue(words[4], first.places[0], first.usage, first.why)
        else:
            named = (words[1], words[2], words[3] or "")
            yield _archive(first.places[0], named, first.usage, first.why, direct=True)


def _of_catalogue(accessor: str, place: Place, how: Usage, why: str) -> Dependency:
    name = accessor.removesuffix(".get").lower()  # `libs.x.get()` is the same.
    return dependency_at(replace(place, said=name), name, None, None, how, why, direct=True)


def _called(line: str, place: Place) -> Dependency | None:
    """The dependency of one line; None if it asks for none."""
    call = _CALL.match(line)
    configuration = call[1] if call else line.strip().partition(" ")[0].partition("(")[0]
    if not _CONFIGURATION.fullmatch(configuration):
        return None
    why = f"{place.path.rpartition('/')[2]}: {configuration}"
    how = usage.gradle(configuration)
    if call and call[5]:
        return _of_catalogue(call[5], place, how, why)
    if call:
        group, name, version = call[2], call[3], call[4] or ""
    else:
        named = dict(_NAMED.findall(line))
        group, name, version = (named.get(key, "") for key in ("group", "name", "version"))
    return _archive(place, (group, name, version), how, why, direct=True) if group and name else None
