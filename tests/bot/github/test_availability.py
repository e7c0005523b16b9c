"""What callers are told while GitHub cannot be asked, and how they say how urgent a write is."""

import threading

from bot.github.availability import CircuitOpen, Paced, current_priority, write_priority
from bot.github.ports import Unreachable


def test_whoever_knows_of_no_breaker_treats_both_as_github_being_away():
    """With the seconds after which to come back."""
    for kind in (CircuitOpen, Paced):
        error = kind("GitHub asks us to wait", 7.0)
        assert isinstance(error, Unreachable)
        assert error.retry_after == 7.0


def test_a_priority_is_that_of_one_thread_while_it_says_so():
    """Another thread has its own."""
    seen = []
    with write_priority("urgent"):
        seen.append(current_priority())
        other = threading.Thread(target=lambda: seen.append(current_priority()))
        other.start()
        other.join()
    seen.append(current_priority())

    assert seen == ["urgent", "normal", "normal"]
