"""`.github/dco.yml` means what it means to the DCO apps."""

import json

import pytest

from agreements.rulebook.rules import DcoRules, Rules
from bot.github.ports import UNREADABLE
from bot.rulebook.dco_file import KEYS, is_one, rules, unknown_keys
from bot.rulebook.rule_origins import leaves, plain
from bot.rulebook.yaml_document import DocumentInvalid


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "{}",
        "require:\n",
        "unknown: 7\n",
        "require: {other: 1}",
        "_extends: .github\n",
        "allowOverrideAction:\n",
        "require: {members: null}\nallowRemediationCommits: ~\n",
        "Require: {Members: false}\n",
        "version: 1\npeople: {members: exempt}\n",
    ],
)
def test_an_empty_file_or_one_of_unknown_keys_means_the_defaults(text):
    assert rules(text) == Rules()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("require: {members: false}", DcoRules(members="exempt")),
        ("require: {members: true}", DcoRules()),
        ("allowRemediationCommits: {individual: true}", DcoRules(individual_remediation=True)),
        (
            "allowRemediationCommits: {individual: true, thirdParty: true}",
            DcoRules(individual_remediation=True, third_party_remediation=True),
        ),
        ("allowRemediationCommits: {thirdParty: true}", DcoRules()),
        ("allowOverrideAction: false", DcoRules(override="nobody")),
        ("allowOverrideAction: true", DcoRules()),
        ("allowRemediationCommits: {individual: false, thirdParty: true}", DcoRules()),
        (
            "# Whole\nallowOverrideAction: false\nallowRemediationCommits:\n  individual: true\n  thirdParty: false\nrequire:\n  members: false\n",
            DcoRules(members="exempt", individual_remediation=True, override="nobody"),
        ),
    ],
)
def test_each_key_means_the_same_as_to_the_dco_apps(text, expected):
    assert rules(text) == Rules(dco=expected)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("require: {members: no way}", "line 1: require.members: must be true or false"),
        ("a: 1\nrequire: [members]", "line 2: require: must be a mapping"),
        ("- x", "line 1: the file: must be a mapping"),
        ("require: {members: 0}", "line 1: require.members: must be true or false"),
        ("require:\n  members: no", "line 2: require.members: must be true or false"),
        ("allowOverrideAction: maintainers", "line 1: allowOverrideAction: must be true or false"),
        ("allowRemediationCommits: true", "line 1: allowRemediationCommits: must be a mapping"),
        (
            "allowRemediationCommits:\n  thirdParty: [true]",
            "line 2: allowRemediationCommits.thirdParty: must be true or false",
        ),
        ("require: {members: false}\nrequire: {members: true}", "line 2: the key 'require' appears twice"),
        (UNREADABLE, "line 1: the file is too large, or is not UTF-8 text"),
        ("require: {", "line 1: not valid YAML"),
    ],
)
def test_a_broken_file_is_an_error_with_its_line_once(text, error):
    with pytest.raises(DocumentInvalid) as refused:
        rules(text)
    assert refused.value.errors[0].startswith(error)
    assert len(refused.value.errors) == 1


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("require: {members: false}", "", True),
        ("require: {members: false}\nextra: 1", "x.yml", True),
        ("allowOverideAction: false", "", False),
        ("allowOverideAction: false", "dco.yml", True),
        ("{}", "dco.yaml", True),
        ("", "dco.yml", True),
        ("{}", "countersign.yml", False),
        ("version: 1\nrequire: {members: false}", "dco.yml", False),
        ("people: {}", "", False),
        ("- x", "", False),
    ],
)
def test_a_dco_file_is_known_by_name_or_key_and_has_no_version(text, name, expected):
    assert is_one(text, name) is expected


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ()),
        (
            "require: {members: false}\nallowRemediationCommits: {individual: true, thirdParty: true}\nallowOverrideAction: false",
            (),
        ),
        ("require:\nallowRemediationCommits: ~\n", ()),
        (
            "# x\nallowOverideAction: false",
            ("line 2: allowOverideAction: unknown key and ignored, did you mean allowOverrideAction?",),
        ),
        ("require:\n  member: false", ("line 2: require.member: unknown key and ignored, did you mean members?",)),
        (
            "_extends: .github\nallowRemediationCommits: {thirdparty: true}",
            (
                "line 1: _extends: unknown key and ignored, known here: allowOverrideAction, allowRemediationCommits, require",
                "line 2: allowRemediationCommits.thirdparty: unknown key and ignored, did you mean thirdParty?",
            ),
        ),
    ],
)
def test_unknown_keys_are_told_with_their_line_and_the_likely_meaning(text, lines):
    assert sorted(unknown_keys(text)) == sorted(lines)
    rules(text)


def test_each_choice_of_the_file_is_named_by_the_key_that_decides_it():
    base = {"require": {"members": True}, "allowRemediationCommits": {"individual": True, "thirdParty": True}, "allowOverrideAction": True}  # fmt: skip
    before = dict(leaves(plain(rules(json.dumps(base)), "a/b")))
    for choice, (*way, last) in KEYS.items():
        data = json.loads(json.dumps(base))
        section = data[way[0]] if way else data
        section[last] = False
        after = dict(leaves(plain(rules(json.dumps(data)), "a/b")))
        assert choice in {path for path in after if after[path] != before[path]}
