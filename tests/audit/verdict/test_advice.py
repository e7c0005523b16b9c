"""Every rule that leaves something to do says what, and so does every finding."""

import re
from pathlib import Path

import pytest

from audit.facts import LicenseVerdict
from audit.verdict.advice import BY_CODE, BY_RULE, FINDINGS, help_of, what_to_do

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reference/license-rules.md").read_text()
RULES = re.findall(r"^\| `([a-z]+/[a-z-]+)` \| ([a-z-]+)", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("rule", "verdict"), RULES)
def test_each_rule_of_the_page(rule, verdict):
    """Nothing is to be done about what fits or has no say; all else has its own advice."""
    fine = verdict in (LicenseVerdict.NOT_APPLICABLE, LicenseVerdict.COMPATIBLE)

    assert fine == (what_to_do(rule, LicenseVerdict(verdict)) == "")
    assert fine or rule in BY_RULE


def test_no_advice_for_rules_that_are_gone():
    """The table has rules of the page only."""
    assert {rule for rule, _ in RULES} >= set(BY_RULE)


def test_another_rule():
    """Somebody must be asked."""
    assert what_to_do("new/rule", LicenseVerdict.REVIEW) == "Ask a lawyer."


def test_findings_as_documented():
    """The page and the sentences name the same codes."""
    codes = re.findall(r"^\| `([a-z]+/[a-z-]+)` \|", (ROOT / FINDINGS).read_text(), re.MULTILINE)
    assert set(codes) == set(BY_CODE)


def test_help_with_a_finding():
    """Of a code without one: where it is described."""
    assert help_of("file/outside") == "Keep it inside the repository."
    assert FINDINGS in help_of("noun/what")
