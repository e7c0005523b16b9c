"""Every rule that leaves something to do has advice, and so has every finding."""

import csv
from pathlib import Path

import pytest

from audit.facts import LicenseVerdict
from audit.verdict.advice import BY_CODE, BY_RULE, FINDINGS, help_of, what_to_do

ROOT = Path(__file__).parents[3]
with (ROOT / "docs/reference/license-rules.csv").open(encoding="utf-8", newline="") as lines:
    RULES = [(row["rule"], row["verdict"]) for row in csv.DictReader(lines)]


@pytest.mark.parametrize(("rule", "verdict"), RULES)
def test_each_rule_that_leaves_something_to_do_has_its_own_advice(rule, verdict):
    fine = verdict in (LicenseVerdict.NOT_APPLICABLE, LicenseVerdict.COMPATIBLE)

    assert fine == (what_to_do(rule, LicenseVerdict(verdict)) == "")
    assert fine or rule in BY_RULE


def test_the_table_of_advice_has_rules_of_the_page_only():
    assert {rule for rule, _ in RULES} >= set(BY_RULE)


def test_an_unknown_rule_advises_to_ask_a_lawyer():
    assert what_to_do("new/rule", LicenseVerdict.REVIEW) == "Ask a lawyer."


def test_reference_and_advice_name_the_same_finding_codes():
    with (ROOT / "docs/reference/findings.csv").open(encoding="utf-8", newline="") as lines:
        assert {row["code"] for row in csv.DictReader(lines)} == set(BY_CODE)


def test_a_finding_has_help_or_the_page_that_describes_it():
    assert help_of("file/outside") == "Keep it inside the repository."
    assert FINDINGS in help_of("noun/what")
