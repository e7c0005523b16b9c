"""Every rule that leaves something to do says what."""

import re
from pathlib import Path

import pytest

from audit.facts import Verdict
from audit.verdict.advice import BY_RULE, what_to_do

PAGE = (Path(__file__).parents[3] / "docs/reference/license-rules.md").read_text()
RULES = re.findall(r"^\| `([a-z]+/[a-z-]+)` \| ([a-z-]+)", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("rule", "verdict"), RULES)
def test_each_rule_of_the_page(rule, verdict):
    """Nothing is to be done about what fits or has no say; all else has its own advice."""
    fine = verdict in (Verdict.NOT_APPLICABLE, Verdict.COMPATIBLE)

    assert fine == (what_to_do(rule, Verdict(verdict)) == "")
    assert fine or rule in BY_RULE


def test_no_advice_for_rules_that_are_gone():
    """The table has rules of the page only."""
    assert {rule for rule, _ in RULES} >= set(BY_RULE)


def test_another_rule():
    """Somebody must be asked."""
    assert what_to_do("new/rule", Verdict.REVIEW) == "Ask a lawyer."
