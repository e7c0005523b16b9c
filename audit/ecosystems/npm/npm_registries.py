"""Private registries that .npmrc and .yarnrc.yml name, for a scope or for all packages; their tokens are never kept."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from audit.ecosystems import origins
from audit.ecosystems.formats import yaml_text
from audit.ecosystems.npm import package_names
from audit.ecosystems.parsed_file import ParsedFile, nearest, text
from audit.facts import Dependency

_LINE: Final = re.compile(r"[ \t]*+(?:(@[A-Za-z0-9._~-]{1,214}):)?registry[ \t]*+=[ \t]*+([^\n]*+)")
_ELSEWHERE: Final = "https://named-by-the-environment.invalid"  # In place of an address with a variable.
_MAX_SETTINGS: Final = 1_000  # Of one file; the registries are looked up for each package.


def read(path: str, content: str) -> ParsedFile:  # noqa: ARG001 - as all readers
    """.npmrc: `registry=…` and `@scope:registry=…`; a later line counts before an earlier one."""
    found: dict[str, str] = {}
    for line in content.split("\n"):
        setting = _LINE.fullmatch(line.rstrip("\r"))
        if setting and len(found) < _MAX_SETTINGS:
            found[(setting[1] or "").lower()] = _address(setting[2].strip())
    return ParsedFile(registries=_own(found))


def read_yarn(path: str, content: str) -> ParsedFile:
    """.yarnrc.yml: `npmRegistryServer`, and that of each of `npmScopes`; catalogues."""
    data = yaml_text.top(content)
    found = {"": _address(text(data.get("npmRegistryServer")))}
    for scope, rule in list(yaml_text.mapped(data.get("npmScopes")).items())[:_MAX_SETTINGS]:
        found[f"@{text(scope).lower()}"] = _address(text(yaml_text.mapped(rule).get("npmRegistryServer")))
    return ParsedFile(registries=_own(found), meant=tuple(package_names.catalogs(path, data)))


def _address(written: str) -> str:
    return _ELSEWHERE if "$" in written else written.strip("\"'")  # The value is in the environment.


def _own(found: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The registries that are not shared, and a scope's shared one where the file's default is private."""
    default = origins.host(found.get("", ""))
    # Such a scope's packages are public, though all others come from a private registry.
    return tuple((scope, to) for scope, to in sorted(found.items()) if origins.host(to) or (default and to))


def apply_registries(reads: Mapping[str, ParsedFile]) -> dict[str, ParsedFile]:
    """The files of npm's family, by path, with the registries that the nearest settings name in their package URLs."""
    settings: dict[str, dict[str, str]] = {}
    for path, file in sorted(reads.items()):
        if file.registries:
            settings.setdefault(path.rpartition("/")[0], {}).update(file.registries)
    above = {path: settings.get(nearest(path.rpartition("/")[0], settings) or "", {}) for path in reads}
    return {path: _marked(file, above[path]) for path, file in reads.items()}


def _marked(read: ParsedFile, registries: Mapping[str, str]) -> ParsedFile:
    if not registries or not read.dependencies:
        return read
    # A lock file says itself where it took each package from; a scope's registry holds all of the scope.
    default = registries.get("", "") if read.graph is None else ""
    return replace(
        read, dependencies=tuple(_taken(dependency, registries, default) for dependency in read.dependencies)
    )


def _taken(dependency: Dependency, registries: Mapping[str, str], default: str) -> Dependency:
    if not (dependency.purl or "").startswith("pkg:npm/") or "_url=" in (dependency.purl or ""):
        return dependency
    scope = dependency.name.partition("/")[0].lower() if dependency.name.startswith("@") else ""
    address = registries.get(scope, default) if scope else default
    return replace(dependency, purl=origins.taken(dependency.purl, address))
