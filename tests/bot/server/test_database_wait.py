"""Who waits for a database says so, rarely, and is alive and not ready meanwhile."""

import pytest

from bot.server.database_wait import DatabaseAway, DatabaseWait, waiting_room
from tests.asgi import Client, run


class Check:
    """Answers as its turn says."""

    def __init__(self, *turns):
        self.turns = list(turns)

    def __call__(self):
        """What keeps us from serving."""
        turn = self.turns.pop(0)
        if isinstance(turn, Exception):
            raise turn
        return turn


@pytest.mark.parametrize("problem", [None, "run countersign migrate"])
def test_it_waits_until_there_is_an_answer(problem):
    """Whatever that answer is."""
    said, away = [], DatabaseAway("no database")
    check = Check(away, away, away, problem)
    wait = DatabaseWait(check, said.append, look_seconds=0.01)
    run(wait.wait())

    assert (wait.problem, check.turns, said) == (problem, [], [])


def test_it_says_so_again():
    """Each time that is due; whoever found it away first has said it."""
    said, away = [], DatabaseAway("no database")
    run(DatabaseWait(Check(away, away, None), said.append, look_seconds=0.01, say_seconds=0).wait())

    assert said == ["no database; waiting for it"] * 2


def test_what_is_a_fault_ends_the_waiting():
    """It is not taken for a database that is away."""
    with pytest.raises(ZeroDivisionError):
        run(DatabaseWait(Check(ZeroDivisionError()), print, look_seconds=0.01).wait())


def test_what_is_answered_meanwhile():
    """Alive, not ready, and deliveries and pages are to come again."""
    client = Client(waiting_room())

    assert client.get("/livez").status_code == 200
    assert client.get("/readyz").status_code == 503
    assert client.get("/readyz").get_json()["why"] == "the database does not answer"
    told = client.post("/webhook", data=b"{}")
    assert (told.status_code, told.headers["Retry-After"]) == (503, "10")
