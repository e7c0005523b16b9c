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
