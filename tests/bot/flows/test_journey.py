"""A failed run is tried again, and an overtaken run writes nothing but has all written anew."""

import threading
from datetime import timedelta

import pytest
import structlog

from bot.clock import monotonic
from bot.flows import journey
from bot.flows.journey import MAX_SLEEP, Journey, LostClaim, NotAnswered, TryAgain, shown_when_slow, wait_for
from bot.github.availability import CircuitOpen, Paced
from bot.github.ports import Refused, Unreachable
from bot.store.retry_policy import RetryDelay

CASES = {
    "done": (None, {}, []),
    "overtaken": (LostClaim(), {}, ["write anew"]),
    "some of it has to wait": (TryAgain("no label"), {}, ["give up: no label"]),
    "GitHub names a moment": (Unreachable("502", 7), {}, ["show: 502", "give up: 502 after 7 s"]),
    "it is not our turn": (Paced("68 a minute", 9), {}, ["give up: 68 a minute after 9 s"]),
    "GitHub is down": (Unreachable("502"), {}, ["show: 502", "give up: 502"]),
    "a registry is down": (NotAnswered("npm"), {}, ["show: npm", "give up: npm"]),
    "our own mistake": (ValueError("ada@x.org"), {}, ["show: internal error (ValueError)", "give up: internal error (ValueError)"]),
    "overtaken while that is shown": (Unreachable("502"), {"show": LostClaim()}, ["show: 502", "write anew"]),
    "overtaken at the end": (Unreachable("502"), {"kept": False}, ["show: 502", "give up: 502", "write anew"]),
}  # fmt: skip
EVENTS = {
    "overtaken": "overtaken", "some of it has to wait": "again", "GitHub is down": "postponed", "a registry is down": "postponed",
    "our own mistake": "failed",
}  # fmt: skip


def travel(raised, *, show=None, kept=True):
    """What a run does, in order, and what it logs."""
    did = []

    def judge():
        if raised:
            raise raised

    def show_doubt(why):
        did.append(f"show: {why}")
        if show:
            raise show

    def give_up(why, wait):
        did.append(f"give up: {why}" + (f" after {wait.delay.total_seconds():.0f} s" if wait else ""))
        return kept

    with structlog.testing.capture_logs() as logged:
        Journey(
            name="review", about={"pull": 7}, judge=judge, show_doubt=show_doubt, give_up=give_up,
            write_anew=lambda: did.append("write anew"),
        ).run()  # fmt: skip
    return did, logged


@pytest.mark.parametrize("case", CASES)
def test_a_run_that_ended_in_an_error_is_shown_or_retried_as_its_kind_needs(case):
    raised, options, expected = CASES[case]

    assert travel(raised, **options)[0] == expected


@pytest.mark.parametrize("case", EVENTS)
def test_the_log_names_run_subject_and_error_without_its_message(case):
    _, [entry] = travel(CASES[case][0])

    assert entry["event"] == f"review.{EVENTS[case]}"
    assert entry["pull"] == 7
    assert "ada@x.org" not in str(entry)


def caused(error, cause):
    """The error as it is raised from another."""
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "wait"),
    [
        (Unreachable("502"), None),
        (Refused("403"), None),
        (ValueError(), None),
        (TryAgain("later"), None),
        (Unreachable("429", 30), RetryDelay(timedelta(seconds=30))),
        (Paced("80 a minute", 12), RetryDelay(timedelta(seconds=12))),
        (caused(TryAgain("no label"), Paced("80 a minute", 12)), RetryDelay(timedelta(seconds=12))),
        (CircuitOpen("502 since noon", 8), RetryDelay(timedelta(seconds=8) + MAX_SLEEP, is_woken=True)),
        (
            caused(TryAgain("no label"), CircuitOpen("502", 8)),
            RetryDelay(timedelta(seconds=8) + MAX_SLEEP, is_woken=True),
        ),
    ],
)
def test_the_wait_is_githubs_own_or_lasts_until_the_circuit_closes(error, wait):
    assert wait_for(error) == wait


@pytest.fixture(name="shown")
def _shown(monkeypatch):
    """What is set once it was shown; slow is what takes longer than a moment."""
    monkeypatch.setattr(journey, "SLOW_AFTER", timedelta(seconds=0.1))
    return threading.Event()


def test_a_quick_judgement_shows_nothing_in_between(shown):
    with shown_when_slow(shown.set, begun=monotonic()):
        pass
    assert not shown.wait(0.3)


def test_a_slow_judgement_is_shown_as_in_progress_from_another_thread(shown):
    with shown_when_slow(shown.set, begun=monotonic()):
        assert shown.wait(10)
    shown.clear()
    with shown_when_slow(shown.set, begun=monotonic() - 60):
        assert shown.wait(10)


def test_the_verdict_waits_until_the_interim_run_is_shown(shown):
    """Two threads that make one run at the same time would make two."""
    done = []

    def show():
        shown.set()
        threading.Event().wait(0.2)
        done.append(True)

    with shown_when_slow(show, begun=monotonic()):
        assert shown.wait(10)
    assert done == [True]


@pytest.mark.parametrize("error", [Unreachable("GitHub answered 502"), LostClaim()])
def test_a_failure_to_show_the_interim_run_is_ignored(shown, error):
    def show():
        shown.set()
        raise error

    with shown_when_slow(show, begun=monotonic()):
        assert shown.wait(10)


def test_an_error_of_the_judgement_is_raised_and_nothing_shown_after_it(shown):
    with pytest.raises(LostClaim), shown_when_slow(shown.set, begun=monotonic()):
        raise LostClaim
    assert not shown.wait(0.3)
