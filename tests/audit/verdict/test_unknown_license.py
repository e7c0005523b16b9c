"""The reasons for an unknown licence: each has its rule, its sentence and its advice."""

from dataclasses import replace

import pytest

from audit.facts import Cell, Delivery, Dependency, Learned, LicenseVerdict, Place, Source, Unknown, Usage
from audit.licenses.osadl import shipped
from audit.rules.expression_compatibility import judge
from audit.verdict.advice import BY_RULE
from audit.verdict.unknown_license import RULES, WORDS, counts, explained, same_rule, summary


def judged(learned, usage=Usage.RUNTIME_IMPORT):
    """The judgement of a licence that is learned so, in work under Apache-2.0."""
    return explained(judge("Apache-2.0", learned.expression, usage, Delivery.BINARY, shipped()), learned)


@pytest.mark.parametrize("unknown", list(Unknown))
def test_each_reason_for_an_unknown_licence_has_its_own_rule_and_advice(unknown):
    found = judged(Learned(unknown=unknown, place=Place("registries", None, "so it is")))

    assert found.verdict is LicenseVerdict.UNKNOWN_LICENSE
    assert found.rule == RULES[unknown]
    assert found.reason.endswith(": so it is")
    assert found.reason == f"{judged(Learned(unknown=unknown)).reason}: so it is"
    assert ("no licence is stated" in found.reason) == (unknown is Unknown.NOT_STATED)
    assert len({BY_RULE[rule] for rule in RULES.values()}) == len(Unknown)


@pytest.mark.parametrize(
    ("learned", "rule"),
    [
        (Learned(), "license/none"),
        (Learned("NOASSERTION", Source.SBOM), "license/none"),
        (Learned("SEE LICENSE IN x", Source.LOCK_FILE), "license/unreadable"),
        (Learned("LicenseRef-own", Source.LOCK_FILE), "license/unknown"),
        (Learned("MIT", Source.RULEBOOK, unknown=Unknown.OFFLINE), "osadl/compatible"),
    ],
)
def test_another_reason_keeps_its_rule(learned, rule):
    assert judged(learned).rule == rule


def test_unknown_licences_are_counted_by_reason():
    reasons = [Unknown.NOT_STATED, Unknown.PRIVATE, Unknown.NOT_PINNED, Unknown.NOT_PINNED]
    every = [Learned(unknown=reason) for reason in reasons] + [Learned("MIT"), Learned("LicenseRef-own")]
    cells = [Cell(Dependency(name="x", license=licence), judged(licence)) for licence in every]

    assert counts(cells) == {"license/not-pinned": 2, "license/private": 1, "license/none": 1, "license/unknown": 1}
    assert summary(cells) == "version not pinned: 2, private package: 1, no licence stated: 1, unknown licence: 1"
    assert summary([]) == ""
    cell = cells[0]
    own = Cell(cell.dependency, replace(cell.judgement, rule="own/rule"))
    assert summary([own, cell] * 1_000) == "no licence stated: 1,000, own/rule: 1,000"


def test_an_unreachable_registry_does_not_change_the_compared_rule():
    """Two nights are compared by rule, and a registry may be away in one of them."""
    assert {same_rule(rule) for rule in RULES.values()} == {"license/none"}
    assert same_rule("osadl/unknown") == "osadl/unknown"
    assert set(RULES.values()) < set(WORDS)
