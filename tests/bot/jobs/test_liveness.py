"""Liveness and chores: the silent are dead, and a chore that fails is done again."""

import threading
from datetime import UTC, datetime, timedelta

from structlog.testing import capture_logs

from bot.job_queue import Chore
from bot.jobs.liveness import Chores, Liveness

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_a_silent_process_is_dead_for_the_others(sessions):
    moment = [NOON]
    first, second, third = (Liveness(sessions, name, lambda: moment[0]) for name in ("one", "two", "three"))
    for each in (first, second, third):
        each.beat()
    assert first.living() == {"one", "two", "three"}

    third.leave()
    moment[0] = NOON + timedelta(seconds=30)
    assert first.living() == {"one", "two"}
    second.beat()
    moment[0] = NOON + timedelta(seconds=31)
    assert first.living() == {"one", "two"}
    assert second.living() == {"two"}
    with capture_logs() as told:
        second.forget_silent()
    assert [(line["event"], line["executor"]) for line in told] == [("engine.process-gone", "one")]
    moment[0] = NOON
    assert second.living() == {"two"}


def test_a_process_whose_clock_was_ahead_is_dead_once_its_beats_stop(sessions):
    moment, hour = [NOON], timedelta(hours=1)
    ours = Liveness(sessions, "ours", lambda: moment[0])
    theirs = Liveness(sessions, "theirs", lambda: moment[0] + hour)
    theirs.beat()
    for _ in range(10):
        assert ours.living() == {"ours", "theirs"}
        moment[0] += timedelta(seconds=5)
        theirs.beat()

    assert ours.living() == {"ours", "theirs"}
    moment[0] += timedelta(seconds=30)
    assert ours.living() == {"ours", "theirs"}
    moment[0] += timedelta(seconds=1)
    assert ours.living() == {"ours"}
    theirs.beat()
    assert ours.living() == {"ours", "theirs"}


def test_chores_are_done_again_and_again_whether_they_raise_or_not():
    calls, enough = {"good": 0, "bad": 0}, threading.Event()

    def count(name):
        calls[name] += 1
        if min(calls.values()) >= 3:
            enough.set()

    def bad():
        count("bad")
        raise ValueError("a@example.org")

    soon = timedelta(seconds=0.01)
    chores = Chores([Chore("bad", soon, bad), Chore("good", soon, lambda: count("good"))])
    chores.start()
    assert enough.wait(5)
    chores.stop()
    done = dict(calls)
    threading.Event().wait(0.05)
    assert calls == done


def test_a_chore_may_begin_at_once():
    done = threading.Event()
    chores = Chores([Chore("hourly", timedelta(hours=1), done.set)], at_once=True)
    chores.start()
    assert done.wait(5)
    chores.stop()


def test_stopping_does_not_wait_for_a_chore_that_is_not_due():
    for chores in (Chores([Chore("hourly", timedelta(hours=1), lambda: None)]), Chores([])):
        chores.stop()
        chores.start()
        chores.stop(timeout=2)
        assert not chores._thread.is_alive()
