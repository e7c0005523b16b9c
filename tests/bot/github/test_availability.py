"""Errors of the hub during an outage, and the priority of a write."""

import threading

from bot.github.availability import CircuitOpen, Paced, current_priority, write_priority
from bot.github.ports import Unreachable


def test_an_open_circuit_and_a_paced_write_are_outages_with_a_wait():
    for kind in (CircuitOpen, Paced):
        error = kind("GitHub asks us to wait", 7.0)
        assert isinstance(error, Unreachable)
        assert error.retry_after == 7.0


def test_a_priority_holds_for_one_thread_only():
    seen = []
    with write_priority("urgent"):
        seen.append(current_priority())
        other = threading.Thread(target=lambda: seen.append(current_priority()))
        other.start()
        other.join()
    seen.append(current_priority())

    assert seen == ["urgent", "normal", "normal"]
