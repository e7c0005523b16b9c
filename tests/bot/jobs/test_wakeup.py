"""A wake-up ends the waiting, and comes when a transaction is committed and not when it is rolled back."""

import threading
import time

import pytest

from bot.jobs.wakeup import Wakeup, call_after_commit


def waited(wakeup, timeout=5.0):
    """Whether it is set, and how long the waiting took."""
    start = time.monotonic()
    return wakeup.wait(timeout), time.monotonic() - start


def test_a_wait_ends_by_its_time_or_by_one_wake_up():
    wakeup = Wakeup()
    assert waited(wakeup, 0.05)[1] >= 0.05
    wakeup.wake()
    is_set, took = waited(wakeup)
    assert not is_set
    assert took < 1
    assert waited(wakeup, 0.05)[1] >= 0.05


@pytest.mark.parametrize(("act", "is_set"), [("wake", False), ("set", True)])
def test_another_thread_ends_a_wait(act, is_set):
    wakeup = Wakeup()
    threading.Timer(0.05, getattr(wakeup, act)).start()
    found, took = waited(wakeup)
    assert found is is_set
    assert took < 2


def test_the_earliest_ring_counts():
    wakeup = Wakeup()
    wakeup.wake(5)
    wakeup.wake(0.05)
    wakeup.wake(5)
    assert 0.04 < waited(wakeup)[1] < 2
    assert waited(wakeup, 0.05)[1] >= 0.05


def test_a_set_wake_up_ends_every_later_wait():
    wakeup = Wakeup()
    wakeup.set()
    assert [waited(wakeup)[0] for _ in range(2)] == [True, True]


def test_a_wake_up_rings_after_the_commit_and_not_after_a_rollback(sessions):
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
