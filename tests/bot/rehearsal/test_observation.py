"""The steps stand in an order in which each has what it needs."""

from typing import get_args

import pytest

from agreements.rulebook.rules import RepositoryRule
from bot.rehearsal import observation
from bot.rehearsal.observation import STEPS, Observation, StepResult


def test_what_a_step_needs_comes_before_it():
    """And is a step; no id is there twice."""
    ids = [step.id for step in STEPS]
    assert len(set(ids)) == len(ids)
    assert all(step.needs in ("", *ids[:place]) for place, step in enumerate(STEPS))


@pytest.mark.parametrize(
    ("status", "is_fine"), [("seen", True), ("not-expected", True), ("missing", False), ("skipped", False)]
)
def test_what_is_fine(status, is_fine):
    """What was seen, and what was not to be expected."""
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
def test_as_it_must_be(require, conclusion, codes):
    """Red with the missing sign-off where one is required, unless the person is exempt."""
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
def test_a_surprise(require, conclusion, codes, said):
    """Never a pass without a reason, and never a doubt."""
    assert said in observation.surprise(rule(require), conclusion, codes, HEAD)


def test_every_requirement_has_its_words():
    """What is to be expected is said before it begins."""
    requirements = get_args(RepositoryRule.__annotations__["require"])
    assert set(observation.REQUIRED) == set(requirements)
