"""Every rule in force has its origin, and written out again the rules are the same."""

import pytest

from agreements.rulebook.rules import RepositoryRule, Rules
from agreements.rulebook.rules_reader import parse
from bot import shipped_files
from bot.github.ports import RuleFile, RuleFiles
from bot.rulebook.effective import RulebookProblem, policy_of
from bot.rulebook.rule_origins import DEFAULT, in_force, plain

NAME = "cann/ops-math"
ABOVE = """\
version: 1
since: 2025-01-01
repositories:
  - {match: [tools], require: none}
  - match: [core-*, ops-*]
    require: cla
people:
  exempt: [{id: 1}, {id: 2}]
  members: required
  agents: {policy: block, emails: [noreply@agent.example]}
dco: {remediation: {individual: true}, override: admins}
"""
OWN = """\
version: 1
repositories: [{match: ["*"]}]
people: {exempt: [{id: 2}], members: required, agents: {emails: []}}
dco: {remediation: {individual: false}}
comment: {language: en}
"""


def origins(above=None, own=None, dco=None, name=NAME, given=None):
    """What is in force, and each origin in words by its key."""
    files = RuleFiles(RuleFile("above.yml", above), RuleFile("own.yml", own), RuleFile("dco.yml", dco))
    found = in_force(files, given, name)
    return found, {".".join(map(str, path)): origin.words for path, origin in found.origins.items()}


def test_each_rule_of_two_files_has_the_origin_of_the_value_in_force():
    found, said = origins(ABOVE, OWN)
    assert (found.rule.require, found.matched, found.sources) == ("both", ("ops-*", "*"), ("above.yml", "own.yml"))
    told = {key: words for key, words in said.items() if words != DEFAULT}
    assert told == {
        "version": "organisation, line 1; repository, line 1",
        "since": "organisation, line 2",
        "repositories.0.match": "organisation, line 5; repository, line 2",
        "repositories.0.require": "organisation, line 6; repository, line 2",
        "people.exempt": "repository, line 3",
        "people.members": "organisation, line 9; repository, line 3",
        "people.agents.policy": "organisation, line 10",
        "people.agents.emails": "organisation, line 10",
        "dco.remediation.individual": "repository, line 4",
        "dco.override": "organisation, line 11",
        "comment.language": "repository, line 5",
    }


@pytest.mark.parametrize(
    ("files", "require", "matched", "said"),
    [
        ({}, "dco", (), DEFAULT),
        ({"above": "version: 1"}, "dco", (), DEFAULT),
        ({"above": "version: 1\nrepositories: [{match: [other], require: cla}]"}, "dco", (), DEFAULT),
        ({"above": "version: 1\nrepositories: []"}, "dco", (), DEFAULT),
        ({"above": ABOVE}, "cla", ("ops-*",), "organisation, line 6"),
        ({"own": OWN}, "dco", ("*",), "repository, line 2"),
        ({"above": ABOVE, "own": OWN, "name": "cann/.github"}, "dco", (), DEFAULT),
        (
            {"above": "version: 1", "own": 'version: 1\nrepositories: [{match: ["*"]}]'},
            "dco",
            ("*",),
            "repository, line 2",
        ),
        ({"above": "version: 2", "given": ("file.yml", ABOVE)}, "cla", ("ops-*",), "organisation, line 6"),
    ],
)
def test_the_demand_has_its_rule_pattern_and_line_as_origin(files, require, matched, said):
    found, told = origins(**files)
    assert (found.rule.require, found.matched, told["repositories.0.require"]) == (require, matched, said)


def test_rules_of_a_dco_file_have_its_lines_as_origin():
    found, said = origins(dco="require:\n  members: false\nallowOverrideAction: true\n")
    assert found.data["dco"]["members"] == "exempt"
    assert {key: words for key, words in said.items() if words != DEFAULT} == {
        "dco.members": "dco.yml, line 2",
        "dco.override": "dco.yml, line 3",
    }


def test_a_broken_rulebook_is_handed_on_without_origins():
    files = RuleFiles(RuleFile("above.yml", "version: 2"), RuleFile("own.yml", None), RuleFile("dco.yml", None))
    assert isinstance(in_force(files, None, NAME), RulebookProblem)


EVERYTHING = """\
version: 1
organization: The Authors
since: 2025-01-01
agreements:
  corporate: {employees: sign-too}
  accept: {icla: [{versions: "1.x", until: 2027-01-31}, {versions: ">=2.0"}], ccla: []}
repositories: [{match: ["*"], require: either, mode: shadow, small: {lines: 3, paths: ["*.md"], total: 9}}]
people:
  check: [opener]
  exempt: [{id: 1, login: "a[bot]"}, {login: b}]
  members: exempt
  domains: enrolled
  agents: {policy: block, accounts: [{id: 2}], emails: [noreply@agent.example]}
  override: admins
dco: {matching: exact, names: free, merged: exempt, reverts: exempt, members: exempt, remediation: {individual: true, third_party: true}, portal: true, exempt: [{id: 3, login: c}, {login: d}], override: nobody}
labels: {signed: a, required: b}
comment: {language: both}
changelog: {require: true, path: NEWS, skip-label: c}
"""


@pytest.mark.parametrize(
    "text", ["version: 1", EVERYTHING, (shipped_files.path("cann") / "countersign.yml").read_text("utf-8")]
)
def test_rules_written_out_are_the_same(text):
    found, _ = origins(text)
    ours = parse(found.data)
    theirs, _ = origins(given=("x", text))
    policy, mistakes = policy_of(found.data)
    assert mistakes == ()
    assert plain(ours, NAME, policy) == found.data == theirs.data
    assert ours.repositories == (RepositoryRule((NAME,), found.rule.require, found.rule.mode, found.rule.small),)


def test_the_licence_part_has_its_origins():
    above = "version: 1\nlicenses:\n  delivery: hosted\n  repositories: {ops-*: MIT}\n  fail_on: [review]\n"
    found, said = origins(above, "version: 1\nlicenses: {delivery: binary}\n")
    said_so = {"delivery": "binary", "repositories": {"ops-*": "MIT"}, "fail_on": ["review"]}
    assert found.data["licenses"] == {**said_so, "issue": True, "notices": False}
    assert {key: words for key, words in said.items() if key.startswith("licenses")} == {
        "licenses.delivery": "repository, line 2",
        "licenses.repositories.ops-*": "organisation, line 4",
        "licenses.fail_on": "organisation, line 5",
        "licenses.issue": "default",
        "licenses.notices": "default",
    }


def test_headers_written_out_are_the_same():
    above = "version: 1\nlicenses:\n  headers: {spdx: MIT, holder: Ann, paths: [src], mode: report}\n"
    found, said = origins(above)
    written = {"spdx": "MIT", "holder": "Ann", "paths": ["src"], "mode": "report"}
    assert found.data["licenses"]["headers"] == written
    assert said["licenses.headers.spdx"] == "organisation, line 3"


def test_allow_and_deny_lists_written_out_are_the_same():
    above = "version: 1\nlicenses:\n  allow: [MIT, {license: Zlib, usage: [bundled]}]\n  deny: [{purl: 'pkg:npm/x', reason: old}]\n"
    exceptions = "  exceptions: [{license: OpenSSL, reason: read}]\n"
    found, said = origins(above + exceptions, "version: 1\nlicenses: {allow: [MIT], deny: [GPL-3.0-only]}\n")
    lists = {key: found.data["licenses"][key] for key in ("allow", "deny", "exceptions")}
    assert lists == {
        "allow": ["MIT"],
        "deny": [{"purl": "pkg:npm/x", "reason": "old"}, "GPL-3.0-only"],
        "exceptions": [{"license": "OpenSSL", "reason": "read"}],
    }
    assert (said["licenses.allow"], said["licenses.exceptions"]) == ("repository, line 2", "organisation, line 5")
    assert said["licenses.deny"] == "organisation, line 4; repository, line 2"
    alone, _ = origins(above + exceptions)
    assert policy_of(alone.data)[0].lists == policy_of({"licenses": alone.data["licenses"]})[0].lists != ()


def test_the_defaults_written_out_add_only_the_one_rule():
    assert parse(plain(Rules(), NAME)) == Rules(repositories=(RepositoryRule((NAME,), "dco"),))
