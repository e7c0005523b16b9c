"""The rehearsal: a backup under load, the database lost, and everything right again after a restore."""

import subprocess
import sys
import threading
import time

import pytest
from sqlalchemy import text

from agreements.vault import KeyRing, Vault
from bot import db
from bot.settings import for_child
from tests.ready import on_postgres
from tests.tampering.history import History

pytestmark = pytest.mark.story

SIGNED = "Fix it\n\nSigned-off-by: Ada <ada@example.org>"


@pytest.fixture(name="places", params=["sqlite", "postgres"])
def _places(request, tmp_path):
    """Addresses of two databases: one to be lost, an empty one to come back to."""
    if request.param == "sqlite":
        yield [f"sqlite:///{tmp_path / name}.db" for name in ("lost", "new")]
        return
    server = request.getfixturevalue("postgres_server")
    with on_postgres(server, empty=False) as lost, on_postgres(server, empty=True) as new:
        yield [lost, new]


def run(play, *words):
    """A command of ours with the stage's settings; gives what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "bot", *words], env=for_child(play.stage.environment), cwd=play.stage.folder,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def ask(play, query):
    """What the present database says."""
    engine = db.open_engine(play.stage.environment["COUNTERSIGN_DATABASE_URL"])
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(query))]
    engine.dispose()
    return found


def record(play):
    """People and a company sign, and one withdraws: what the log says of it."""
    engine = db.open_engine(play.stage.environment["COUNTERSIGN_DATABASE_URL"])
    history = History(engine, Vault(KeyRing.parse((play.stage.folder / "keys").read_text())))
    receipts = [history.sign(account) for account in range(7_001, 7_006)]
    history.withdraw(7_001, receipts[0])
    history.company()
    engine.dispose()
    return run(play, "ledger", "verify")


def test_backed_up_under_load_and_restored(staged, places):
    """What was judged before is known, what happened after the backup is found by the sweep and judged right."""
    lost, new = places
    play = staged(settings={"COUNTERSIGN_DATABASE_URL": lost})
    play.community("version: 1\nrepositories: [{match: ['*'], require: dco}]\n")
    play.stage.serve()
    ada = play.person("ada", "ada@example.org")
    recorded = record(play)
    pulls = [play.opens(ada, branch=f"before{number}", message=f"Before {number}: {SIGNED}")[1] for number in range(3)]
    play.until(lambda: [play.verdict(one) for one in pulls] == ["success"] * 3)

    stop, made = threading.Event(), []

    def load():
        while not stop.is_set():
            made.append(play.opens(ada, branch=f"load{len(made)}", message=f"Load {len(made)}: {SIGNED}")[1])

    worker = threading.Thread(target=load)
    worker.start()
    play.until(lambda: len(made) >= 2)
    run(play, "backup", str(play.stage.folder / "backup"))
    stop.set()
    worker.join()
    after = play.opens(ada, branch="after", message="No sign-off")[1]
    play.until(lambda: play.verdict(after) == "failure")
    play.stage.kill()
    away = play.opens(ada, branch="away", message=f"Away: {SIGNED}")[1]
    play.world.hooks.drain()

    play.stage._extra["COUNTERSIGN_DATABASE_URL"] = new
    began = time.monotonic()
    run(play, "restore", str(play.stage.folder / "backup"))
    assert run(play, "ledger", "verify") == recorded
    play.stage.serve()
    every = [*pulls, *made, after, away]
    play.until(lambda: all(play.verdict(one) for one in every), within=60)
    heads = "SELECT number FROM pull WHERE evaluated = latest AND evaluated > 0"
    play.until(lambda: {row[0] for row in ask(play, heads)} == {one.number for one in every}, within=60)
    print(f"from the start of the restore to the last verdict: {time.monotonic() - began:.1f} s")

    expected = ["success"] * (len(pulls) + len(made)) + ["failure", "success"]
    assert [[run.conclusion for run in play.runs(one)] for one in every] == [[one] for one in expected]
    assert len(play.comments(after)) == 1
    play.opens(ada, branch="later", message=f"Later: {SIGNED}")
    play.until(lambda: len(ask(play, "SELECT 1 FROM pull")) == len(every) + 1)
