"""composer.json and composer.lock: what runs and what develops, licences to choose from, whence a package was taken."""

import json

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines, merged, origins

MANIFEST = {
    "name": "acme/shop",
    "license": ["MIT", "GPL-2.0-or-later"],
    "require": {"php": ">=8.1", "ext-json": "*", "monolog/monolog": "^3.6", "acme/auth": "1.2.0"},
    "require-dev": {"phpunit/phpunit": "11.1.3"},
}
PACKAGIST = {"notification-url": "https://packagist.org/downloads/"}
LOCK = {
    "content-hash": "0f",
    "packages": [
        {"name": "acme/auth", "version": "1.2.0", "source": {"type": "git", "url": "https://user:pw@git.corp.example/auth.git", "reference": "0a1b"}, "license": ["proprietary"]},
        {"name": "acme/own", "version": "dev-main", "dist": {"type": "path", "url": "../own", "reference": "x"}},
        {"name": "monolog/monolog", "version": "3.6.0", "license": ["MIT"], "require": {"php": ">=8.1", "psr/log": "^2.0"},
         "source": {"type": "git", "url": "https://github.com/Seldaek/monolog.git", "reference": "4b18"},
         "dist": {"type": "zip", "url": "https://api.github.com/repos/Seldaek/monolog/zipball/4b18", "reference": "4b18", "shasum": "a" * 40}, **PACKAGIST},
        {"name": "psr/log", "version": "3.0.0", "license": ["MIT", "Apache-2.0 AND BSD-3-Clause"], **PACKAGIST},
    ],
    "packages-dev": [{"name": "phpunit/phpunit", "version": "11.1.3", "license": ["BSD-3-Clause"], "dist": {"shasum": ""}, **PACKAGIST}],
}  # fmt: skip


def test_manifest():
    """Both sections, exact versions, no platform; the own licence is one to choose from."""
    found = ecosystems.read("composer.json", json.dumps(MANIFEST, indent=1))
    assert dependency_lines("composer.json", json.dumps(MANIFEST, indent=1)) == [
        "pkg:composer/monolog/monolog runtime-import direct :10",
        "pkg:composer/acme/auth@1.2.0 runtime-import direct :11",
        "pkg:composer/phpunit/phpunit@11.1.3 dev-tool direct :14",
    ]
    assert (found.own, found.license.expression) == (frozenset({"acme/shop"}), "MIT OR GPL-2.0-or-later")


def test_together():
    """The lock file says how each is used and under which licence, the manifest what is direct."""
    files = {"composer.json": json.dumps(MANIFEST), "composer.lock": json.dumps(LOCK, indent=1)}
    assert [one.replace(" :1 ", " ") for one in merged(files)] == [
        "pkg:composer/acme/auth@1.2.0?repository_url=git.corp.example runtime-import direct proprietary",
        "pkg:composer/monolog/monolog@3.6.0 runtime-import direct MIT",
        "pkg:composer/phpunit/phpunit@11.1.3 dev-tool direct BSD-3-Clause",
        "pkg:composer/psr/log@3.0.0 runtime-import indirect :48 MIT OR (Apache-2.0 AND BSD-3-Clause)",
    ]


def test_archives():
    """An archive with its checksum; else the repository's commit, without a password."""
    assert origins({"composer.lock": json.dumps(LOCK)}) == [
        "pkg:composer/acme/auth@1.2.0?repository_url=git.corp.example from git+https://git.corp.example/auth.git@0a1b",
        "pkg:composer/monolog/monolog@3.6.0 from https://api.github.com/repos/Seldaek/monolog/zipball/4b18 SHA1:aaaaaaaa brings pkg:composer/psr/log@3.0.0",
        "pkg:composer/phpunit/phpunit@11.1.3",
        "pkg:composer/psr/log@3.0.0",
    ]


@pytest.mark.parametrize(
    ("stated", "licence"),
    [("MIT", "MIT"), (["MIT", 7], None), ([], None), ("", None), (None, None), ({"a": 1}, None), (["GPL-2.0+"], "GPL-2.0+")],
)  # fmt: skip
def test_licences(stated, licence):
    """A list is a choice only where all of it can be read."""
    lock = {"packages": [{"name": "a/b", "version": "1", "license": stated}], "packages-dev": []}
    [one] = ecosystems.read("composer.lock", json.dumps(lock)).dependencies
    assert one.license.expression == licence


def test_nothing_is_locked():
    """As Composer writes it for a project that uses nothing."""
    assert dependency_lines("composer.lock", '{"content-hash": "0f", "packages": [], "packages-dev": []}') == []
