"""The steps stand in an order in which each has what it needs."""

import pytest

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
