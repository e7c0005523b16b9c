"""npm's package names and the specifiers in the place of a version."""

import json

import pytest

from audit.ecosystems.npm.package_names import ResolvedPackage, of_lock, package
from tests.audit.ecosystems.brief import merged

CASES = {
    ("a", "^1.0"): ResolvedPackage("a", None, "pkg:npm/a", "^1.0"),
    ("a", "1.2.3"): ResolvedPackage("a", "1.2.3", "pkg:npm/a@1.2.3"),
    ("a", "=1.2.3-rc.1"): ResolvedPackage("a", "1.2.3-rc.1", "pkg:npm/a@1.2.3-rc.1"),
    ("@s/a", "*"): ResolvedPackage("@s/a", None, "pkg:npm/%40s/a", "*"),
    ("a", "npm:b@1.2.3"): ResolvedPackage("b", "1.2.3", "pkg:npm/b@1.2.3"),
    ("a", "npm:@s/b@^1"): ResolvedPackage("@s/b", None, "pkg:npm/%40s/b", "^1"),
    ("a", "npm:^1.0"): ResolvedPackage("a", None, "pkg:npm/a", "^1.0"),
    ("a", "file:../a"): None,
    ("a", "workspace:*"): None,
    ("a", "O/Name#v1"): ResolvedPackage("a", "v1", "pkg:github/o/name@v1"),
    ("a", "git+ssh://git@github.com/o/n.git#00ff"): ResolvedPackage("a", "00ff", "pkg:github/o/n@00ff"),
    ("a", "https://x.org/a-1.0.tgz"): ResolvedPackage("a", None, "pkg:npm/a?repository_url=x.org"),
    ("a", "gitlab:O/n"): ResolvedPackage("a", None, "pkg:gitlab/o/n"),
    ("a", "bitbucket:o/n#v1"): ResolvedPackage("a", "v1", "pkg:bitbucket/o/n@v1"),
    ("a", "github:o/n#semver:^1"): ResolvedPackage("a", None, "pkg:github/o/n"),
    ("a", "git+https://github.com/o/n.git#semver:^1"): ResolvedPackage("a", None, "pkg:github/o/n"),
    ("a", "gist:11081aaa281"): ResolvedPackage("a", None, "pkg:generic/a"),
    ("a", "https://codeload.github.com/o/N/tar.gz/00ff"): ResolvedPackage("a", "00ff", "pkg:github/o/n@00ff"),
    ("a", "https://codeload.github.com/o/n/tar.gz/refs/tags/v1"): ResolvedPackage("a", "v1", "pkg:github/o/n@v1"),
    ("", ""): ResolvedPackage("", None, None, "*"),
}


@pytest.mark.parametrize(("said", "expected"), CASES.items(), ids=repr)
def test_a_name_and_a_specifier_give_a_package(said, expected):
    assert package(*said) == expected


def test_a_lock_entry_from_a_repository_has_its_commit():
    assert of_lock("a", "1.0.0", "git+ssh://git@github.com/o/a.git#00ff").purl == "pkg:github/o/a@00ff"
    assert of_lock("a", "1.0.0", "https://registry.npmjs.org/a/-/a-1.0.0.tgz").purl == "pkg:npm/a@1.0.0"
    assert of_lock("a", "1.0.0", "https://x.org/a.tgz").purl == "pkg:npm/a@1.0.0?repository_url=x.org"


ASKED = json.dumps({"dependencies": {"a": "catalog:", "b": "catalog:three", "c": "catalog:lost", "d": "^1"}})
YAML = "catalog:\n  a: 1.0.0\n  d: 9.0.0\ncatalogs:\n  three:\n    b: npm:@s/real@2.0.0\n"
BUN = {"catalog": {"a": "1.0.0", "d": "9.0.0"}, "catalogs": {"three": {"b": "npm:@s/real@2.0.0"}}}


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("pnpm-workspace.yaml", YAML),
        ("pnpm-workspace.yaml", YAML.replace("catalog:\n", "catalogs:\n  default:\n", 1).replace("  a:", "    a:").replace("  d:", "    d:").replace("catalogs:\n  three", "  three")),
        (".yarnrc.yml", YAML), ("package.json", json.dumps({"workspaces": {"packages": ["x"], **BUN}})), ("package.json", json.dumps(BUN)),
    ],
)  # fmt: skip
def test_a_package_of_a_catalogue_has_the_catalogue_s_version(path, content):
    assert merged({"x/package.json": ASKED, path: content}) == [
        "pkg:npm/%40s/real@2.0.0 runtime-import direct :1",
        "pkg:npm/a@1.0.0 runtime-import direct :1",
        "pkg:npm/c runtime-import direct :1",
        "pkg:npm/d runtime-import direct :1",
    ]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("overrides", {"a": "npm:b@1.0.0"}),
        ("overrides", {"a": {".": "npm:b@1.0.0"}}),
        ("resolutions", {"a": "npm:b@1.0.0"}),
        ("resolutions", {"**/a": "npm:b@1.0.0"}),
        ("resolutions", {"a@npm:^1": "npm:b@1.0.0"}),
        ("pnpm", {"overrides": {"a@^1": "npm:b@1.0.0"}}),
        ("pnpm", {"overrides": {"a": "npm:b@1.0.0"}}),
    ],
)
def test_a_package_in_the_place_of_another_is_the_one_that_is_used(key, value):
    files = {"package.json": json.dumps({"dependencies": {"a": "^1"}, key: value})}
    assert merged(files) == ["pkg:npm/b@1.0.0 runtime-import direct :1"]
    part = {"package.json": json.dumps({key: value}), "parts/x/package.json": '{"dependencies": {"a": "^1"}}'}
    assert merged(part) == ["pkg:npm/b@1.0.0 runtime-import direct :1"]


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("overrides", {"x": {"a": "npm:b@1.0.0"}}, ["a", "b unknown"]),
        ("overrides", {"z": "github:o/b#v1"}, ["a", "o/b unknown"]),
        ("resolutions", {"x/@s/a": "npm:@s/b@1.0.0"}, ["%40s/b unknown", "a"]),
        ("pnpm", {"overrides": {"x>a": "npm:b@1.0.0"}}, ["a", "b unknown"]),
        ("pnpm", {"overrides": {"a@2": "npm:b@1.0.0"}}, ["a", "b unknown"]),
        ("overrides", {"a": "1.2.3"}, ["a@1.2.3"]),
        ("overrides", {"z": "1.2.3", "y": "$a", "w": "-", "v": "catalog:", "u": "file:./u", "t": "workspace:*"}, ["a"]),
        ("resolutions", {"a": "patch:a@npm%3A1.0.0#./a.patch"}, ["a"]),
        ("overrides", ["a"], ["a"]),
    ],
)  # fmt: skip
def test_what_other_packages_need_may_be_replaced_by_what_no_manifest_asks_for(key, value, expected):
    files = {"package.json": json.dumps({"dependencies": {"a": "^1"}, key: value})}
    found = [
        line.replace("pkg:npm/", "").replace("pkg:github/", "").replace("@1.0.0", "").replace("@v1", "")
        for line in merged(files)
    ]
    assert [line.partition(" runtime")[0].partition(" indirect")[0] for line in found] == expected
    lock = json.dumps({"packages": {"": {"dependencies": {"a": "^1"}}, "node_modules/a": {"version": "1.2.3"}}})
    assert merged(files | {"package-lock.json": lock}) == ["pkg:npm/a@1.2.3 runtime-import direct :1"]


def test_overrides_of_a_pnpm_workspace_replace_packages_of_its_parts():
    files = {"pnpm-workspace.yaml": "overrides:\n  a: npm:b@1.0.0\n", "x/package.json": '{"dependencies": {"a": "^1"}}'}
    assert merged(files) == ["pkg:npm/b@1.0.0 runtime-import direct :1"]


def test_overrides_do_not_reach_beyond_their_folder():
    files = {
        "package.json": '{"dependencies": {"a": "^1"}}',
        "vendor/package.json": '{"overrides": {"a": "npm:b@1.0.0"}}',
    }
    assert merged(files) == ["pkg:npm/a runtime-import direct :1", "pkg:npm/b@1.0.0 unknown indirect :1"]
