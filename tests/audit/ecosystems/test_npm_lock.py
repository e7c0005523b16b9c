"""package-lock.json as npm wrote it in three versions, workspaces, aliases, nested ones."""

from pathlib import Path

import pytest

from tests.audit.ecosystems.brief import merged, told

CASES = Path("tests/cases/ecosystems/npm")


@pytest.mark.parametrize(("version", "line", "spdx"), [(1, 7, ""), (2, 21, " MIT"), (3, 21, " MIT")])
def test_what_npm_wrote(version, line, spdx):
    """The same project in each version: what only a development tool needs is for development."""
    lock = (CASES / f"package-lock-v{version}.json").read_text(encoding="utf-8")
    said = merged({"package.json": (CASES / "package.json").read_text(encoding="utf-8"), "package-lock.json": lock})

    assert len(said) == 17
    assert said[0] == f"pkg:npm/accepts@1.3.8 runtime-import direct :6{spdx}"
    assert [one.split()[0] for one in said if "dev-tool" not in one] == [
        "pkg:npm/accepts@1.3.8",
        "pkg:npm/fsevents@2.3.3",
        "pkg:npm/mime-db@1.52.0",
        "pkg:npm/mime-types@2.1.35",
        "pkg:npm/negotiator@0.6.3",
    ]
    assert [one for one in said if " direct" in one and "fsevents" in one] == [
        "pkg:npm/fsevents@2.3.3 runtime-import direct optional :7" + spdx
    ]
    assert f":{line}" in told("package-lock.json", lock)[0]


def test_workspaces_and_nested_folders():
    """Links and workspaces are the repository's own; of two versions the outer one is direct."""
    lock = """{"packages": {
      "": {"name": "root", "workspaces": ["pkgs/*"]},
      "pkgs/one": {"name": "@s/one", "dependencies": {"a": "1"}},
      "node_modules/@s/one": {"resolved": "pkgs/one", "link": true},
      "node_modules/a": {"version": "1.0.0", "license": {"type": "MIT"}},
      "node_modules/b/node_modules/a": {"version": "0.9.0", "devOptional": true},
      "node_modules/alias": {"name": "real", "version": "2.0.0", "peer": true}
    }}"""
    assert told("package-lock.json", lock) == [
        "pkg:npm/a@1.0.0 runtime-import direct :5 MIT",
        "pkg:npm/a@0.9.0 runtime-import indirect optional :6",
        "pkg:npm/real@2.0.0 runtime-import indirect :7",
    ]


def test_nested_in_version_1():
    """Dependencies within dependencies; folders are left out."""
    lock = """{"dependencies": {
      "a": {"version": "1.0.0", "dependencies": {
        "b": {"version": "npm:c@2.0.0", "dev": true}}},
      "own": {"version": "file:own"}
    }}"""
    assert told("npm-shrinkwrap.json", lock) == [
        "pkg:npm/a@1.0.0 runtime-import :2",
        "pkg:npm/c@2.0.0 dev-tool indirect :3",
    ]


def test_deep_ones():
    """No depth does harm."""
    deep = '{"dependencies":{"a":{"version":"1.0.0",' * 300 + '"x":1' + "}}" * 300 + "}"
    assert len(told("package-lock.json", deep.replace('{"dependencies":{"a":{', '{"dependencies":{"a":{', 1))) in {
        1,
        201,
    }


def test_strange_shapes():
    """Anything may stand anywhere."""
    lock = '{"packages": {"node_modules/a": {"version": 1, "license": [], "dev": "yes", "name": {}}, "node_modules/": {}}, "x": 1}'
    assert told("package-lock.json", lock) == [
        "pkg:npm/a runtime-import indirect :1",
        " runtime-import indirect :1".strip(),
    ]
