"""A lock file that locks nothing is fine; one that looks like none is a finding, never a clean answer."""

import json

import pytest

from audit import ecosystems

EMPTY = {
    "package-lock.json": '{"name": "x", "lockfileVersion": 3, "packages": {"": {"name": "x"}}}',
    "npm-shrinkwrap.json": '{"name": "x", "lockfileVersion": 1, "dependencies": {}}',
    "pnpm-lock.yaml": "lockfileVersion: '9.0'\nimporters:\n  .: {}\n",
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


@pytest.mark.parametrize(("path", "content"), EMPTY.items())
def test_nothing_is_locked(path, content):
    """As each tool writes it for a project that uses nothing."""
    assert ecosystems.read(path, content).findings == ()


@pytest.mark.parametrize(
    "path", [path for path in EMPTY if path.endswith(".json") or path in {"Pipfile.lock", "conan.lock"}]
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


@pytest.mark.parametrize("content", ["", "lockfileVersion: 9\n", "packages: 7\n", "importers: []\n"])
def test_no_lock_file_in_yaml(content):
    """The same."""
    assert [one.code for one in ecosystems.read("pnpm-lock.yaml", content).findings] == ["file/broken"]


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
