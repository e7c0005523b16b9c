"""Registries in npm's settings: packages from there are not asked about in public."""

import pytest

from audit.ecosystems import read
from audit.ecosystems.dependency_merge import DependencyFile, merge

PACKAGE = '{"name": "own", "dependencies": {"a": "^1", "@corp/b": "^1", "@all/c": "^1"}}'
LOCK = """{"lockfileVersion": 3, "packages": {"": {"dependencies": {"a": "^1", "@corp/b": "^1"}},
 "node_modules/a": {"version": "1.0.0", "resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz"},
 "node_modules/@corp/b": {"version": "1.0.0"}}}"""
CORP = "https://npm.corp.example/"


def merged(**files):
    """The package URLs of all that these files ask for, by name."""
    paths = {
        "package": "web/package.json",
        "lock": "web/package-lock.json",
        "npmrc": ".npmrc",
        "near": "web/.npmrc",
        "yarn": "web/.yarnrc.yml",
    }
    found, _ = merge(DependencyFile(paths[name], "npm", read(paths[name], content)) for name, content in files.items())
    return {dependency.name: dependency.purl.partition("?repository_url=")[2] for dependency in found}


@pytest.mark.parametrize(
    ("files", "elsewhere"),
    [
        ({}, {}),
        ({"npmrc": f"@corp:registry={CORP}\n//npm.corp.example/:_authToken=secret"}, {"@corp/b": "npm.corp.example"}),
        ({"npmrc": f"# x\r\n @Corp:registry = {CORP}\r\n"}, {"@corp/b": "npm.corp.example"}),
        ({"npmrc": "registry=https://registry.npmjs.org/"}, {}),
        ({"npmrc": "registry=https://registry.npmmirror.com"}, {}),
        ({"npmrc": f"registry={CORP}"}, dict.fromkeys(("a", "@corp/b", "@all/c"), "npm.corp.example")),
        ({"npmrc": f"registry={CORP}\n@all:registry=https://registry.npmjs.org/"}, dict.fromkeys(("a", "@corp/b"), "npm.corp.example")),
        ({"npmrc": "@corp:registry=https://${HOST}/"}, {"@corp/b": "named-by-the-environment.invalid"}),
        ({"npmrc": f"registry={CORP}", "near": "@corp:registry=https://other.example"}, {"@corp/b": "other.example"}),
        ({"yarn": f"npmScopes:\n  corp:\n    npmRegistryServer: '{CORP}'\n"}, {"@corp/b": "npm.corp.example"}),
        ({"yarn": f"npmRegistryServer: {CORP}\nnpmScopes: 7\n"}, dict.fromkeys(("a", "@corp/b", "@all/c"), "npm.corp.example")),
        ({"npmrc": "always-auth=true\n@:registry=x\nregistry"}, {}),
    ],
)  # fmt: skip
def test_the_nearest_settings_say_which_registry_a_package_comes_from(files, elsewhere):
    found = merged(package=PACKAGE, **files)

    assert {name: host for name, host in found.items() if host} == elsewhere
    assert "secret" not in repr(read(".npmrc", files.get("npmrc", "")))


def test_a_lock_file_s_registry_counts_unless_its_scope_has_one():
    found = merged(package=PACKAGE, lock=LOCK, npmrc=f"registry={CORP}\n@corp:registry=https://other.example")

    assert (found["a"], found["@corp/b"]) == ("", "other.example")


@pytest.mark.parametrize(
    "content", ["registry=" * 50_000, "@" * 500_000, "@a:registry=x\n" * 50_000, " " * 500_000 + "x"]
)
def test_hostile_settings_name_no_registry(content):
    assert read(".npmrc", content).registries == ()
