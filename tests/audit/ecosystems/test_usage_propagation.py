"""Usage spreads along a lock file's graph: the most binding decides, and circles end."""

import pytest

from audit import ecosystems
from audit.ecosystems.parsed_file import Graph, GraphRoot, ParsedFile
from audit.ecosystems.usage_propagation import match_manifests
from audit.facts import Dependency, Usage
from tests.audit.ecosystems.brief import merged, together


def graph(needs, roots):
    """A lock file of packages named a, b, c …, with their needs by name."""
    names = "abcdef"[: len(needs)]
    found = tuple(Dependency(name=name, version="1", purl=f"pkg:npm/{name}@1") for name in names)
    starts = tuple(GraphRoot(key, usage, "x", optional) for key, usage, optional in roots)
    return ParsedFile(
        dependencies=found, graph=Graph(tuple((name,) for name in names), tuple(map(tuple, needs)), starts)
    )


def test_the_most_binding_need_decides_the_usage_and_circles_end():
    lock = graph(
        ["b", "c", "b", "bf", "", ""],
        [("d", Usage.DEV_TOOL, False), ("a", Usage.RUNTIME_IMPORT, False), ("e", Usage.BUILD_TOOL, True)],
    )
    married = match_manifests(lock, [])

    assert [entry.usage.value for entry in married.entries] == [
        "runtime-import", "runtime-import", "runtime-import", "dev-tool", "build-tool", "dev-tool",
    ]  # fmt: skip
    assert [entry.optional for entry in married.entries] == [False, False, False, False, True, False]


def test_a_package_is_optional_if_all_its_needs_are():
    lock = graph(["c", "c", "d", ""], [("a", Usage.RUNTIME_IMPORT, True), ("b", Usage.RUNTIME_IMPORT, False)])
    assert [entry.optional for entry in match_manifests(lock, []).entries] == [True, False, False, False]


def test_the_usage_of_an_unneeded_package_is_guessed_and_said_to_be():
    married = match_manifests(graph([""], []), [])

    assert married.guessed == {0}
    assert married.entries[0].usage is Usage.RUNTIME_IMPORT
    assert "counted as needed at run time" in married.entries[0].why


def test_packages_of_a_manifest_that_the_lock_lacks_are_returned():
    manifest = ecosystems.read("package.json", '{"dependencies": {"a": "1", "z": "1"}}')
    assert match_manifests(graph([""], []), [manifest]).missing == {1}


NPM = '{"dependencies": {"a": "1"}, "devDependencies": {"d": "1"}}'
FLAT = """{"packages": {
    "": {"dependencies": {"a": "1"}, "devDependencies": {"d": "1"}},
    "node_modules/a": {"version": "1.0.0", "dev": true, "dependencies": {"b": "1"}},
    "node_modules/b": {"version": "1.0.0", "dev": true},
    "node_modules/d": {"version": "1.0.0", "dev": true}
}}"""
NESTED = """{"dependencies": {
    "a": {"version": "1.0.0", "dev": true, "requires": {"b": "1"}},
    "b": {"version": "1.0.0", "dev": true},
    "d": {"version": "1.0.0", "dev": true}
}}"""
COMPOSER = """{"packages": [], "packages-dev": [
    {"name": "o/a", "version": "1.0.0", "require": {"o/b": "^1"}}, {"name": "o/b", "version": "1.0.0"}, {"name": "o/d", "version": "1.0.0"}
]}"""
POETRY = """[[package]]
name = "a"
version = "1.0.0"
category = "dev"
[package.dependencies]
b = "*"
[[package]]
name = "b"
version = "1.0.0"
category = "dev"
[[package]]
name = "d"
version = "1.0.0"
category = "dev"
"""


@pytest.mark.parametrize(
    "files",
    [
        {"package.json": NPM, "package-lock.json": FLAT},
        {"package.json": NPM, "package-lock.json": NESTED},
        {"composer.json": '{"require": {"o/a": "^1"}, "require-dev": {"o/d": "^1"}}', "composer.lock": COMPOSER},
        {"pyproject.toml": '[project]\nname = "x"\ndependencies = ["a"]\n[dependency-groups]\ndev = ["d"]\n', "poetry.lock": POETRY},
    ],
    ids=["npm 3", "npm 1", "composer", "poetry"],
)  # fmt: skip
def test_packages_that_the_manifest_ships_are_shipped_with_their_needs(files):
    found = {dependency.name.rpartition("/")[2]: dependency for dependency in together(files)}

    assert {name: dependency.usage.value for name, dependency in found.items()} == {
        "a": "runtime-import", "b": "runtime-import", "d": "dev-tool",
    }  # fmt: skip
    assert ", but needed by " in found["b"].why


def test_a_pipfile_s_runtime_packages_count_above_the_lock_s_development():
    lock = '{"default": {}, "develop": {"a": {"version": "==1"}, "b": {"version": "==1"}}}'
    assert merged({"Pipfile": '[packages]\na = "*"\n', "Pipfile.lock": lock}) == [
        "pkg:pypi/a@1 runtime-import direct :2", "pkg:pypi/b@1 dev-tool indirect :1",
    ]  # fmt: skip


def test_a_peer_also_used_for_development_has_the_lock_file_s_usage():
    manifest = '{"peerDependencies": {"a": "1"}, "devDependencies": {"a": "1", "d": "1"}}'
    found = together({"package.json": manifest, "package-lock.json": FLAT})
    assert {dependency.name: dependency.usage for dependency in found} == dict.fromkeys("abd", Usage.DEV_TOOL)


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (
            {"package.json": '{"dependencies": {"a": "2.0.0"}}', "package-lock.json": '{"packages": {"node_modules/a": {"version": "1.0.0"}}}'},
            ["pkg:npm/a@1.0.0", "pkg:npm/a@2.0.0"],
        ),
        (
            {"package.json": '{"dependencies": {"a": "^2.0.0"}}', "package-lock.json": '{"packages": {"node_modules/a": {"version": "1.0.0"}}}'},
            ["pkg:npm/a@1.0.0"],
        ),
        (
            {"pyproject.toml": '[project]\ndependencies = ["a==2.0"]\n', "poetry.lock": '[[package]]\nname = "a"\nversion = "2.0.0"\n'},
            ["pkg:pypi/a@2.0.0"],
        ),
        (
            {"Gemfile": 'gem "a", "2.0"\n', "Gemfile.lock": "GEM\n  remote: https://rubygems.org/\n  specs:\n    a (1.0)\n"},
            ["pkg:gem/a@1.0", "pkg:gem/a@2.0"],
        ),
        (
            {"build.gradle": "implementation 'o:a:1.0'\n", "gradle.lockfile": "o:a:2.0=runtimeClasspath\n"},
            ["pkg:maven/o/a@2.0"],
        ),
    ],
)  # fmt: skip
def test_a_version_pinned_by_a_manifest_counts_beside_an_outdated_lock(files, found):
    assert sorted(dependency.purl for dependency in together(files)) == found
