"""The steps stand in an order in which each has what it needs."""

from typing import get_args

import pytest

from agreements.rulebook.rules import RepositoryRule
from bot.rehearsal import observation
from bot.rehearsal.observation import STEPS, Observation, StepResult


def test_each_step_comes_after_the_steps_that_it_needs():
    ids = [step.id for step in STEPS]
    assert len(set(ids)) == len(ids)
    assert all(step.needs in ("", *ids[:place]) for place, step in enumerate(STEPS))


@pytest.mark.parametrize(
    ("status", "is_fine"), [("seen", True), ("not-expected", True), ("missing", False), ("skipped", False)]
)
def test_seen_and_not_expected_steps_are_fine(status, is_fine):
    assert StepResult(STEPS[0], Observation(status), 1.0).is_fine == is_fine


HEAD = "a" * 40
MISSING = {"code": "dco/missing", "sha": HEAD}
OTHER = {"code": "dco/missing", "sha": "b" * 40}
EXEMPT = {"code": "dco/member", "sha": HEAD}
UNSIGNED = {"code": "cla/unsigned", "sha": None}
CHANGELOG = {"code": "changelog/missing", "sha": None}


def rule(require):
    """A rule with that `require`."""
    return RepositoryRule(("*",), require)


@pytest.mark.parametrize(
    ("require", "conclusion", "codes"),
    [
        ("dco", "failure", [MISSING]), ("both", "failure", [UNSIGNED, MISSING]), ("dco", "success", [EXEMPT]),
        ("dco", "neutral", [{"code": "rules/before-since", "sha": None}]), ("cla", "failure", [UNSIGNED]), ("cla", "success", []),
        ("either", "success", [MISSING]), ("either", "failure", [UNSIGNED, MISSING]), ("none", "neutral", []),
        ("none", "failure", [CHANGELOG]), ("none", "success", []),
    ],
)  # fmt: skip
def test_the_expected_conclusion_of_each_requirement_is_no_surprise(require, conclusion, codes):
    assert observation.surprise(rule(require), conclusion, codes, HEAD) == ""


@pytest.mark.parametrize(
    ("require", "conclusion", "codes", "said"),
    [
        ("dco", "success", [], "does not name the one that is missing"),
        ("dco", "failure", [OTHER], "does not name the one that is missing"),
        ("both", "failure", [UNSIGNED], "does not name the one that is missing"),
        ("dco", "neutral", [MISSING], "does not name the one that is missing"),
        ("cla", "action_required", [{"code": "facts/incomplete", "sha": None}], "could not be judged: facts/incomplete"),
        ("dco", "action_required", [], "no reason was recorded"),
        ("none", "failure", [], "Nothing is required, and the check fails"),
    ],
)  # fmt: skip
def test_a_pass_without_a_reason_and_a_doubt_are_surprises(require, conclusion, codes, said):
    assert said in observation.surprise(rule(require), conclusion, codes, HEAD)


def test_every_requirement_has_its_words():
    requirements = get_args(RepositoryRule.__annotations__["require"])
    assert set(observation.REQUIRED) == set(requirements)
