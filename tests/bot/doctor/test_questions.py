"""Questions are asked at the same time; whoever is late is unknown, and what it said before that stays."""

import threading
import time

import pytest

from bot.doctor.questions import Question, ask
from bot.doctor.report import DoctorCheck

ONE, TWO = DoctorCheck("a.one", "high"), DoctorCheck("a.two", "low")


def test_in_the_order_of_the_questions():
    """Whoever is first to answer; each is announced."""
    both, said = threading.Barrier(2, timeout=10), []

    def judge(check):
        both.wait()  # at the same time, or never
        yield check.passed("Well.")

    found = ask([Question(one.id, (one,), lambda one=one: judge(one)) for one in (ONE, TWO)], 10, said.append)
    assert [one.id for one in found] == ["a.one", "a.two"] == said


def test_who_is_late():
    """Named, with the time; the first half stands."""
    forever = threading.Event()

    def judge():
        yield ONE.passed("Well.")
        forever.wait()

    begun = time.monotonic()
    first, second = ask([Question("database", (ONE, TWO), judge)], 0.2)
    forever.set()
    assert time.monotonic() - begun < 5
    assert (first.status, second.status) == ("pass", "unknown")
    assert second.message == "Not checked: the database did not answer within 0 seconds."
    assert second.remedy


def test_a_mistake_of_ours_is_no_result():
    """It is raised, as anywhere; so is a result that would be forgotten when it is late."""

    def judge():
        raise KeyError("x")

    with pytest.raises(KeyError):
        ask([Question("database", (ONE,), judge)], 5)
    with pytest.raises(AssertionError):
        ask([Question("database", (ONE,), lambda: [TWO.passed("Well.")])], 5)
