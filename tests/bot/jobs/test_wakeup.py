"""A wake-up ends the waiting, and comes when a transaction is committed and not when it is rolled back."""

import threading
import time

import pytest

from bot.jobs.wakeup import Wakeup, call_after_commit


def waited(wakeup, timeout=5.0):
    """Whether it is set, and how long the waiting took."""
    start = time.monotonic()
    return wakeup.wait(timeout), time.monotonic() - start


def test_it_waits_as_long_as_it_is_told_unless_it_is_woken():
    """Only once for each wake-up, also for one that came before."""
    wakeup = Wakeup()
    assert waited(wakeup, 0.05)[1] >= 0.05
    wakeup.wake()
    is_set, took = waited(wakeup)
    assert not is_set
    assert took < 1
    assert waited(wakeup, 0.05)[1] >= 0.05


@pytest.mark.parametrize(("act", "is_set"), [("wake", False), ("set", True)])
def test_who_waits_is_woken(act, is_set):
    """By another thread."""
    wakeup = Wakeup()
    threading.Timer(0.05, getattr(wakeup, act)).start()
    found, took = waited(wakeup)
    assert found is is_set
    assert took < 2


def test_the_earliest_ring_counts():
    """One that is due later does not put off what is due sooner, and is over with it."""
    wakeup = Wakeup()
    wakeup.wake(5)
    wakeup.wake(0.05)
    wakeup.wake(5)
    assert 0.04 < waited(wakeup)[1] < 2
    assert waited(wakeup, 0.05)[1] >= 0.05


def test_what_is_set_waits_no_more():
    """However often it is asked."""
    wakeup = Wakeup()
    wakeup.set()
    assert [waited(wakeup)[0] for _ in range(2)] == [True, True]


def test_it_rings_after_the_commit_and_not_after_a_rollback(sessions):
    """Nothing is to be found before."""
    wakeup = Wakeup()

    def undone():
        with sessions() as session:
            call_after_commit(session, wakeup.wake)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        undone()
    assert waited(wakeup, 0.05)[1] >= 0.05
    with sessions() as session:
        call_after_commit(session, wakeup.wake)
        assert waited(wakeup, 0.05)[1] >= 0.05
    assert waited(wakeup)[1] < 2
