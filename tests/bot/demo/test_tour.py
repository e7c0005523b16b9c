"""The tour shows one step after the other; each waits until it is done or skipped."""

import io
import threading

import pytest

from bot.demo import tour
from bot.demo.tour import TourStep, walk


class Keyboard(io.StringIO):
    """A terminal where Enter is pressed when the test says so."""

    def __init__(self):
        super().__init__()
        self.pressed = threading.Semaphore(0)

    def __iter__(self):
        while True:
            self.pressed.acquire()
            yield "\n"


@pytest.fixture(name="keyboard")
def _keyboard(monkeypatch):
    keyboard = Keyboard()
    monkeypatch.setattr("sys.stdin", keyboard)
    monkeypatch.setattr(tour, "POLL_SECONDS", 0.01)
    return keyboard


def test_each_step_of_the_tour_waits_until_it_is_done_or_skipped(keyboard, capsys):
    done, ended = threading.Event(), threading.Event()
    plan = [TourStep("Sign.\nIt turns green.", "http://x/1", done.is_set), TourStep("Enrol.", "http://x/2")]
    walker = threading.Thread(target=walk, args=(plan, ended), kwargs={"browser": False})
    walker.start()

    def says(words):
        said.append(capsys.readouterr().out)
        return words in "".join(said)

    said = []
    wait(lambda: says("Step 1 of 2\n\n  Sign.\n  It turns green.\n\nPress Enter to skip it.\n"))
    assert "Step 2" not in "".join(said)
    done.set()
    wait(lambda: says("Done.\n\nStep 2 of 2\n\n  Enrol.\n\nPress Enter when you have done it.\n"))
    assert walker.is_alive()
    keyboard.pressed.release()
    walker.join(10)
    assert says("This is the end of the tour.")


def test_the_end_of_the_demo_ends_the_tour(keyboard):
    ended = threading.Event()
    ended.set()
    walk([TourStep("Sign.", "http://x/1", lambda: False)], ended, browser=False)


def wait(condition):
    """Until it holds."""
    ticking = threading.Event()
    for _ in range(1000):
        if condition():
            return
        ticking.wait(0.01)
    raise AssertionError("it did not come to be")
