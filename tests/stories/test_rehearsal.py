"""The rehearsal: a backup under load, the database lost, and everything right again after a restore."""

import threading
import time

import pytest
from sqlalchemy import text

from agreements.vault import KeyRing, Vault
from bot import db
from tests.ready import NOTHING, on_postgres
from tests.tampering.history import History

pytestmark = pytest.mark.slow

SIGNED = "Fix it\n\nSigned-off-by: Ada <ada@example.org>"


@pytest.fixture(name="places", params=["sqlite", "postgres"])
def _places(request, tmp_path):
    """Addresses of two databases: one to be lost, an empty one to come back to."""
    if request.param == "sqlite":
        yield [f"sqlite:///{tmp_path / name}.db" for name in ("lost", "new")]
        return
    server = request.getfixturevalue("postgres_server")
    with on_postgres(server) as lost, on_postgres(server, NOTHING) as new:
        yield [lost, new]


def ask(play, query):
    """What the present database says."""
    engine = db.open_engine(play.stage.environment["COUNTERSIGN_DATABASE_URL"])
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(query))]
    engine.dispose()
    return found


def record(play):
    """People and a company sign, and one withdraws; what wrote it can write more."""
    engine = db.open_engine(play.stage.environment["COUNTERSIGN_DATABASE_URL"])
    history = History(engine, Vault(KeyRing.parse((play.stage.folder / "keys").read_text())))
    receipts = [history.sign(account) for account in range(7_001, 7_006)]
    history.withdraw(7_001, receipts[0])
    history.company()
    return history


def checkpoint(play, name):
    """A file that holds how far the log has come."""
    file = play.stage.folder / name
    file.write_text(play.command("ledger", "checkpoint"), encoding="utf-8")
    return str(file)


@pytest.mark.sqlite_nightly
def test_a_backup_under_load_is_restored_and_everything_is_judged_right(staged, places):
    lost, new = places
    play = staged(settings={"COUNTERSIGN_DATABASE_URL": lost})
    play.community("version: 1\nrepositories: [{match: ['*'], require: dco}]\n")
    play.stage.serve()
    ada = play.person("ada", "ada@example.org")
    history = record(play)
    older, recorded = checkpoint(play, "older"), play.command("ledger", "verify")
    pulls = [play.opens(ada, branch=f"before{number}", message=f"Before {number}: {SIGNED}")[1] for number in range(3)]
    play.until(lambda: [play.verdict(pull) for pull in pulls] == ["success"] * 3)

    stop, made = threading.Event(), []

    def load():
        while not stop.is_set():
            made.append(play.opens(ada, branch=f"load{len(made)}", message=f"Load {len(made)}: {SIGNED}")[1])

    worker = threading.Thread(target=load)
    worker.start()
    play.until(lambda: len(made) >= 2)
    play.command("backup", str(play.stage.folder / "backup"))
    stop.set()
    worker.join()
    history.sign(7_100)
    younger = checkpoint(play, "younger")
    history.engine.dispose()
    after = play.opens(ada, branch="after", message="No sign-off")[1]
    play.until(lambda: play.verdict(after) == "failure")
    play.stage.kill()
    away = play.opens(ada, branch="away", message=f"Away: {SIGNED}")[1]
    play.world.hooks.drain()

    play.stage._extra["COUNTERSIGN_DATABASE_URL"] = new
    began = time.monotonic()
    play.command("restore", str(play.stage.folder / "backup"))
    assert play.command("ledger", "verify") == recorded
    play.command("ledger", "verify", "--checkpoint", older)
    play.command("ledger", "verify", "--checkpoint", younger, code=1)
    play.stage.serve()
    every = [*pulls, *made, after, away]
    play.until(lambda: all(play.verdict(pull) for pull in every), within=60)
    heads = "SELECT number FROM pull WHERE evaluated = latest AND evaluated > 0"
    play.until(lambda: {row[0] for row in ask(play, heads)} == {pull.number for pull in every}, within=60)
    print(f"from the start of the restore to the last verdict: {time.monotonic() - began:.1f} s")

    expected = ["success"] * (len(pulls) + len(made)) + ["failure", "success"]
    assert [[run.conclusion for run in play.runs(pull)] for pull in every] == [[conclusion] for conclusion in expected]
    assert len(play.comments(after)) == 1
    play.opens(ada, branch="later", message=f"Later: {SIGNED}")
    play.until(lambda: len(ask(play, "SELECT 1 FROM pull")) == len(every) + 1)
