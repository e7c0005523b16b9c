"""Waiting ends: with what was looked for, with the time, or with whoever ends it."""

import pytest

from bot.clock import monotonic
from bot.github.ports import Missing, Unreachable
from bot.rehearsal.deadline import Interrupted, StepDeadline


def never():
    """Nobody ends it."""
    return False


def test_what_appears_in_time():
    """Looked for at once, then again."""
    answers = iter([None, "there"])
    assert StepDeadline(5, never).wait(lambda: next(answers)) == "there"


def test_what_does_not_appear():
    """Without time there is one look; with time, more."""
    looks = []
    assert StepDeadline(0, never).wait(lambda: looks.append(1)) is None
    assert len(looks) == 1
    begun = monotonic()
    assert StepDeadline(0.7, never).wait(lambda: looks.append(1)) is None
    assert (len(looks), 0.7 <= monotonic() - begun < 2) == (4, True)


def test_github_may_fail_for_a_while():
    """Until the time is over; what GitHub refuses is no matter of time."""
    answers = iter([Unreachable("502"), None])

    def look():
        answer = next(answers)
        if answer is not None:
            raise answer
        return "there"

    assert StepDeadline(5, never).wait(look) == "there"
    with pytest.raises(Unreachable):
        StepDeadline(0, never).wait(lambda: (_ for _ in ()).throw(Unreachable("502")))
    with pytest.raises(Missing):
        StepDeadline(5, never).wait(lambda: (_ for _ in ()).throw(Missing("404")))


def test_whoever_ends_it_is_heard_at_once():
    """Also in the middle of a pause."""
    ended, begun = [], monotonic()

    def look():
        ended.append(1)

    with pytest.raises(Interrupted):
        StepDeadline(60, lambda: bool(ended)).wait(look)
    assert monotonic() - begun < 1
