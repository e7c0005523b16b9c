"""A run in progress is shown only where the judgement takes long, and never after it."""

import threading
from datetime import timedelta

import pytest

from bot.clock import monotonic
from bot.flows.journey import LostClaim
from bot.flows.publishing import in_progress
from bot.flows.publishing.in_progress import shown_when_slow
from bot.github.ports import Unreachable


@pytest.fixture(name="shown")
def _shown(monkeypatch):
    """What is set once it was shown; slow is what takes longer than a moment."""
    monkeypatch.setattr(in_progress, "SLOW_AFTER", timedelta(seconds=0.1))
    return threading.Event()


def test_what_is_quick_shows_nothing(shown):
    """Nor later, once the block is left."""
    with shown_when_slow(shown.set, begun=monotonic()):
        pass
    assert not shown.wait(0.3)


def test_what_is_slow_is_shown_meanwhile(shown):
    """On another thread; where the time is over already, at once."""
    with shown_when_slow(shown.set, begun=monotonic()):
        assert shown.wait(10)
    shown.clear()
    with shown_when_slow(shown.set, begun=monotonic() - 60):
        assert shown.wait(10)


def test_the_verdict_waits_for_what_is_being_shown(shown):
    """Two that make one run at the same time would make two."""
    done = []

    def show():
        shown.set()
        threading.Event().wait(0.2)
        done.append(True)

    with shown_when_slow(show, begun=monotonic()):
        assert shown.wait(10)
    assert done == [True]


@pytest.mark.parametrize("error", [Unreachable("GitHub answered 502"), LostClaim()])
def test_a_failure_to_show_it_changes_nothing(shown, error):
    """The verdict says the rest."""

    def show():
        shown.set()
        raise error

    with shown_when_slow(show, begun=monotonic()):
        assert shown.wait(10)


def test_an_error_of_the_judgement_stays_what_it_is(shown):
    """Nothing is shown after it either."""
    with pytest.raises(LostClaim), shown_when_slow(shown.set, begun=monotonic()):
        raise LostClaim
    assert not shown.wait(0.3)
