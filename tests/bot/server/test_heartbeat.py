"""A long step shows signs of life until it ends."""

import threading

import pytest

from bot.server.heartbeat import heartbeat


def test_a_long_step_is_told_again_and_again_until_it_ends():
    told, three = [], threading.Event()

    def say(seconds):
        told.append(seconds)
        if len(told) == 3:
            three.set()

    with heartbeat(say, seconds=0.51):
        assert three.wait(20)
    known = list(told)
    assert known[:3] == [1, 1, 2]
    assert told == known
    assert "heartbeat" not in {thread.name for thread in threading.enumerate()}


def test_a_step_that_fails_is_told_no_longer():
    with pytest.raises(ZeroDivisionError), heartbeat(lambda _seconds: None):
        raise ZeroDivisionError
    assert "heartbeat" not in {thread.name for thread in threading.enumerate()}
