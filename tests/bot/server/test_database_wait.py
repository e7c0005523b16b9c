"""A server that waits for its database says so, rarely, and is alive and not ready meanwhile."""

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
def test_the_wait_ends_with_any_answer_of_the_database(problem):
    said, away = [], DatabaseAway("no database")
    check = Check(away, away, away, problem)
    wait = DatabaseWait(check, said.append, look_seconds=0.01)
    run(wait.wait())

    assert (wait.problem, check.turns, said) == (problem, [], [])


def test_a_long_wait_is_logged_again_each_time_it_is_due():
    said, away = [], DatabaseAway("no database")
    run(DatabaseWait(Check(away, away, None), said.append, look_seconds=0.01, say_seconds=0).wait())

    assert said == ["no database; waiting for it"] * 2


def test_a_fault_of_another_kind_ends_the_wait():
    with pytest.raises(ZeroDivisionError):
        run(DatabaseWait(Check(ZeroDivisionError()), print, look_seconds=0.01).wait())


def test_meanwhile_the_server_is_alive_and_not_ready_and_asks_to_come_again():
    client = Client(waiting_room())

    assert client.get("/livez").status_code == 200
    assert client.get("/readyz").status_code == 503
    assert client.get("/readyz").get_json()["why"] == "the database does not answer"
    told = client.post("/webhook", data=b"{}")
    assert (told.status_code, told.headers["Retry-After"]) == (503, "10")
