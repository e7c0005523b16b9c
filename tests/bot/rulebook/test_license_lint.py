"""Doubts about the licence part are named only where they are certain."""

from datetime import UTC, datetime

import pytest

from bot.rulebook import effective
from bot.rulebook.license_lint import doubts

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
WAIVER = {"purl": "pkg:pypi/x", "reason": "old", "by": "Ada"}


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({}, []), (None, []), ({"waivers": [{**WAIVER, "until": "2026-11-22"}]}, []), ({"waivers": [{**WAIVER, "until": "2026-11-21"}]}, ["waivers.0.until"]),
        ({"repositories": {"ops": "MIT", "docs-*": "CC-BY-4.0"}}, []), ({"repositories": {"*": "MIT", "ops": "MIT"}}, ["repositories.ops"]),
        ({"repositories": {"a/ops": "MIT", "ops": "MIT"}}, []), ({"repositories": {"ops": "Apache2-0 OR BSD"}}, ["repositories.ops"]),
        ({"repositories": {"a": "UNLICENSED", "b": "LicenseRef-Proprietary", "c": "proprietary"}}, []),
        ({"dependencies": [{"name": "x", "license": "UNLICENSED"}]}, ["dependencies.0.license"]),
        ({"dependencies": [{"name": "x", "license": "MIT AND Nobody-1.0"}]}, ["dependencies.0.license"]),
        ({"dependencies": [{"name": "x", "license": "GPL"}, {"name": "y"}]}, []), ({"dependencies": [{"name": "x"}, {"name": "X"}]}, ["dependencies.1"]),
        ({"dependencies": [{"name": "x", "in": ["a"]}, {"name": "x", "in": ["b"]}]}, []),
        ({"dependencies": [{"name": "x", "sha256": "a" * 64}, {"name": "x"}, {"name": "x", "sha256": "b" * 64}]}, ["dependencies.2"]),
        ({"dependencies": [{"name": "x", "sha256": "a" * 64}, {"name": "x", "sha256": "a" * 64}]}, ["dependencies.1"]),
        ({"allow": ["MIT", {"license": "Zlib", "usage": ["bundled"]}], "deny": ["GPL-3.0-only", {"purl": "pkg:npm/x"}]}, []),
        ({"allow": ["MIT"], "deny": ["mit"]}, ["allow.0"]), ({"allow": ["MIT"], "deny": [{"license": "MIT", "usage": ["bundled"]}]}, []),
        ({"allow": [{"license": "MIT", "usage": ["build-tool"]}], "deny": ["MIT"]}, []), ({"allow": []}, ["allow"]),
        ({"deny": ["Apach-2.0"]}, ["deny.0.license"]), ({"deny": ["MIT", {"license": "MIT", "usage": ["bundled"]}]}, ["deny.1"]),
        ({"deny": ["MIT", {"license": "MIT", "usage": ["dev-tool"]}]}, []), ({"deny": [{"license": "MIT", "usage": ["bundled"]}, "MIT"]}, []),
        ({"exceptions": [{"license": "MIT", "reason": "x"}]}, ["exceptions.0"]), ({"exceptions": [{"license": "MIT", "reason": "x"}], "deny": ["MIT"]}, []),
        ({"allow": ["MIT"], "fail_on": ["incompatible"]}, ["fail_on"]), ({"deny": ["MIT"], "fail_on": ["review"]}, ["fail_on"]),
        ({"headers": {"spdx": "MIT", "holder": "Ann"}}, []), ({"headers": {"spdx": "Apach-2.0"}}, ["headers.spdx"]),
        ({"headers": {"text": "©", "holder": "Ann"}}, ["headers.holder", "headers.text"]),
        ({"dependencies": [{"name": "x", "component": "MIT"}], "repositories": {"ops": "Apache-2.0"}}, ["dependencies.0.component"]),
        ({"dependencies": [{"name": "x", "component": "mit"}], "repositories": {"ops": "Apache-2.0 AND MIT"}}, []),
    ],
)  # fmt: skip
def test_each_doubtful_key_of_the_licence_part_is_named(part, expected):
    policy, mistakes = effective.policy_of({"licenses": part})
    assert mistakes == ()
    assert [".".join(map(str, path[1:])) for path, _ in doubts(policy, NOW)] == expected
