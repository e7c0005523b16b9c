"""Bazel: MODULE.bazel and WORKSPACE, read by the calls that they spell out."""

import re
from collections.abc import Iterator
from typing import Final

from audit import usage
from audit.ecosystems import artifacts
from audit.ecosystems.parsed_file import PackageDetails, ParsedFile, dependency_at, said
from audit.ecosystems.purls import name_of_address, of_address, purl
from audit.facts import Dependency, Place, Usage

_RULE: Final = re.compile(
    r"^[ \t]*+(bazel_dep|http_archive|git_repository|new_git_repository|go_repository|new_local_repository|http_file)[ \t]*+\(",
    re.MULTILINE,
)
_MAVEN: Final = re.compile(r"^[ \t]*+(?:maven\.install|maven_install)[ \t]*+\(", re.MULTILINE)
_COORDINATES: Final = re.compile(
    r"[\"']([A-Za-z0-9_.-]++):([A-Za-z0-9_.-]++)(?::[a-z]++(?:-[a-z]++)*+)?:(\d[A-Za-z0-9_.+-]*+)[\"']"
)
_TOKEN: Final = re.compile(
    r"#[^\n]*+|\"([^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+)\"|'([^'\n]*+)'|[()]|[A-Za-z_][A-Za-z0-9_]*+[ \t]*+=|\bTrue\b"
)
_VERSION: Final = re.compile(r"v?(\d++(?:\.\d++)++[0-9A-Za-z.-]*+)")
_MAX_CALL_TOKENS: Final = 2_000
"""Words of one call."""


def read(path: str, content: str) -> ParsedFile:
    """What is fetched and built in; rules for Bazel itself (`rules_…`, `bazel_…`) are tools of the build."""
    found = []
    line, seen = 1, 0
    rules = list(_RULE.finditer(content))
    for at, rule in enumerate(rules):
        line += content.count("\n", seen, rule.start(1))
        seen = rule.start(1)
        values = _values(content, rule.end(), rules[at + 1].start() if at + 1 < len(rules) else len(content))
        name = values.get("name", "")
        if not name or rule[1] in {"new_local_repository", "http_file"}:
            continue
        address = values.get("remote") or values.get("urls") or values.get("url") or ""
        stated = values.get("version") or values.get("tag") or values.get("commit")
        version = stated or _version(values.get("strip_prefix", ""), address)
        git = rule[1].endswith("git_repository")
        if rule[1] == "go_repository":
            path_parts = values.get("importpath", name)
            url = purl("golang", path_parts.rpartition("/")[2], version, path_parts.rpartition("/")[0])
        else:
            url = of_address(address, version, name) if git else _archive(address, name, version)
        how, why = _how(name, values)
        place = Place(path, line, said(f"{rule[1]} {name} {version or ''}"))
        more: PackageDetails = {
            "download": artifacts.repository(address, version) if git else artifacts.address(address)
        }
        more["direct"] = True
        more["checksums"] = () if git or not address else artifacts.checksum("sha256", values.get("sha256", ""))
        found.append(dependency_at(place, name, version, url, how, f"Bazel: {rule[1]}{why}", **more))
    return ParsedFile(dependencies=(*found, *_java(path, content)))


def _java(path: str, content: str) -> Iterator[Dependency]:
    """The archives that rules_jvm_external is told of, by their coordinates."""
    line, seen = 1, 0
    for call in _MAVEN.finditer(content):
        end = content.find("\n)", call.end())
        for one in _COORDINATES.finditer(content, call.end(), end if end >= 0 else len(content)):
            line += content.count("\n", seen, max(seen, one.start()))
            seen = max(seen, one.start())
            group, name, version = one[1], one[2], one[3]
            place, url = Place(path, line, said(one[0])), purl("maven", name, version, group)
            why = "Bazel: maven"
            yield dependency_at(place, f"{group}:{name}", version, url, Usage.DYNAMIC_LINK, why, direct=True)


def _how(name: str, values: dict[str, str]) -> tuple[Usage, str]:
    """Bazel links statically unless told otherwise."""
    if values.get("dev_dependency") == "True":
        return Usage.DEV_TOOL, ", dev_dependency"
    if name.startswith(("rules_", "bazel_", "io_bazel_", "build_bazel_", "aspect_", "toolchains_")) or name in {
        "platforms",
        "gazelle",
    }:
        return Usage.BUILD_TOOL, ", rules of the build"
    known = usage.by_name(name.removeprefix("com_google_").replace("_", "-"))
    return (known, "") if known else (Usage.STATIC_LINK, ", linked statically unless told otherwise")


def _archive(address: str, name: str, version: str | None) -> str | None:
    """An archive of a repository on a known host is that repository's."""
    front = re.match(r"https://(?:github\.com|gitlab\.com)/[\w.-]++/[\w.-]++", address)
    return of_address(front[0], version, name) if front else purl("generic", name.lower(), version)


def _version(*words: str) -> str | None:
    """The version that stands in a folder's or an archive's name."""
    for one in words:
        found = _VERSION.search(name_of_address(one))
        if found:
            return found[1]
    return None


def _values(content: str, start: int, end: int) -> dict[str, str]:
    """The first text of each argument of the call whose bracket opened just before `start`; `end` is where the next one begins."""
    found: dict[str, str] = {}
    key, depth, at = "", 1, start
    for _ in range(_MAX_CALL_TOKENS):
        token = _TOKEN.search(content, at, end)
        if token is None or depth == 0:
            break
        at = token.end()
        word = token[0]
        if word in "()":
            depth += 1 if word == "(" else -1
        elif word.endswith("=") and token[1] is None and token[2] is None:
            key = word[:-1].strip()
        elif word == "True" or token[1] is not None or token[2] is not None:
            found.setdefault(key, token[1] if token[1] is not None else token[2] if token[2] is not None else word)
    return found
