"""A lock file that locks nothing is fine; one that looks like none is a finding, never a clean answer."""

import json

import pytest

from audit import ecosystems

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
def test_nothing_is_locked(path, content):
    """As each tool writes it for a project that uses nothing."""
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
def test_no_lock_file_in_json(path, data):
    """Another shape, perhaps that of a version to come: a finding at the file's first line."""
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
def test_no_lock_file_in_toml(path, content):
    """The same."""
    assert [one.code for one in ecosystems.read(path, content).findings] == ["file/broken"]


@pytest.mark.parametrize("path", ["pnpm-lock.yaml", "Podfile.lock"])
@pytest.mark.parametrize("content", ["", "lockfileVersion: 9\n", "packages: 7\nPODS: 7\n", "importers: []\nPODS: {}\n"])
def test_no_lock_file_in_yaml(path, content):
    """The same."""
    assert [one.code for one in ecosystems.read(path, content).findings] == ["file/broken"]


@pytest.mark.parametrize(("path", "content"), [
    ("package.json", '{"license": "MIT", "dependencies": 7}'), ("vcpkg.json", '{"dependencies": {"fmt": "1"}}'),
    ("bom.json", '{"bomFormat": "CycloneDX", "components": {"name": "x"}}'), ("x.spdx.json", '{"spdxVersion": "SPDX-2.3", "packages": "x"}'),
    ("Cargo.toml", 'dependencies = ["serde"]'), ("pyproject.toml", 'project = "x"'),
    ("poetry.lock", "package = [7]"), ("Cargo.lock", "package = [{name = 7}]"), ("uv.lock", "package = [{}]"),
])  # fmt: skip
def test_another_shape(path, content):
    """Manifests and documents, too, and lists of what has no name: a finding; what the file says besides stays."""
    found = ecosystems.read(path, content)
    assert [(one.code, one.place.line) for one in found.findings] == [("file/broken", 1)]
    assert found.license.expression == ("MIT" if path == "package.json" else None)


@pytest.mark.parametrize(("path", "content"), [
    ("package.json", '{"dependencies": []}'), ("package.json", '{"devDependencies": null}'), ("package.json", "{}"),
    ("bom.json", '{"bomFormat": "CycloneDX"}'), ("Cargo.toml", '[package]\nname = "x"\n'), ("pyproject.toml", "[tool.ruff]\n"),
])  # fmt: skip
def test_nothing_is_named(path, content):
    """Keys may be missing, or hold nothing."""
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
def test_some_entries_are_something_else(path, content, said):
    """The others are read; how many were not, which is the first, and the line of their list are told."""
    found = ecosystems.read(path, json.dumps(content, indent=1))
    assert {"a", "x/a"} & {one.name for one in found.dependencies}
    assert [(one.code, one.place.line, one.message) for one in found.findings] == [
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
def test_an_entry_that_is_none(path):
    """What is cut off or of another kind is told, with its line; the others are read."""
    content, expected = LINES[path]
    found = ecosystems.read(path, content)
    assert "a" in {one.name.rpartition(":")[2] for one in found.dependencies}
    assert [f"{one.code} :{one.place.line}" for one in found.findings] == ([expected] if expected else [])


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
def test_marks_of_a_conflict(path, end):
    """A merge that was left half-done, in a file whose reader passes over what it does not know: never a clean answer."""
    content = CONFLICTS[path].format("<<<<<<< HEAD\n", "=======\n", ">>>>>>> theirs\n").replace("\n", end)
    [found] = ecosystems.read(path, content).findings
    assert (found.code, found.place.path, found.place.line) == ("file/broken", path, 3)


def test_marks_of_a_conflict_are_told_once():
    """A reader that came upon them itself has said so, and what only looks like one is none."""
    marks = "<<<<<<< HEAD\na==1\n=======\na==2\n>>>>>>> theirs\n"
    found = ecosystems.read("requirements.txt", marks).findings
    assert {one.code for one in found} == {"dependency/unreadable"}
    assert ecosystems.read("CMakeLists.txt", "# a heading\n# <<<<<<< HEAD\n# >>>>>>> x\n").findings == ()
    assert ecosystems.read("CMakeLists.txt", "message([[\n<<<<<<<<<< x\n]])\n").findings == ()
