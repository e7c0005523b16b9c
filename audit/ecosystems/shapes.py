"""What stands where in files of JSON, TOML and YAML, as far as their readers look: anything else there would be passed over silently.

A shape is a type; `object` for anything, None for null; a function that says whether a value fits; a tuple of shapes, any of
which will do; a list of one shape, that of all elements; or a mapping of keys to shapes. In a mapping, `*` is the shape of all
keys that are not named, and a key that ends in `!` has to be there. Keys that are in no shape may hold anything.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from audit.ecosystems.npm.package_json import SECTIONS as NPM
from audit.ecosystems.pixi import SECTIONS as PIXI

Shape = type | None | Callable[[object], bool] | tuple["Shape", ...] | list["Shape"] | dict[str, "Shape"]
Absent = tuple[object, ...]
"""Values that say that there is none, under a key where a list or a table belongs."""
Wrong = tuple[tuple[str, ...], int | None]
"""The keys that lead to a value, places in lists from 1; and how many of them lead to the first list or table of entries."""


def _all(shape: Shape, *keys: str) -> dict[str, Shape]:
    """The same shape under each of these keys."""
    return dict.fromkeys(keys, shape)


def _address(value: object) -> bool:
    return isinstance(value, str) and any(mark in value for mark in "/:\\")


def _pod(value: object) -> bool:
    """Each is locked to a version."""
    return isinstance(value, str) and "(" in value


_ANY: Final[Shape] = {}
"""A table of anything: its keys alone count."""
_TEXTS: Final[Shape] = ([str], str)
_NPM_V3: Final[Shape] = {"name": str, "version": str, "resolved": (str, bool), **_all(_ANY, *NPM)}
_NPM_V1: Final[dict[str, Shape]] = {"version": str, "resolved": (str, bool), "requires": (bool, _ANY)}
_NPM_V1["dependencies"] = {"*": _NPM_V1}
_CATALOGS: Final[dict[str, Shape]] = {"catalog": {"*": str}, "catalogs": {"*": {"*": str}}}
_PNPM_NEEDS: Final[Shape] = {
    "dependencies": {"*": str},
    "optionalDependencies": {"*": str},
    "version": str,
    "name": str,
}
_PNPM: Final[dict[str, Shape]] = _all({"*": (str, {"version!": str})}, *NPM)
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

_LOCKS: Final[Mapping[str, dict[str, Shape]]] = {
    "package-lock.json npm-shrinkwrap.json": {"packages": {"*": _NPM_V3}, "dependencies": {"*": _NPM_V1}},
    "pnpm-lock.yaml": {
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
        "graph_lock": {"nodes": {"*": {"ref": (str, None), "options": str, "context": str, "build_requires": [str]}}},
    },
    "composer.lock": {"packages": _COMPOSER, "packages-dev": _COMPOSER},
    "packages.lock.json": {
        "dependencies": {"*": {"*": {"type": str, "resolved": str, "contentHash": str, "dependencies": _ANY}}}
    },
    "Package.resolved": {
        "pins": [_PIN | {"identity!": str, "location": str}],
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
"""Lock files: each has one at least of these keys, also when it locks nothing."""
_OTHERS: Final[Mapping[str, dict[str, Shape]]] = {
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
            "poetry": {"dependencies": _POETRY, "dev-dependencies": _POETRY, "group": {"*": {"dependencies": _POETRY}}, "source": [_ANY]},
            "pdm": {"dev-dependencies": _GROUPS, "source": [_ANY]},
            "uv": {"dev-dependencies": [str], "sources": {"*": (_ANY, [_ANY])}, "index": [_ANY], "index-url": str, "extra-index-url": _TEXTS},
            "hatch": {"envs": {"*": {"dependencies": [str], "extra-dependencies": [str]}}},
            "setuptools": {"dynamic": {"dependencies": {"file": _TEXTS}}},
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
"""The same for files of which any key may be missing, or hold nothing."""


def _each(table: Mapping[str, dict[str, Shape]]) -> dict[str, dict[str, Shape]]:
    return {pattern: shape for patterns, shape in table.items() for pattern in patterns.split()}


LOCKS: Final = _each(_LOCKS)
SHAPES: Final = LOCKS | _each(_OTHERS)
"""By pattern of the file's name, as in the table of readers."""


def wrong(data: object, pattern: str) -> Iterator[Wrong]:
    """Each value of the file that is not what is expected in its place, in their order."""
    is_lock = pattern in LOCKS
    below: Absent = ([], "") if is_lock else ([], "", None)
    top: Absent = () if is_lock else below
    # of most files all is sound, and to keep no way to it is much faster
    sound = _is_sound(data, SHAPES[pattern], top, below)
    waiting: list[tuple[Wrong, object, Shape]] = [] if sound else [(((), None), data, SHAPES[pattern])]
    while waiting:
        (path, first), value, shape = waiting.pop()
        fitting = _fitting(value, shape)
        if fitting is _NONE:
            yield path, first
        elif isinstance(fitting, list):
            assert isinstance(value, list)
            begin = len(path) if first is None else first
            waiting += [(((*path, str(at)), begin), value[at - 1], fitting[0]) for at in range(len(value), 0, -1)]
        elif isinstance(fitting, dict) and fitting:
            assert isinstance(value, dict)
            inside = list(_inside((path, first), value, fitting, below if path else top))
            waiting += reversed(inside)


def _inside(
    at: Wrong, value: dict[Any, Any], shape: dict[str, Shape], absent: Absent
) -> Iterator[tuple[Wrong, object, Shape]]:
    """What is to be looked at in a table. Where a list or a table belongs under a key, `absent` are values that say that there is none."""
    path, first = at
    for key, one in value.items():
        named = shape.get(key, shape.get(f"{key}!", _NONE))
        if named is not _NONE:
            if not (isinstance(named, dict | list | tuple) and one in absent):
                yield ((*path, str(key)), first), one, named
        elif "*" in shape:
            yield ((*path, str(key)), len(path) if first is None else first), one, shape["*"]
    for key in shape:
        if key.endswith("!") and key[:-1] not in value:
            yield ((*path, key[:-1]), first), None, _never


def _is_sound(value: Any, shape: Shape, absent: Absent, below: Absent) -> bool:
    """Whether the value and all below it is what is expected."""
    if shape is str:
        return isinstance(value, str)
    fitting = _fitting(value, shape)
    if isinstance(fitting, list):
        return all(_is_sound(one, fitting[0], below, below) for one in value)
    return _is_sound_table(value, fitting, absent, below) if isinstance(fitting, dict) else fitting is not _NONE


def _is_sound_table(value: dict[Any, Any], shape: dict[str, Shape], absent: Absent, below: Absent) -> bool:
    for key, named in shape.items():
        plain = key.removesuffix("!")
        if key == "*":
            if not all(other in shape or _is_sound(one, named, below, below) for other, one in value.items()):
                return False
        elif plain in value:
            one = value[plain]
            is_absent = isinstance(named, dict | list | tuple) and one in absent
            if not is_absent and not _is_sound(one, named, below, below):
                return False
        elif plain != key:
            return False
    return True


def _never(_value: object) -> bool:
    return False


_NONE: Final = _never
"""The shape that nothing fits."""


def _fitting(value: object, shape: Shape) -> Shape:
    """The alternative that a value's type fits."""
    for one in shape if isinstance(shape, tuple) else (shape,):
        if one is None:
            fits = value is None
        elif isinstance(one, dict | list):
            fits = isinstance(value, type(one))
        elif isinstance(one, type):
            fits = isinstance(value, one)
        else:
            fits = not isinstance(one, tuple) and one(value)
        if fits:
            return object if one is None else one
    return _NONE
