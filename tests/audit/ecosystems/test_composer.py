"""composer.json and composer.lock: usage, licences to choose from, and origins."""

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


def test_both_sections_of_a_manifest_are_read_without_platform_packages():
    found = ecosystems.read("composer.json", json.dumps(MANIFEST, indent=1))
    assert dependency_lines("composer.json", json.dumps(MANIFEST, indent=1)) == [
        "pkg:composer/monolog/monolog runtime-import direct :10",
        "pkg:composer/acme/auth@1.2.0 runtime-import direct :11",
        "pkg:composer/phpunit/phpunit@11.1.3 dev-tool direct :14",
    ]
    assert (found.own, found.license.expression) == (frozenset({"acme/shop"}), "MIT OR GPL-2.0-or-later")


def test_the_lock_file_gives_usage_and_licence_and_the_manifest_the_direct_packages():
    files = {"composer.json": json.dumps(MANIFEST), "composer.lock": json.dumps(LOCK, indent=1)}
    assert [line.replace(" :1 ", " ") for line in merged(files)] == [
        "pkg:composer/acme/auth@1.2.0?repository_url=git.corp.example runtime-import direct proprietary",
        "pkg:composer/monolog/monolog@3.6.0 runtime-import direct MIT",
        "pkg:composer/phpunit/phpunit@11.1.3 dev-tool direct BSD-3-Clause",
        "pkg:composer/psr/log@3.0.0 runtime-import indirect :48 MIT OR (Apache-2.0 AND BSD-3-Clause)",
    ]


def test_an_archive_has_its_checksum_or_else_the_commit_without_a_password():
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
def test_a_list_of_licences_is_a_choice_only_if_all_can_be_read(stated, licence):
    lock = {"packages": [{"name": "a/b", "version": "1", "license": stated}], "packages-dev": []}
    [dependency] = ecosystems.read("composer.lock", json.dumps(lock)).dependencies
    assert dependency.license.expression == licence


def test_a_lock_without_packages_is_no_finding():
    assert dependency_lines("composer.lock", '{"content-hash": "0f", "packages": [], "packages-dev": []}') == []
