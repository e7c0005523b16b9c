"""Whatever stands where something else belongs: the same components, or a finding with its line, never fewer without a word."""

import copy
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from audit import ecosystems
from audit.ecosystems import shapes
from audit.verdict.unreadable_input import is_unreadable

SHA = "0" * 40
NPM = {"dependencies": {"a": "1.0.0"}, "devDependencies": {"b": "1.0.0"}, "optionalDependencies": {"c": "1.0.0"}}
V1 = {"version": "1.0.0", "resolved": "https://registry.npmjs.org/b.tgz", "requires": {"c": "1"}}
V3 = {
    "": NPM,
    "node_modules/a": {"version": "1.0.0", "dependencies": {"b": "1"}},
    "node_modules/b": {"version": "1.0.0"},
}
PINS = [
    {
        "identity": "a",
        "kind": "remoteSourceControl",
        "location": "https://e.com/o/a",
        "state": {"version": "1.0.0", "revision": SHA},
    }
]
RULES = {"a": "1.0.0", "b": {"version": "1.0.0"}, "c": {"git": "https://e.com/o/c"}}
CARGO = {
    "dependencies": RULES,
    "dev-dependencies": {"d": "=1.0.0"},
    "target": {"cfg(unix)": {"dependencies": {"e": "1"}}},
}
POETRY = {
    "dependencies": {**RULES, "d": [{"version": "1", "python": "3"}]},
    "group": {"x": {"dependencies": {"e": "1"}}},
}
PYTHON = {"name": "a", "version": "1.0.0"}
COMPOSER = {
    "name": "x/a",
    "version": "1.0.0",
    "dist": {"type": "zip", "url": "https://e.com/a"},
    "require": {"x/b": "1"},
}
NUGET = {"a": {"type": "Direct", "resolved": "1.0.0"}, "b": {"type": "Transitive", "resolved": "1.0.0"}}
COMPONENT = {
    "name": "a",
    "version": "1.0.0",
    "purl": "pkg:npm/a@1.0.0",
    "components": [{"name": "b", "version": "1.0.0"}],
}
CONDA = {
    "name": "a",
    "version": "1.0.0",
    "manager": "conda",
    "url": "https://e.com/c/a-1-0.conda",
    "dependencies": {"b": "1"},
}
DENO = {
    "npm": {"a@1.0.0": {"dependencies": ["b"]}, "b@1.0.0": {}},
    "jsr": {"@s/c@1.0.0": {"dependencies": ["npm:a@1"]}},
}
FILES: dict[str, dict[str, Any]] = {
    "package.json": NPM,
    "package-lock.json": {"lockfileVersion": 3, "packages": V3},
    "npm-shrinkwrap.json": {"dependencies": {"a": {**V1, "dependencies": {"b": V1, "c": V1}}}},
    "pnpm-lock.yaml": {
        "importers": {".": {"dependencies": {"a": {"specifier": "1", "version": "1.0.0"}}}},
        "packages": {"a@1.0.0": {"resolution": {"integrity": "x"}}, "b@1.0.0": {}},
        "snapshots": {"a@1.0.0": {"dependencies": {"b": "1.0.0"}}},
    },
    "yarn.lock": {
        "__metadata": {"version": "8"},
        "a@npm:^1": {"version": "1.0.0", "resolution": "a@npm:1.0.0", "dependencies": {"b": "npm:^1"}},
        "b@npm:^1": {"version": "1.0.0", "resolution": "b@npm:1.0.0"},
    },
    "bun.lock": {
        "workspaces": {"": {"name": "x", "dependencies": {"a": "1"}}},
        "packages": {"a": ["a@1.0.0", "", {"dependencies": {"b": "1"}}, "s"], "b": ["b@1.0.0", "", {}, "s"]},
    },
    "deno.lock": {
        "version": "5", "specifiers": {"npm:a@1": "1.0.0"}, **DENO, "remote": {"https://deno.land/x/d@1.0.0/mod.ts": "0"},
        "workspace": {"dependencies": ["npm:a@1"], "members": {"m": {"dependencies": ["npm:a@1"]}}},
    },
    "Pipfile.lock": {"default": {"a": {"version": "==1.0.0"}}, "develop": {"b": {"git": "https://e.com/o/b", "ref": SHA}}},
    "Pipfile": {"packages": RULES, "dev-packages": {"d": "*"}},
    "poetry.lock": {"package": [{**PYTHON, "groups": ["main"], "dependencies": {"b": "1"}}]},
    "uv.lock": {
        "package": [
            {**PYTHON, "source": {"registry": "https://pypi.org/simple"}, "dependencies": [{"name": "b"}]},
            {"name": "x", "source": {"virtual": "."}, "dependencies": [{"name": "a"}], "dev-dependencies": {"t": [{"name": "b"}]}},
        ]
    },
    "pdm.lock": {"metadata": {}, "package": [{**PYTHON, "groups": ["default"], "dependencies": ["b"]}]},
    "pylock.toml": {"packages": [{**PYTHON, "marker": "python_version > '3'", "dependencies": [{"name": "b"}]}]},
    "pyproject.toml": {
        "project": {"name": "x", "dependencies": ["a==1.0.0"], "optional-dependencies": {"e": ["b"]}},
        "dependency-groups": {"test": ["c", {"include-group": "e"}]}, "build-system": {"requires": ["d"]},
        "tool": {
            "poetry": POETRY, "pdm": {"dev-dependencies": {"x": ["f"]}}, "uv": {"dev-dependencies": ["g"]},
            "hatch": {"envs": {"x": {"dependencies": ["h"]}}},
        },
    },
    "Cargo.toml": CARGO,
    "Cargo.lock": {"package": [{**PYTHON, "source": "registry+https://github.com/rust-lang/crates.io-index", "dependencies": ["b"]}]},
    "conan.lock": {"requires": ["a/1.0"], "build_requires": ["b/1.0"]},
    "sub/conan.lock": {"graph_lock": {"nodes": {"1": {"ref": "a/1.0", "prev": "0", "build_requires": ["2"]}, "2": {"ref": "b/1", "prev": "0"}}}},
    "vcpkg.json": {"dependencies": ["a", {"name": "b"}], "features": {"x": {"dependencies": ["c"]}}, "overrides": [{"name": "a", "version": "1"}]},
    "composer.json": {"require": {"x/a": "1.0.0"}, "require-dev": {"x/b": "1.0.0"}},
    "composer.lock": {"packages": [COMPOSER], "packages-dev": [{**COMPOSER, "name": "x/b"}]},
    "packages.lock.json": {"version": 1, "dependencies": {"net8.0": NUGET}},
    "dotnet-tools.json": {"tools": {"a": {"version": "1.0.0", "commands": ["a"]}}},
    "Package.resolved": {"pins": PINS, "version": 2},
    "sub/Package.resolved": {"object": {"pins": [{"package": "a", "repositoryURL": "https://e.com/o/a", "state": {"version": "1.0.0", "revision": SHA}}]}},
    "pubspec.yaml": {"dependencies": {**RULES, "c": {"git": {"url": "https://e.com/o/c", "ref": SHA}}, "d": {"sdk": "flutter"}}},
    "pubspec.lock": {"packages": {"a": {"dependency": "direct main", "description": {"url": "https://pub.dev"}, "source": "hosted", "version": "1.0.0"}}},
    "Podfile.lock": {"PODS": ["A (1.0.0)", {"B (1.0.0)": ["A"]}], "DEPENDENCIES": ["B"], "SPEC REPOS": {"trunk": ["A"]}},
    "conda-lock.yml": {"package": [CONDA]},
    "pixi.lock": {
        "environments": {"default": {"packages": {"linux-64": [{"conda": CONDA["url"]}]}}},
        "packages": [{"conda": CONDA["url"], "depends": ["b"]}],
    },
    "environment.yml": {"channels": ["conda-forge"], "dependencies": ["a", {"pip": ["b"]}]},
    "libs.versions.toml": {"versions": {"v": "1.0.0"}, "libraries": {"a": {"module": "x:a", "version": {"ref": "v"}}}, "bundles": {"all": ["a"]}},
    "bom.json": {"bomFormat": "CycloneDX", "components": [COMPONENT], "dependencies": [{"ref": "a", "dependsOn": ["b"]}]},
    "x.cdx.json": {"bomFormat": "CycloneDX", "components": [COMPONENT]},
    "x.spdx.json": {"spdxVersion": "SPDX-2.3", "packages": [{"SPDXID": "SPDXRef-a", "name": "a", "versionInfo": "1.0.0", "downloadLocation": "NONE"}]},
    "pixi.toml": {
        "dependencies": {"a": "1.0.0", "b": {"version": "1"}}, "feature": {"x": {"pypi-dependencies": {"c": "==1.0.0"}}},
        "target": {"linux": {"build-dependencies": {"d": "1"}}},
    },
    "pnpm-workspace.yaml": {"catalog": {"a": "1.0.0"}, "catalogs": {"x": {"b": "^1"}}},
    "deno.json": {"imports": {"a": "npm:a@1.0.0"}, "scopes": {"x/": {"b": "jsr:@s/b@1"}}},
    ".yarnrc.yml": {"npmRegistryServer": "https://e.com", "npmScopes": {"s": {"npmRegistryServer": "https://e.com"}}},
}  # fmt: skip
"""A valid file of each kind, with everything that its reader looks for."""
OTHERS = ({"y": "z"}, ["y"], 7, None, "y")
"""One value of each shape."""


def written(path: str, data: dict[str, Any]) -> str:
    """The file's text, a line for each of its keys."""
    if path.endswith(
        (".json", "Pipfile.lock", "conan.lock", "composer.lock", "deno.lock", "bun.lock", "Package.resolved")
    ):
        return json.dumps(data, indent=1)
    if is_yaml(path):  # JSON is YAML
        return "".join(
            f"{key if key == '__metadata' else json.dumps(key)}: {json.dumps(one)}\n" for key, one in data.items()
        )
    return "".join(f"{json.dumps(key)} = {toml(one)}\n" for key, one in data.items())


def is_yaml(path: str) -> bool:
    """In which all scalars are texts."""
    return path.endswith((".yaml", ".yml", "pubspec.lock", "pixi.lock", "Podfile.lock", "yarn.lock"))


def toml(value: object) -> str:
    """A value as TOML writes it in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(one)}" for key, one in value.items()) + "}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value)


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The keys that lead to each value below."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield (*path, key)
        yield from places(one, (*path, key))


def mutations(path: str, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The file with each of its values replaced by one of each other shape, and what was replaced."""
    named = path.rpartition("/")[2]
    for place in places(data):
        for other in OTHERS:
            changed: Any = copy.deepcopy(data)
            *above, last = place
            holder = changed
            for key in above:
                holder = holder[key]
            is_scalar = not isinstance(holder[last], dict | list)
            if path == "deno.json" and other is None:  # an import map may say that a name is nothing
                continue
            says_nothing = other is None and isinstance(last, str) and not is_scalar and named not in shapes.LOCKS
            no_null = other is None and (is_yaml(path) or path.endswith((".toml", ".lock", "Pipfile")))
            if (
                type(other) is type(holder[last])
                or says_nothing
                or no_null
                or (is_yaml(path) and is_scalar and other == 7)
            ):
                continue
            holder[last] = other
            yield f"{'.'.join(map(str, place))} = {json.dumps(other)}", written(path, changed)


def components(path: str, content: str) -> tuple[Counter[str], Counter[str], bool]:
    """Names, those with versions as well, and whether something could not be judged, and is said with its line."""
    found = ecosystems.read(path, content)
    said = [one for one in found.findings if is_unreadable(one)]
    assert all(one.place.path == path and one.place.line and len(one.message) > 20 for one in said), said
    listed = [*found.dependencies, *(one.dependency for one in found.meant)]
    names = Counter(one.name for one in listed)
    return names, Counter(f"{one.name}@{one.version}" for one in listed if one.version), bool(said)


@pytest.mark.parametrize("path", FILES)
def test_every_other_shape(path):
    """In each place of a valid file."""
    names, versions, said = components(path, written(path, FILES[path]))
    assert (bool(names) or path == ".yarnrc.yml", said) == (True, False)
    is_lock = path.rpartition("/")[2] in shapes.LOCKS
    silent = []
    for what, content in mutations(path, FILES[path]):
        after, still, said = components(path, content)
        if not said and (after.total() < names.total() or (is_lock and still.total() < versions.total())):
            silent.append(what)
    assert silent == []


def test_each_kind_of_file_is_tried():
    """No shape is without a file."""
    tried = {ecosystems.FILE_READERS[row][0] for path in FILES if (row := ecosystems.row(path)) is not None}
    others = {"deno.jsonc", "import_map.json", "pylock.*.toml", "*.conda-lock.yml"} | {
        one for one in shapes.SHAPES if one.startswith("environment")
    }
    assert set(shapes.SHAPES) - others <= tried
    assert {pattern for pattern, _, _ in ecosystems.FILE_READERS} >= set(shapes.SHAPES)
