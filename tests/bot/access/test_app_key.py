"""GitHub is asked whether it takes the App's key until it does, then seldom, and each answer is told once."""

from datetime import timedelta

from structlog.testing import capture_logs

from bot.access.app_key import UNCHECKED, AppKey
from bot.github.ports import Refused, Unreachable

AWAY, NO = Unreachable("GitHub answered 502"), Refused("the private key does not match App 7")
SAID = "COUNTERSIGN_APP_ID, COUNTERSIGN_PRIVATE_KEY: the private key does not match App 7"


class App:
    """Answers as its turn says; None: it takes the key."""

    def __init__(self, *turns):
        self.turns = list(turns)

    def identity(self, *, again):
        """Who we are, asked of GitHub itself."""
        assert again
        if turn := self.turns.pop(0):
            raise turn


def looked(app, times, **more):
    """What was logged by so many looks, and what is said in the end."""
    key = AppKey(app, **more)
    with capture_logs() as log:
        for _ in range(times):
            key.refresh()
    return [(line["event"], line.get("why")) for line in log], key.refused


def test_each_change_of_the_keys_state_is_one_line():
    found = looked(App(AWAY, AWAY, NO, NO, None), 5)

    assert found == ([("app.unchecked", UNCHECKED), ("app.refused", SAID), ("app.taken", None)], None)


def test_a_key_that_is_taken_is_asked_about_seldom():
    app = App(None, NO)
    assert looked(app, 3) == ([], None)
    assert len(app.turns) == 1

    assert looked(App(None, NO), 2, again=timedelta(0)) == ([("app.refused", SAID)], SAID)


def test_githubs_last_word_on_the_key_counts_during_an_outage():
    assert looked(App(NO, AWAY), 2)[1] == SAID
