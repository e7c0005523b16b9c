"""`.github/dco.yml` means what it means to the DCO apps."""

import pytest

from agreements.rules import DcoRules, Rules
from bot.dco_file import rules
from bot.documents import DocumentInvalid


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}", "require:\n", "unknown: 7\n", "require: {other: 1}"])
def test_defaults(text):
    """Empty, or with keys that the DCO apps ignore: the defaults, a DCO for everyone."""
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
    ],
)
def test_choices(text, expected):
    """Each key does what it does there; third-party remediation needs the individual one."""
    assert rules(text) == Rules(dco=expected)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("require: {members: no way}", "line 1: require.members: must be true or false"),
        ("a: 1\nrequire: [members]", "line 2: require: must be a mapping"),
        ("- x", "line 1: the file: must be a mapping"),
        ("require: {", "line 1: no valid YAML"),
    ],
)
def test_broken_is_never_the_default(text, error):
    """A broken file is an error with its line, once."""
    with pytest.raises(DocumentInvalid) as refused:
        rules(text)
    assert refused.value.errors[0].startswith(error)
    assert len(refused.value.errors) == 1
