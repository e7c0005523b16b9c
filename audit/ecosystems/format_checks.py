"""A file of which nothing was read, or not all: is it that it names nothing, or that it is not what its kind looks like?"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from audit.ecosystems.formats import json_text, toml_text, yaml_text
from audit.ecosystems.npm import bun
from audit.ecosystems.parsed_file import Broken, finding, said, table
from audit.facts import Finding

_NPM: Final = {"packages": dict, "dependencies": dict}
_PYLOCK: Final = {"packages": list}
_SHAPES: Final[Mapping[str, Mapping[str, type]]] = {
    "package-lock.json": _NPM,
    "npm-shrinkwrap.json": _NPM,
    "pnpm-lock.yaml": {"importers": dict, "packages": dict, "dependencies": dict, "devDependencies": dict},
    "bun.lock": {"workspaces": dict, "packages": dict},
    "deno.lock": {"version": str},
    "Podfile.lock": {"PODS": list, "DEPENDENCIES": list},
    "Pipfile.lock": {"default": dict, "develop": dict},
    "poetry.lock": {"package": list},
    "uv.lock": {"package": list},
    "pdm.lock": {"package": list, "metadata": dict},
    "pylock.toml": _PYLOCK,
    "pylock.*.toml": _PYLOCK,
    "Cargo.lock": {"package": list},
    "conan.lock": {"requires": list, "build_requires": list, "graph_lock": dict},
    "composer.lock": {"packages": list, "packages-dev": list},
    "packages.lock.json": {"dependencies": dict},
    "Package.resolved": {"pins": list, "object": dict},
    "pubspec.lock": {"packages": dict},
    "conda-lock.yml": {"package": list},
    "*.conda-lock.yml": {"package": list},
    "pixi.lock": {"packages": list, "environments": dict},
}
"""By file: keys of which a lock file has one at least, also when it locks nothing, and what they hold."""
_TABLES: Final = {"dependencies": dict, "dev-dependencies": dict, "build-dependencies": dict}
_COMPONENTS: Final = {"components": list}
_OTHERS: Final[Mapping[str, Mapping[str, type]]] = {
    "package.json": {
        "dependencies": dict,
        "devDependencies": dict,
        "optionalDependencies": dict,
        "peerDependencies": dict,
    },
    "Cargo.toml": _TABLES,
    "pyproject.toml": {"project": dict, "tool": dict, "dependency-groups": dict},
    "vcpkg.json": {"dependencies": list},
    "composer.json": {"require": dict, "require-dev": dict},
    "dotnet-tools.json": {"tools": dict},
    "pubspec.yaml": {"dependencies": dict, "dev_dependencies": dict},
    "environment.yml": {"dependencies": list},
    "environment.yaml": {"dependencies": list},
    "*.spdx.json": {"packages": list},
    "*.cdx.json": _COMPONENTS,
    "bom.json": _COMPONENTS,
}
"""The same for files of which any key may be missing, or hold nothing."""
_NAMED: Final = frozenset({"poetry.lock", "uv.lock", "pdm.lock", "pylock.toml", "pylock.*.toml", "Cargo.lock"})
"""Lock files whose list is of tables with names."""


_ENTRIES: Final[Mapping[str, Mapping[str, tuple[type, ...]]]] = {
    "package-lock.json": {"packages": (dict,), "dependencies": (dict,)},
    "npm-shrinkwrap.json": {"packages": (dict,), "dependencies": (dict,)},
    "Pipfile.lock": {"default": (dict,), "develop": (dict,)},
    "conan.lock": {"requires": (str,), "build_requires": (str,)},
    "composer.lock": {"packages": (dict,), "packages-dev": (dict,)},
    "packages.lock.json": {"dependencies": (dict,)},
    "Package.resolved": {"pins": (dict,)},
    "vcpkg.json": {"dependencies": (str, dict)},
    "*.spdx.json": {"packages": (dict,)},
    "*.cdx.json": {"components": (dict,)},
    "bom.json": {"components": (dict,)},
}
"""By file of JSON: what each entry below a key is; anything else was no dependency to its reader."""
_NAMES: Final[Mapping[str, str]] = {
    "composer.lock": "name",
    "Package.resolved": "identity",
    "*.cdx.json": "name",
    "bom.json": "name",
}
"""By the same files: the key of an entry's name, without which it was none either."""
_BEGINS: Final = re.compile(r"^<{7}(?= |\r?$)", re.MULTILINE)
_ENDS: Final = re.compile(r"^>{7}(?= |\r?$)", re.MULTILINE)


def passed_over(path: str, pattern: str, content: str) -> tuple[Finding, ...]:
    """A finding for each key below which something stands that its reader could not take for a dependency.

    The content was read before, so it is JSON.
    """
    kinds = _ENTRIES.get(pattern)
    if kinds is None:
        return ()
    data = json.loads(content, strict=False)  # without lines this takes a fraction of the reader's time
    wrong = {key: found for key, kind in kinds.items() if (found := _strange(data.get(key), kind, _NAMES.get(pattern)))}
    lines = json_text.top(content).lines() if wrong else {}
    return tuple(
        finding(
            "file/broken",
            path,
            lines.get(key),
            f"{len(found)} of the entries of `{key}` {'is' if len(found) == 1 else 'are'} not what is expected there "
            f"(the first: {said(found[0])}): passed over",
        )
        for key, found in wrong.items()
    )


def conflicts(path: str, content: str) -> tuple[Finding, ...]:
    """A finding where a merge was left half-done: a reader of lines reads on, and one side or what is around is lost."""
    begins = _BEGINS.search(content) if "<<<<<<<" in content else None
    if begins is None or not _ENDS.search(content, begins.end()):
        return ()
    line = content.count("\n", 0, begins.start()) + 1
    return (
        finding(
            "file/broken",
            path,
            line,
            "holds the marks of a merge conflict: which of the two sides counts is not decided",
        ),
    )


def _strange(value: object, kinds: tuple[type, ...], name_of: str | None) -> list[str]:
    """The names, or the places from 1, of the entries that are of no such kind, or have no name."""
    entries = value.items() if isinstance(value, dict) else enumerate(value, 1) if isinstance(value, list) else ()
    return [
        str(name)
        for name, one in entries
        if not isinstance(one, kinds) or (name_of and not isinstance(table(one).get(name_of), str))
    ]


def check(pattern: str, content: str) -> None:
    """Raises Broken when a lock file has none of the keys of its kind, or any file something else in one of them."""
    shape = _SHAPES.get(pattern) or _OTHERS.get(pattern)
    if shape is None:
        return
    data = _reader(pattern)(content)
    wrong = [key for key, kind in shape.items() if key in data and not _is_right(pattern, data[key], kind)]
    if wrong or (pattern in _SHAPES and not any(key in data for key in shape)):
        keys = " or ".join(f"`{key}`" for key in (wrong or shape))
        raise Broken(
            f"{'not what is expected in' if wrong else 'there is no'} {keys}: nothing was read of this file", 1
        )


def _is_right(pattern: str, value: object, kind: type) -> bool:
    """Whether that may stand there."""
    if not isinstance(value, kind):
        return pattern in _OTHERS and not value and not isinstance(value, int)
    if pattern in _NAMED and isinstance(value, list):
        return not value or any(isinstance(one, Mapping) and isinstance(one.get("name"), str) for one in value)
    return True


def _reader(pattern: str) -> Callable[[str], Mapping[str, Any]]:
    if pattern == "bun.lock":
        return bun.top
    if pattern.endswith((".yaml", ".yml", "pubspec.lock", "pixi.lock", "Podfile.lock")):
        return yaml_text.top
    json_locks = (".json", "Pipfile.lock", "conan.lock", "composer.lock", "deno.lock", "Package.resolved")
    return json_text.top if pattern.endswith(json_locks) else toml_text.load
