"""An empty lock file is fine; one of another shape is a finding and never a clean answer."""

import copy
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from audit import ecosystems
from audit.ecosystems import format_checks
from audit.verdict.unreadable_input import is_unreadable

EMPTY = {
    "package-lock.json": '{"name": "x", "lockfileVersion": 3, "packages": {"": {"name": "x"}}}',
    "npm-shrinkwrap.json": '{"name": "x", "lockfileVersion": 1, "dependencies": {}}',
    "pnpm-lock.yaml": "lockfileVersion: '9.0'\nimporters:\n  .: {}\n",
    "bun.lock": '{"lockfileVersion": 1, "workspaces": {"": {"name": "x"}}, "packages": {},}',
    "deno.lock": '{"version": "5"}',
    "Pipfile.lock": '{"_meta": {}, "default": {}, "develop": {}}',
    "poetry.lock": 'package = []\n[metadata]\nlock-version = "2.1"\n',
    "uv.lock": 'version = 1\n[[package]]\nname = "x"\nversion = "1"\nsource = { virtual = "." }\n',
    "pdm.lock": '[metadata]\nlock_version = "4.5"\n',
    "pylock.toml": 'lock-version = "1.0"\npackages = []\n',
    "pylock.dev.toml": 'lock-version = "1.0"\npackages = []\n',
    "Cargo.lock": 'version = 4\n[[package]]\nname = "x"\nversion = "1.0.0"\n',
    "conan.lock": '{"version": "0.5", "requires": []}',
    "yarn.lock": "# yarn lockfile v1\n",
    "requirements.txt": "",
}


@pytest.mark.parametrize(("path", "content"), [*EMPTY.items(), ("package-lock.json", '{"lockfileVersion": 1}')])
def test_an_empty_lock_file_of_each_tool_is_no_finding(path, content):
    assert ecosystems.read(path, content).findings == ()


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in EMPTY
        if path.endswith(".json") or path in {"Pipfile.lock", "conan.lock", "bun.lock", "deno.lock"}
    ],
)
@pytest.mark.parametrize(
    "data", [{}, {"lockfileVersion": 9, "resolved": {}}, {"packages": [1], "default": 7, "requires": "x"}]
)
def test_json_of_another_shape_is_a_finding_at_the_first_line(path, data):
    [found] = ecosystems.read(path, json.dumps(data)).findings
    assert (found.code, found.place.path, found.place.line) == ("file/broken", path, 1)


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in EMPTY
        if path.endswith((".lock", ".toml")) and EMPTY[path].find('{"') < 0 and path != "yarn.lock"
    ],
)
@pytest.mark.parametrize("content", ["", "package = 7\npackages = 7\n", "version = 1\n"])
def test_toml_of_another_shape_is_a_finding(path, content):
    assert [finding.code for finding in ecosystems.read(path, content).findings] == ["file/broken"]


@pytest.mark.parametrize("path", ["pnpm-lock.yaml", "Podfile.lock"])
@pytest.mark.parametrize("content", ["", "lockfileVersion: 9\n", "packages: 7\nPODS: 7\n", "importers: []\nPODS: {}\n"])
def test_yaml_of_another_shape_is_a_finding(path, content):
    assert [finding.code for finding in ecosystems.read(path, content).findings] == ["file/broken"]


@pytest.mark.parametrize(("path", "content"), [
    ("package.json", '{"license": "MIT", "dependencies": 7}'), ("vcpkg.json", '{"dependencies": {"fmt": "1"}}'),
    ("bom.json", '{"bomFormat": "CycloneDX", "components": {"name": "x"}}'), ("x.spdx.json", '{"spdxVersion": "SPDX-2.3", "packages": "x"}'),
    ("Cargo.toml", 'dependencies = ["serde"]'), ("pyproject.toml", 'project = "x"'),
    ("poetry.lock", "package = [7]"), ("Cargo.lock", "package = [{name = 7}]"), ("uv.lock", "package = [{}]"),
])  # fmt: skip
def test_manifests_and_documents_of_another_shape_are_findings_and_the_rest_is_read(path, content):
    found = ecosystems.read(path, content)
    assert [(finding.code, finding.place.line) for finding in found.findings] == [("file/broken", 1)]
    assert found.license.expression == ("MIT" if path == "package.json" else None)


@pytest.mark.parametrize(("path", "content"), [
    ("package.json", '{"dependencies": []}'), ("package.json", '{"devDependencies": null}'), ("package.json", "{}"),
    ("bom.json", '{"bomFormat": "CycloneDX"}'), ("Cargo.toml", '[package]\nname = "x"\n'), ("pyproject.toml", "[tool.ruff]\n"),
])  # fmt: skip
def test_missing_and_empty_keys_are_no_findings(path, content):
    assert ecosystems.read(path, content).findings == ()


@pytest.mark.parametrize(("path", "content", "said"), [
    ("package-lock.json", {"packages": {"": {}, "node_modules/a": {"version": "1"}, "node_modules/b": "1", "node_modules/c": 7}},
     "2 of the entries of `packages` are not what is expected there (the first: node_modules/b): passed over"),
    ("Pipfile.lock", {"default": {"a": {"version": "==1"}, "b": "==1"}},
     "1 of the entries of `default` is not what is expected there (the first: b): passed over"),
    ("conan.lock", {"requires": ["a/1", 7]}, "1 of the entries of `requires` is not what is expected there (the first: 2): passed over"),
    ("vcpkg.json", {"dependencies": ["a", None, {"name": "b"}]},
     "1 of the entries of `dependencies` is not what is expected there (the first: 2): passed over"),
    ("x.spdx.json", {"spdxVersion": "SPDX-2.3", "packages": [{"SPDXID": "SPDXRef-a", "name": "a"}, "b"]},
     "1 of the entries of `packages` is not what is expected there (the first: 2): passed over"),
    ("composer.lock", {"packages": [{"name": "x/a", "version": "1"}, {"name": 7}, {}]},
     "2 of the entries of `packages` are not what is expected there (the first: 2 > name): passed over"),
    ("Package.resolved", {"pins": [{"identity": "a", "location": "https://e.com/o/a"}, {"identity": 7}]},
     "1 of the entries of `pins` is not what is expected there (the first: 2 > identity): passed over"),
    ("x.cdx.json", {"bomFormat": "CycloneDX", "components": [{"name": "a", "version": "1"}, {"version": "1"}]},
     "1 of the entries of `components` is not what is expected there (the first: 2 > name): passed over"),
    ("bom.json", {"bomFormat": "CycloneDX", "components": [{"name": "a", "version": "1"}, ["b"]]},
     "1 of the entries of `components` is not what is expected there (the first: 2): passed over"),
])  # fmt: skip
def test_entries_of_another_shape_are_counted_in_one_finding(path, content, said):
    found = ecosystems.read(path, json.dumps(content, indent=1))
    assert {"a", "x/a"} & {dependency.name for dependency in found.dependencies}
    assert [(finding.code, finding.place.line, finding.message) for finding in found.findings] == [
        ("file/broken", 3 if path in {"x.spdx.json", "x.cdx.json", "bom.json"} else 2, said)
    ]


LINES = {
    "Gemfile.lock": (
        "GEM\n  remote: https://rubygems.org/\n  specs:\n   \n    a (1.0)\n      b\n    c (2.",
        "file/broken :7",
    ),
    "mix.lock": ('%{\n  "a": {:hex, :a, "1.0.0", "x"},\n  "b": {:hex, :b},\n}\n', "file/broken :3"),
    "bun.lock": ('{"packages": {\n  "a": ["a@1.0.0", "", {}, ""],\n  "b": [7, "x"],\n}}', "file/broken :3"),
    "explicit.txt": (
        "# x\n@EXPLICIT\n# y\n\nhttps://e.com/c/noarch/a-1-0.conda#00\nb-1-0.conda\n",
        "dependency/unreadable :6",
    ),
    "libs.versions.toml": ('[libraries]\na = "x:a:1"\nb = 7\n', "dependency/unreadable :3"),
    "pyproject.toml": ('[project]\ndependencies = "b"\noptional-dependencies.a = ["a"]\n', "file/broken :2"),
    "Pipfile": ("[packages]\na = '*'\n[dev]\n[x]\ndev-packages = 1\n", ""),
    "sub/pyproject.toml": (
        "[tool.poetry]\ndev-dependencies = ['b']\n[tool.poetry.dependencies]\na = '1'\n",
        "file/broken :2",
    ),
}


@pytest.mark.parametrize("path", LINES)
def test_an_entry_that_is_cut_off_is_a_finding_with_its_line(path):
    content, expected = LINES[path]
    found = ecosystems.read(path, content)
    assert "a" in {dependency.name.rpartition(":")[2] for dependency in found.dependencies}
    assert [f"{finding.code} :{finding.place.line}" for finding in found.findings] == ([expected] if expected else [])


CONFLICTS = {
    "setup.py": "from setuptools import setup\nsetup(install_requires=[\n{}'a==1',\n{}'b==2',\n{}])\n",
    "setup.cfg": "[options]\ninstall_requires =\n{}  a==1\n{}  b==2\n{}",
    "Gemfile": "source 'https://rubygems.org'\n\n{}gem 'a'\n{}gem 'b'\n{}",
    "build.gradle": "dependencies {{\n\n{}implementation 'a.b:c:1'\n{}implementation 'a.b:c:2'\n{}}}\n",
    "CMakeLists.txt": "project(x)\n\n{}find_package(CURL)\n{}find_package(ZLIB)\n{}",
    "meson.build": "project('x', 'c')\n\n{}dependency('a')\n{}dependency('b')\n{}",
    "MODULE.bazel": "module(name = 'x')\n\n{}\n{}\n{}",
    "conanfile.py": "class X(ConanFile):\n\n{}    requires = 'zlib/1.2'\n{}    requires = 'zlib/1.3'\n{}",
    "mix.exs": "defp deps do\n[\n{}{{:a, '1'}}\n{}{{:b, '2'}}\n{}]\nend\n",
    "Package.swift": "let package = Package(\n\n{}\n{}\n{})\n",
    "vendor/modules.txt": "# a.b/c v1.0.0\n## explicit\n{}{}# a.b/d v1.0.0\n{}",
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("path", CONFLICTS)
def test_conflict_marks_are_a_finding(path, end):
    content = CONFLICTS[path].format("<<<<<<< HEAD\n", "=======\n", ">>>>>>> theirs\n").replace("\n", end)
    [found] = ecosystems.read(path, content).findings
    assert (found.code, found.place.path, found.place.line) == ("file/broken", path, 3)


def test_conflict_marks_are_told_once():
    marks = "<<<<<<< HEAD\na==1\n=======\na==2\n>>>>>>> theirs\n"
    found = ecosystems.read("requirements.txt", marks).findings
    assert {finding.code for finding in found} == {"dependency/unreadable"}
    assert ecosystems.read("CMakeLists.txt", "# a heading\n# <<<<<<< HEAD\n# >>>>>>> x\n").findings == ()
    assert ecosystems.read("CMakeLists.txt", "message([[\n<<<<<<<<<< x\n]])\n").findings == ()


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
            f"{key if key == '__metadata' else json.dumps(key)}: {json.dumps(value)}\n" for key, value in data.items()
        )
    return "".join(f"{json.dumps(key)} = {toml(value)}\n" for key, value in data.items())


def is_yaml(path: str) -> bool:
    """In which all scalars are texts."""
    return path.endswith((".yaml", ".yml", "pubspec.lock", "pixi.lock", "Podfile.lock", "yarn.lock"))


def toml(value: object) -> str:
    """A value as TOML writes it in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(entry)}" for key, entry in value.items()) + "}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value)


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The keys that lead to each value below."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inside:
        yield (*path, key)
        yield from places(below, (*path, key))


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
            says_nothing = (
                other is None and isinstance(last, str) and not is_scalar and named not in format_checks.LOCKS
            )
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
    said = [finding for finding in found.findings if is_unreadable(finding)]
    assert all(finding.place.path == path and finding.place.line and len(finding.message) > 20 for finding in said), (
        said
    )
    listed = [*found.dependencies, *(manifest_entry.dependency for manifest_entry in found.meant)]
    names = Counter(dependency.name for dependency in listed)
    return (
        names,
        Counter(f"{dependency.name}@{dependency.version}" for dependency in listed if dependency.version),
        bool(said),
    )


@pytest.mark.parametrize("path", FILES)
def test_every_other_shape_in_each_place_of_a_file_is_a_finding(path):
    names, versions, said = components(path, written(path, FILES[path]))
    assert (bool(names) or path == ".yarnrc.yml", said) == (True, False)
    is_lock = path.rpartition("/")[2] in format_checks.LOCKS
    silent = []
    for what, content in mutations(path, FILES[path]):
        after, still, said = components(path, content)
        if not said and (after.total() < names.total() or (is_lock and still.total() < versions.total())):
            silent.append(what)
    assert silent == []


def test_each_kind_of_file_is_tried():
    tried = {ecosystems.FILE_READERS[row][0] for path in FILES if (row := ecosystems.row(path)) is not None}
    others = {"deno.jsonc", "import_map.json", "pylock.*.toml", "*.conda-lock.yml"} | {
        shape for shape in format_checks.SHAPES if shape.startswith("environment")
    }
    assert set(format_checks.SHAPES) - others <= tried
    assert {pattern for pattern, _, _ in ecosystems.FILE_READERS} >= set(format_checks.SHAPES)
