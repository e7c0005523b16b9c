"""package-lock.json as npm wrote it in three versions, workspaces, aliases, nested ones."""

import base64
from pathlib import Path

import pytest

from tests.audit.ecosystems.brief import dependency_lines, merged, origins

CASES = Path("tests/cases/ecosystems/npm")


@pytest.mark.parametrize(("version", "line", "spdx"), [(1, 7, ""), (2, 21, " MIT"), (3, 21, " MIT")])
def test_locks_of_npm_s_three_versions_give_the_same_dependencies(version, line, spdx):
    lock = (CASES / f"package-lock-v{version}.json").read_text(encoding="utf-8")
    said = merged({"package.json": (CASES / "package.json").read_text(encoding="utf-8"), "package-lock.json": lock})

    assert len(said) == 17
    assert said[0] == f"pkg:npm/accepts@1.3.8 runtime-import direct :6{spdx}"
    assert [line.split()[0] for line in said if "dev-tool" not in line] == [
        "pkg:npm/accepts@1.3.8",
        "pkg:npm/fsevents@2.3.3",
        "pkg:npm/mime-db@1.52.0",
        "pkg:npm/mime-types@2.1.35",
        "pkg:npm/negotiator@0.6.3",
    ]
    assert [line for line in said if " direct" in line and "fsevents" in line] == [
        "pkg:npm/fsevents@2.3.3 runtime-import direct optional :7" + spdx
    ]
    assert f":{line}" in dependency_lines("package-lock.json", lock)[0]


def test_links_and_workspaces_are_own_packages_and_the_outer_version_is_direct():
    lock = """{"packages": {
      "": {"name": "root", "workspaces": ["pkgs/*"]},
      "pkgs/one": {"name": "@s/one", "dependencies": {"a": "1"}},
      "node_modules/@s/one": {"resolved": "pkgs/one", "link": true},
      "node_modules/a": {"version": "1.0.0", "license": {"type": "MIT"}},
      "node_modules/b/node_modules/a": {"version": "0.9.0", "devOptional": true},
      "node_modules/alias": {"name": "real", "version": "2.0.0", "peer": true}
    }}"""
    assert dependency_lines("package-lock.json", lock) == [
        "pkg:npm/a@1.0.0 runtime-import direct :5 MIT",
        "pkg:npm/a@0.9.0 runtime-import indirect optional :6",
        "pkg:npm/real@2.0.0 runtime-import indirect :7",
    ]


def test_nested_dependencies_of_version_1_are_read_without_folders():
    lock = """{"dependencies": {
      "a": {"version": "1.0.0", "dependencies": {
        "b": {"version": "npm:c@2.0.0", "dev": true}}},
      "own": {"version": "file:own"}
    }}"""
    assert dependency_lines("npm-shrinkwrap.json", lock) == [
        "pkg:npm/a@1.0.0 runtime-import :2",
        "pkg:npm/c@2.0.0 dev-tool indirect :3",
    ]


def test_addresses_in_version_1_are_read_as_repositories_and_archives_once():
    lock = """{"dependencies": {
      "a": {"version": "github:o/a#00ff", "from": "github:o/a#v1"},
      "b": {"version": "git+ssh://git@github.com/o/b.git#00ff", "from": "git+ssh://git@github.com/o/b.git"},
      "c": {"version": "https://e.com/c.tgz", "integrity": ""},
      "d": {"version": "file:d-1.0.0.tgz"},
      "e": {"version": "1.0.0", "resolved": "https://npm.example.com/e.tgz"},
      "f": {"version": "npm:@s/g@1.0.0", "resolved": "https://npm.example.com/@s/g/-/g-1.0.0.tgz"},
      "h": {"version": "1.0"}
    }}"""
    asked = """{"dependencies": {"a": "o/a#v1", "b": "git+ssh://git@github.com/o/b.git", "c": "https://e.com/c.tgz",
      "d": "file:d-1.0.0.tgz", "e": "^1", "f": "npm:@s/g@^1", "h": "1.0"}}"""
    assert merged({"package.json": asked, "package-lock.json": lock}) == [
        "pkg:npm/%40s/g@1.0.0?repository_url=npm.example.com runtime-import direct :2",
        "pkg:github/o/a@00ff runtime-import direct :1",
        "pkg:github/o/b@00ff runtime-import direct :1",
        "pkg:npm/c?repository_url=e.com runtime-import direct :1",
        "pkg:npm/d?repository_url=no-registry runtime-import direct :2",
        "pkg:npm/e@1.0.0?repository_url=npm.example.com runtime-import direct :2",
        "pkg:npm/h@1.0 runtime-import direct :2",
    ]


@pytest.mark.parametrize(("levels", "lines"), [(210, 210), (50_000, 1)])
def test_deeply_nested_locks_are_read_to_the_end_or_refused(levels, lines):
    lock = "{" + '"dependencies":{"a":{"version":"1.0.0",' * levels + '"x":1' + "}}" * levels + "}"
    said = dependency_lines("package-lock.json", lock)

    assert len(said) == lines
    assert said[-1] == ("pkg:npm/a@1.0.0 runtime-import indirect :1" if lines > 1 else "! file/refused")


def test_strange_shapes_are_read_without_failing():
    lock = '{"packages": {"node_modules/a": {"version": 1, "license": [], "dev": "yes", "name": {}}, "node_modules/": {}}, "x": 1}'
    assert dependency_lines("package-lock.json", lock) == [
        "pkg:npm/a runtime-import indirect :1",
        " runtime-import indirect :1".strip(),
        "! file/broken :1",
    ]


SUM = "sha512-" + base64.b64encode(b"\x2c" * 64).decode()
ENTRY = f'"resolved": "https://user:word@npm.example.com/a.tgz?x=1", "integrity": "{SUM}"'


def test_a_package_finds_its_needs_in_the_nearest_folder_upwards():
    """Node.js looks for modules in this order."""
    lock = f"""{{"packages": {{
      "": {{"dependencies": {{"a": "1"}}}},
      "ws/one": {{"name": "one", "dependencies": {{"b": "1"}}}},
      "node_modules/a": {{"version": "1.0.0", {ENTRY}, "dependencies": {{"b": "^1", "none": "1"}}}},
      "node_modules/a/node_modules/b": {{"version": "1.0.0", "optionalDependencies": {{"c": "1"}}}},
      "node_modules/b": {{"version": "2.0.0", "resolved": "git+ssh://git@github.com/o/b.git#00ff"}},
      "node_modules/c": {{"version": "3.0.0", "peerDependencies": {{"b": "2"}}}},
      "ws/one/node_modules/b": {{"version": "4.0.0", "dependencies": {{"b": "1", "d": "1"}}}},
      "ws/one/node_modules/d": {{"version": "5.0.0", "dependencies": {{"c": "1", "b": "4"}}}}
    }}}}"""
    a, b = "pkg:npm/a@1.0.0?repository_url=npm.example.com", "pkg:npm/b"
    assert origins({"package-lock.json": lock}) == [
        f"{a} from https://npm.example.com/a.tgz SHA512:2c2c2c2c brings {b}@1.0.0",
        f"{b}@1.0.0 brings pkg:npm/c@3.0.0",
        "pkg:github/o/b@00ff from git+ssh://github.com/o/b.git@00ff",
        f"{b}@4.0.0 brings {b}@4.0.0 pkg:npm/d@5.0.0",
        "pkg:npm/c@3.0.0 brings pkg:github/o/b@00ff",
        f"pkg:npm/d@5.0.0 brings {b}@4.0.0 pkg:npm/c@3.0.0",
    ]


def test_the_needs_of_version_1_are_looked_for_from_the_inside_to_the_outside():
    lock = """{"dependencies": {
      "a": {"version": "1.0.0", "requires": {"b": "^1", "c": "1"}, "dependencies": {"b": {"version": "1.0.0"}}},
      "b": {"version": "2.0.0", "resolved": "file:x.tgz"},
      "c": {"version": "3.0.0", "requires": {"b": "2"}}
    }}"""
    assert origins({"package-lock.json": lock}) == [
        "pkg:npm/a@1.0.0 brings pkg:npm/b@1.0.0 pkg:npm/c@3.0.0",
        "pkg:npm/b@1.0.0",
        "pkg:npm/b@2.0.0?repository_url=no-registry",
        "pkg:npm/c@3.0.0 brings pkg:npm/b@2.0.0?repository_url=no-registry",
    ]
