"""The rules in force as text and as data."""

import json

import pytest

from agreements.identity.certifiers import shipped_agents
from bot.cli.verdicts.rules_in_force import as_json, as_yaml
from bot.github.ports import RuleFile, RuleFiles
from bot.rulebook import rule_origins


def in_force(text):
    """The rules of this rulebook for one repository."""
    return rule_origins.in_force(
        RuleFiles(RuleFile("o.yml", text), RuleFile("r.yml", None), RuleFile("d.yml", None)), None, "cann/ops"
    )


@pytest.mark.parametrize(
    ("text", "known"), [("version: 1\n", True), ("version: 1\npeople: {agents: {known: false}}\n", False)]
)
def test_known_agents_are_listed_with_source_and_date_where_they_count(text, known):
    found = in_force(text)
    lines = list(as_yaml(found))
    shown = json.loads(as_json(found))["known_agents"]
    assert (len(shown), len(shown) > 0) == (len(shipped_agents()) if known else 0, known)
    assert f"    known: {str(known).lower()}  # {'default' if known else 'organisation, line 2'}" in lines
    claude = [line for line in lines if line.startswith("#   Claude: ")]
    assert bool(claude) is known
    if known:
        assert any("id 81847 (claude), https://github.com/" in line for line in claude)
        assert {"agent": "Claude", "email": "noreply@anthropic.com", "source": "https://github.com/anthropics/claude-code/issues/29999", "read_on": "2026-11-22"} in shown  # fmt: skip
        assert {"agent", "id", "login", "source", "read_on"} == set(shown[0])
