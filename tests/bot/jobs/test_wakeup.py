"""A bell ends the waiting, and rings when a transaction is committed and not when it is rolled back."""

import threading
import time

import pytest

from bot.jobs.wakeup import Bell, ring_after_commit


def waited(bell, timeout=5.0):
    """Whether it is set, and how long the waiting took."""
    start = time.monotonic()
    return bell.wait(timeout), time.monotonic() - start


def test_it_waits_as_long_as_it_is_told_unless_it_rings():
    """Only once for each ring, also for one that came before."""
    bell = Bell()
    assert waited(bell, 0.05)[1] >= 0.05
    bell.ring()
    is_set, took = waited(bell)
    assert not is_set
    assert took < 1
    assert waited(bell, 0.05)[1] >= 0.05


@pytest.mark.parametrize(("act", "is_set"), [("ring", False), ("set", True)])
def test_who_waits_is_woken(act, is_set):
    """By another thread."""
    bell = Bell()
    threading.Timer(0.05, getattr(bell, act)).start()
    found, took = waited(bell)
    assert found is is_set
    assert took < 2


def test_the_earliest_ring_counts():
    """One that is due later does not put off what is due sooner, and is over with it."""
    bell = Bell()
    bell.ring(5)
    bell.ring(0.05)
    bell.ring(5)
    assert 0.04 < waited(bell)[1] < 2
    assert waited(bell, 0.05)[1] >= 0.05


def test_what_is_set_waits_no_more():
    """However often it is asked."""
    bell = Bell()
    bell.set()
    assert [waited(bell)[0] for _ in range(2)] == [True, True]


def test_it_rings_after_the_commit_and_not_after_a_rollback(sessions):
    """Nothing is to be found before."""
    bell = Bell()

    def undone():
        with sessions() as session:
            ring_after_commit(session, bell)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        undone()
    assert waited(bell, 0.05)[1] >= 0.05
    with sessions() as session:
        ring_after_commit(session, bell)
        assert waited(bell, 0.05)[1] >= 0.05
    assert waited(bell)[1] < 2
