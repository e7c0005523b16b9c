"""The form that readers of JSON, TOML and YAML expect: anything else would be passed over silently.

A shape is a type; `object` for anything, None for null; a function that says whether a value fits; a tuple of shapes, any of
which will do; a list of one shape, that of all elements; or a mapping of keys to shapes. In a mapping, `*` is the shape of all
keys that are not named, and a key that ends in `!` has to be there. Keys that are in no shape may hold anything.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from audit.ecosystems.formats import json_text, toml_text, yaml_text
from audit.ecosystems.npm import bun, pnpm, yarn
from audit.ecosystems.npm.package_json import SECTIONS as NPM
from audit.ecosystems.parsed_file import ParsedFile, ParseError, finding, said
from audit.ecosystems.pixi import SECTIONS as PIXI
from audit.facts import Finding

Shape = type | None | Callable[[object], bool] | tuple["Shape", ...] | list["Shape"] | dict[str, "Shape"]
Absent = tuple[object, ...]  # Values of an absent list or table.
Wrong = tuple[tuple[str, ...], int | None]
"""The keys that lead to a value, places in lists from 1; and how many of them lead to the first list or table of entries."""


def _all(shape: Shape, *keys: str) -> dict[str, Shape]:
    return dict.fromkeys(keys, shape)


def _address(value: object) -> bool:
    return isinstance(value, str) and any(mark in value for mark in "/:\\")


def _pod(value: object) -> bool:
    return isinstance(value, str) and "(" in value  # Each is locked to a version.


_ANY: Final[Shape] = {}  # A table with anything in it.
_TEXTS: Final[Shape] = ([str], str)
_NPM_V3: Final[Shape] = {"name": str, "version": str, "resolved": (str, bool), **_all(_ANY, *NPM)}
_NPM_V1: Final[dict[str, Shape]] = {"version": str, "resolved": (str, bool), "requires": (bool, _ANY)}
_NPM_V1["dependencies"] = {"*": _NPM_V1}  # npm 6 nests packages as in node_modules.
_CATALOGS: Final[dict[str, Shape]] = {"catalog": {"*": str}, "catalogs": {"*": {"*": str}}}
_PNPM_NEEDS: Final[Shape] = {
    "dependencies": {"*": str},
    "optionalDependencies": {"*": str},
    "version": str,
    "name": str,
}
_PNPM: Final[dict[str, Shape]] = _all({"*": (str, {"version!": str})}, *pnpm.SECTIONS)
_DENO: Final[Shape] = {
    "integrity": str, "tarball": str, **_all(([str], {"*": str}), "dependencies", "optionalDependencies")
}  # fmt: skip
_DENO_ALL: Final[dict[str, Shape]] = {
    "specifiers": {"*": str},
    "npm": {"specifiers": {"*": str}, "packages": {"*": _DENO}, "*": _DENO},
    "jsr": {"*": _DENO},
}
_PIPENV: Final[Shape] = {
    "*": {"hashes": [str], **_all(str, "version", "git", "ref", "file", "path", "index")}
}  # fmt: skip
_SOURCE: Final[Shape] = _all(
    str, "type", "url", "registry", "git", "path", "editable", "virtual", "directory", "resolved_reference"
)
_LOCKED: Final[dict[str, Shape]] = {"name!": str, "version": str, "source": _SOURCE}
_TITLED: Final[Shape] = [{"name!": str}]
_COMPOSER: Final[Shape] = [
    {
        "name!": str,
        "version": str,
        "dist": ({"type": str, "url": str}, None),
        "source": (_ANY, None),
        "require": _ANY,
        "replace": _ANY,
    }
]
_PIN: Final[dict[str, Shape]] = {"kind": str, "state": {"version": (str, None), "revision": (str, None)}}
_RULE: Final[Shape] = _all(str, "version", "git", "url", "file", "path", "source", "index", "tag", "rev", "package", "registry", "registry-index")  # fmt: skip
_POETRY: Final[Shape] = {"*": (str, _RULE, [(str, _RULE)])}
_GROUPS: Final[Shape] = {"*": [str]}
_HATCH_BUILD: Final[dict[str, Shape]] = {"dependencies": [str], "hooks": {"*": {"dependencies": [str]}}}
_CARGO: Final = _all(
    {"*": (str, _RULE)},
    "dependencies", "dev-dependencies", "dev_dependencies", "build-dependencies", "build_dependencies",
)  # fmt: skip
_PIXI: Final = _all({"*": (str, _RULE)}, *PIXI)
_PIXI_MANIFEST: Final[dict[str, Shape]] = {
    **_PIXI, "target": {"*": _PIXI}, "package": _PIXI, "feature": {"*": {**_PIXI, "target": {"*": _PIXI}}}
}  # fmt: skip
_PUB: Final[Shape] = {
    "*": (str, {
        "version": str, "sdk": str, "path": str, "hosted": (str, {"url": str}),
        "git": (_address, {"url!": _address, "ref": str}),
    })
}  # fmt: skip
_VCPKG: Final[Shape] = [(str, {"name!": str})]
_COMPONENT: Final[dict[str, Shape]] = {
    "name!": str, "licenses": [_ANY], **_all(str, "version", "purl", "scope", "type", "bom-ref")
}  # fmt: skip
_COMPONENT["components"] = [_COMPONENT]

_LOCKS: Final[Mapping[str, dict[str, Shape]]] = {  # Each has one of these keys, also when it locks nothing.
    "package-lock.json npm-shrinkwrap.json": {"packages": {"*": _NPM_V3}, "dependencies": {"*": _NPM_V1}},
    "pnpm-lock.yaml": {
        # pnpm 9 moved what packages need to `snapshots`.
        "importers": {"*": _PNPM}, "packages": {"*": _PNPM_NEEDS}, "snapshots": {"*": _PNPM_NEEDS}, **_PNPM
    },
    "bun.lock": {
        "workspaces": {"*": {"name": str, **_all(_ANY, *NPM)}},
        "packages": {"*": ([(_all(_ANY, *NPM), object)], object)},
    },
    "deno.lock": {
        "version": str, "remote": {"*": str}, "packages": _DENO_ALL, **_DENO_ALL,
        "workspace": {"dependencies": [str], "members": {"*": {"dependencies": [str]}}},
    },
    "Podfile.lock": {
        "PODS": [(_pod, {"*": [str]})], "DEPENDENCIES": [str], "SPEC REPOS": {"*": [str]},
        "EXTERNAL SOURCES": {"*": {"*": str}}, "CHECKOUT OPTIONS": {"*": {"*": str}},
    },
    "Pipfile.lock": {"default": _PIPENV, "develop": _PIPENV},
    "poetry.lock": {"package": [_LOCKED | {"category": str, "groups": [str], "dependencies": _ANY}]},
    "uv.lock": {
        "package": [
            _LOCKED | {"dependencies": _TITLED, "optional-dependencies": {"*": _TITLED}, "dev-dependencies": {"*": _TITLED}}
        ]
    },
    "pdm.lock": {"package": [_LOCKED | {"groups": [str], "dependencies": [str], "git": str}], "metadata": _ANY},
    "pylock.toml pylock.*.toml": {
        "packages": [_LOCKED | {"marker": str, "index": str, "dependencies": [_ANY], **_all(_ANY, "vcs", "directory", "archive")}]
    },
    "Cargo.lock": {"package": [{"name!": str, "version": str, "source": str, "dependencies": [str]}]},
    "conan.lock": {
        **_all([str], "requires", "build_requires", "python_requires", "tool_requires", "test_requires"),
        # Conan 1 wrote `graph_lock`, Conan 2 lists.
        "graph_lock": {"nodes": {"*": {"ref": (str, None), "options": str, "context": str, "build_requires": [str]}}},
    },
    "composer.lock": {"packages": _COMPOSER, "packages-dev": _COMPOSER},
    "packages.lock.json": {
        "dependencies": {"*": {"*": {"type": str, "resolved": str, "dependencies": _ANY}}}
    },
    "Package.resolved": {
        "pins": [_PIN | {"identity!": str, "location": str}],
        # The first version of the file held its pins in `object`.
        "object": {"pins": [_PIN | {"package": str, "repositoryURL!": str}]},
    },
    "pubspec.lock": {
        "packages": {"*": {"version": str, "source": str, "dependency": str, "description": (str, {"url": str, "resolved-ref": str})}}
    },
    "conda-lock.yml *.conda-lock.yml": {
        "package": [{"name!": str, "hash": _ANY, "dependencies": _ANY, "categories": [str],
                     **_all(str, "version", "manager", "category", "url")}]
    },
    "pixi.lock": {
        "packages": [{"depends": [str], **_all(str, "kind", "name", "version", "url", "conda", "pypi", "path")}],
        "environments": {"*": {"packages": {"*": [{"*": str}]}}},
    },
}  # fmt: skip
_OTHERS: Final[Mapping[str, dict[str, Shape]]] = {  # Any key may be missing, or hold nothing.
    "package.json": {
        **_all({"*": str}, *NPM), "bundleDependencies": ([str], bool), "bundledDependencies": ([str], bool)
    },
    "yarn.lock": {"__metadata": _ANY, "*": {"version": str, "resolution": str, "linkType": str, "dependencies": {"*": str}, "optionalDependencies": {"*": str}}},
    "deno.json deno.jsonc import_map.json": {
        "imports": {"*": (str, None)}, "scopes": {"*": {"*": (str, None)}}, "importMap": str, "name": str
    },
    ".yarnrc.yml": {"npmRegistryServer": str, "npmScopes": {"*": {"npmRegistryServer": str}}, **_CATALOGS},
    "pnpm-workspace.yaml": _CATALOGS,
    "Cargo.toml": {
        "package": {"name": str}, "target": {"*": _CARGO}, "workspace": {"dependencies": {"*": (str, _RULE)}},
        "patch": {"*": {"*": _RULE}}, **_CARGO,
    },
    "pyproject.toml": {
        "project": {"name": str, "dependencies": [str], "optional-dependencies": _GROUPS},
        "dependency-groups": {"*": [(str, {"include-group!": str})]},
        "build-system": {"requires": [str]},
        "tool": {
            "poetry": {"dependencies": _POETRY, "dev-dependencies": _POETRY, "group": {"*": {"dependencies": _POETRY}}, "source": [_ANY], "requires-plugins": _POETRY},
            "pdm": {"dev-dependencies": _GROUPS, "source": [_ANY]},
            "flit": {"metadata": {"requires": [str], "dev-requires": [str], "requires-extra": _GROUPS}},
            "rye": {"dev-dependencies": [str]},
            "uv": {"dev-dependencies": [str], "sources": {"*": (_ANY, [_ANY])}, "index": [_ANY], "index-url": str, "extra-index-url": _TEXTS},
            "hatch": {
                "envs": {"*": {"dependencies": [str], "extra-dependencies": [str]}},
                "build": {**_HATCH_BUILD, "targets": {"*": _HATCH_BUILD}},
            },
            "setuptools": {"dynamic": {"dependencies": {"file": _TEXTS}, "optional-dependencies": {"*": {"file": _TEXTS}}}},
            "pixi": _PIXI_MANIFEST,
        },
    },
    "Pipfile": {"packages": _POETRY, "dev-packages": _POETRY, "source": [_ANY]},
    "libs.versions.toml": {"libraries": {"*": object}, "versions": {"*": (str, _ANY)}, "bundles": _GROUPS},
    "vcpkg.json": {"dependencies": _VCPKG, "features": {"*": {"dependencies": _VCPKG}}, "overrides": _TITLED},
    "composer.json": {"require": {"*": str}, "require-dev": {"*": str}, "repositories": ([_ANY], {"*": (_ANY, bool)})},
    "dotnet-tools.json": {"tools": {"*": {"version!": str}}},
    "pubspec.yaml": _all(_PUB, "dependencies", "dev_dependencies", "dependency_overrides"),
    "environment.yml environment.yaml environment-*.yml environment-*.yaml environment_*.yml": {
        "channels": [str], "dependencies": [(str, {"pip!": [str]})]
    },
    "pixi.toml": _PIXI_MANIFEST,
    "*.spdx.json": {"packages": [{"versionInfo": str}], "relationships": [_ANY], "@graph": [_ANY]},
    "*.cdx.json bom.json": {"components": [_COMPONENT], "dependencies": [{"ref!": str, "dependsOn": [str]}]},
}  # fmt: skip


def _each(table: Mapping[str, dict[str, Shape]]) -> dict[str, dict[str, Shape]]:
    return {pattern: shape for patterns, shape in table.items() for pattern in patterns.split()}


LOCKS: Final = _each(_LOCKS)
SHAPES: Final = LOCKS | _each(_OTHERS)  # By pattern of the file's name, as in the table of readers.
_BEGINS: Final = re.compile(r"^<{7}(?= |\r?$)", re.MULTILINE)
_ENDS: Final = re.compile(r"^>{7}(?= |\r?$)", re.MULTILINE)
_YAML: Final = (".yaml", ".yml", "pubspec.lock", "pixi.lock", "Podfile.lock", "yarn.lock")
_COMMENTED: Final = ("bun.lock", "deno.json", "deno.jsonc", "import_map.json")
_JSON: Final = (".json", "Pipfile.lock", "conan.lock", "composer.lock", "deno.lock", "Package.resolved")


def passed_over(path: str, pattern: str, content: str, read: ParsedFile) -> tuple[Finding, ...]:
    """A finding for each key with a value of another form than its reader expects.

    The content was read before, so it is of its format. Raises ParseError for a lock file that has none of the keys of its kind.
    """
    if pattern not in SHAPES or (pattern == "yarn.lock" and not yarn.is_berry(content)):  # Yarn 1 has its own format.
        return ()
    data = _load(pattern, content)
    wrong: dict[tuple[str, ...], list[Wrong]] = {}
    for at, first in wrong_values(data, pattern):
        wrong.setdefault(at[:first], []).append((at, first))
    keys = LOCKS.get(pattern, {})
    is_of_npm_6 = "lockfileVersion" in data and data["lockfileVersion"] == 1  # It leaves out what is empty.
    if keys and not any(key in data for key in keys) and not read.findings and not is_of_npm_6:
        raise ParseError(f"there is no {' or '.join(f'`{key}`' for key in keys)}: nothing was read of this file", 1)
    return tuple(
        finding("file/broken", path, _line(pattern, content, data, above), _message(above, found))
        for above, found in wrong.items()
    )


def _message(above: tuple[str, ...], found: list[Wrong]) -> str:
    """The number of entries amiss below these keys, and the first; or that the value itself is amiss."""
    named = f"`{said('.'.join(above))}`"
    path, first = found[0]
    if first is None:
        return f"{named} is not what is expected there: passed over"
    count = len({at[: first + 1] for at, _ in found})
    return (
        f"{count} of the entries of {named} {'is' if count == 1 else 'are'} not what is expected there "
        f"(the first: {said(' > '.join(path[first:]))}): passed over"
    )


def _line(pattern: str, content: str, data: Any, path: tuple[str, ...]) -> int | None:
    """The line of the value to which keys lead; that of the nearest one above it which has one."""
    if not pattern.endswith((*_YAML, *_JSON, *_COMMENTED)):
        lines = toml_text.TomlLines(content)
        named = (lines.key(".".join(path[: end - 1]), path[end - 1]) for end in range(len(path), 0, -1))
        return next(filter(None, named), 1)
    holder: Any = data if isinstance(data, yaml_text.YamlMapping | json_text.LocatedObject) else json_text.top(content)
    line = 1
    for key in path:
        lines_of = holder.lines() if isinstance(holder, json_text.LocatedObject) else holder.lines
        line, holder = lines_of.get(key, line), holder.get(key)
        if not isinstance(holder, yaml_text.YamlMapping | json_text.LocatedObject):
            break
    return line


def _load(pattern: str, content: str) -> Any:
    if pattern in _COMMENTED:
        return bun.top(content)
    if pattern == "pnpm-lock.yaml":
        return yaml_text.merged(content)
    if pattern.endswith(_YAML):
        return yaml_text.top(content)
    if pattern.endswith(_JSON):
        return json.loads(content, strict=False)  # Without lines: they cost most of the time.
    return toml_text.load(toml_text.without_files(content) if pattern in LOCKS else content)


def conflicts(path: str, content: str) -> tuple[Finding, ...]:
    """A finding where a merge was left half-done: a reader of lines reads on, and loses one side or more."""
    # Almost no file has any: looking for the text is much faster than for the pattern.
    begins = _BEGINS.search(content) if "<<<<<<<" in content else None
    if begins is None or not _ENDS.search(content, begins.end()):
        return ()
    line = content.count("\n", 0, begins.start()) + 1
    message = "holds the marks of a merge conflict: which of the two sides counts is not decided"
    return (finding("file/broken", path, line, message),)


def wrong_values(data: object, pattern: str) -> list[Wrong]:
    """Each value of the file that is not what is expected in its place, in their order."""
    # People leave a key empty, a program writes what it has.
    below: Absent = ([], "") if pattern in LOCKS else ([], "", None)
    return _wrong(data, SHAPES[pattern], () if pattern in LOCKS else below, below)


def _wrong(value: Any, shape: Shape, absent: Absent, below: Absent) -> list[Wrong]:
    """The faults of a value and of all below it, with the keys counted from it."""
    fitting = str if shape is str and isinstance(value, str) else _fitting(value, shape)
    if isinstance(fitting, list):
        inside = fitting[0]
        # The way to a fault is made only once a fault is found: most files have none.
        return [
            ((str(at), *way), 0)
            for at, member in enumerate(value, 1)
            for way, _ in _wrong(member, inside, below, below)
        ]
    if isinstance(fitting, dict):
        return _wrong_in_table(value, fitting, absent, below)
    return [((), None)] if fitting is _nothing else []


def _wrong_in_table(value: dict[Any, Any], shape: dict[str, Shape], absent: Absent, below: Absent) -> list[Wrong]:
    """The faults of a table; `absent` are values that say that there is no list or table under a key."""
    found: list[Wrong] = []
    for key, member in value.items():
        named = shape[key] if key in shape else shape.get(f"{key}!", _nothing)
        is_entry = named is _nothing and "*" in shape
        named = shape["*"] if is_entry else named
        is_text = named is str and isinstance(member, str)  # The commonest by far.
        if (
            is_text
            or named is _nothing
            or (not is_entry and isinstance(named, dict | list | tuple) and member in absent)
        ):
            continue
        for way, first in _wrong(member, named, below, below):
            depth = 0 if is_entry else None if first is None else first + 1
            found.append(((str(key), *way), depth))
    return found + [((key[:-1],), None) for key in shape if key.endswith("!") and key[:-1] not in value]


def _nothing(_value: object) -> bool:
    """The shape that nothing fits."""
    return False


def _fitting(value: object, shape: Shape) -> Shape:
    """The alternative that a value's type fits."""
    for alternative in shape if isinstance(shape, tuple) else (shape,):
        if alternative is None:
            fits = value is None
        elif isinstance(alternative, dict | list):
            fits = isinstance(value, type(alternative))
        elif isinstance(alternative, type):
            fits = isinstance(value, alternative)
        else:
            fits = not isinstance(alternative, tuple) and alternative(value)
        if fits:
            return object if alternative is None else alternative
    return _nothing
