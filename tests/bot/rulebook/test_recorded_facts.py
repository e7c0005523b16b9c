"""A pull request's recorded facts come back as they were, are bounded, and know which were not asked."""

import os
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agreements.facts import Commit, Facts, PullRequest
from agreements.github_server import GITHUB_COM, github_server
from agreements.json.facts_reader import read
from agreements.rulebook.rules import Changelog, DcoRules, People, RepositoryRule, Rules
from bot.github.ports import UNREADABLE, RuleFile, RuleFiles
from bot.rulebook import recorded_facts
from bot.rulebook.recorded_facts import CannotReplay, HeadBranch, asked, pack, unpack, unpack_commits

FILES = RuleFiles(
    RuleFile(".github/countersign.yml", "version: 1\n"),
    RuleFile(".github/countersign.yml", None),
    RuleFile(".github/dco.yml", UNREADABLE),
)


def facts(*messages, **rules):
    """Facts of a pull request with these commits."""
    commits = tuple(Commit(sha=str(number), message=message) for number, message in enumerate(messages, 1))
    return Facts(
        rules=Rules(**rules),
        repository="cann/ops",
        pull_request=PullRequest(number=7, opener=None, head_sha="1"),
        commit_count=len(commits),
        commits=commits,
        now=datetime(2026, 11, 21, tzinfo=UTC),
    )


@pytest.mark.parametrize("files", [FILES, RuleFiles(None, FILES.repository, FILES.dco)])
def test_recorded_facts_and_rule_files_come_back_as_they_were(files):
    given = facts("Fix\ud800", changelog=Changelog(require=True))
    found = unpack(pack(given, files), GITHUB_COM)
    assert (found.files, found.asked, found.full_name) == (files, {"files"}, "cann/ops")
    assert found.facts["commits"] == [{"sha": "1", "message": "Fix\ud800", "coauthors": []}]
    assert found.head is None
    assert unpack(pack(given, files, HeadBranch(None, "fix")), GITHUB_COM).head == HeadBranch(None, "fix")
    assert (found.title, unpack(pack(given, files, title="Fix \ud800 it"), GITHUB_COM).title) == ("", "Fix ? it")
    assert found.logins == {}
    plain = facts("Fix", "More")
    assert read({**unpack(pack(plain, files), GITHUB_COM).facts, "rulebook": None}, lambda _: plain.rules) == plain


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({}, set()),
        ({"changelog": Changelog(require=True)}, {"files"}),
        ({"changelog": Changelog(require=True), "repositories": (RepositoryRule(("ops",), "none"),)}, set()),
        ({"people": People(members="exempt")}, {"members"}),
        ({"dco": DcoRules(members="exempt"), "changelog": Changelog(require=True)}, {"members", "files"}),
        ({"dco": DcoRules(matching="exact")}, {"bots"}),
        ({"dco": DcoRules(matching="exact"), "repositories": (RepositoryRule(("ops",), "cla"),)}, set()),
    ],
)
def test_only_facts_that_a_rule_needs_are_asked(rules, expected):
    assert asked(Rules(**rules), "cann/ops") == expected


@pytest.mark.slow
def test_a_record_that_is_too_large_is_not_kept():
    noise = os.urandom(recorded_facts.MAX_PACKED_BYTES).hex()
    big = pack(facts(noise), FILES)
    endless = pack(facts("x" * (recorded_facts.MAX_PLAIN_BYTES + 1)), FILES)
    assert big == endless == recorded_facts.TOO_LARGE
    with pytest.raises(CannotReplay, match="too large"):
        unpack(big, GITHUB_COM)
    assert len(pack(facts("x" * (recorded_facts.MAX_PLAIN_BYTES // 2)), FILES)) < 100_000


def test_the_commits_of_a_record_are_read_alone():
    given = facts("Fix", "More\n\nCo-authored-by: Ada <ada@example.org>")
    assert unpack_commits(pack(given, FILES)) == given.commits
    for packed in (recorded_facts.TOO_LARGE, pack(facts("Fix\ud800"), FILES)):
        with pytest.raises(CannotReplay):
            unpack_commits(packed)


@pytest.mark.parametrize("host", ["github.com", "ghe.corp.example", "[::1]"])
def test_a_record_without_a_server_is_of_the_served_one(host):
    """Earlier versions recorded no server."""
    server, there = github_server(host), replace(facts("Fix"), server=github_server("ghe.other.example"))

    def again(given):
        found = unpack(pack(given, FILES), server)
        return read({**found.facts, "rulebook": None}, lambda _: given.rules).server

    assert again(facts("Fix")) == server
    assert again(there) == there.server
