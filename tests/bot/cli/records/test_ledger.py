"""`ledger` verifies the log: exit code 0 with one line, or 1 with the first wrong entry."""

import json
import re

import pytest
from sqlalchemy import text

import migrations
from agreements.store.integrity import upgrade
from agreements.vault import KeyRing, Vault
from bot import db
from bot.cli.records.ledger import command
from bot.store.logged_tables import TABLES
from tests.tampering.history import History
from tests.terminal import TerminalRunner
from tests.within import within

pytestmark = pytest.mark.slow


@pytest.fixture(name="kept")
def _kept(tmp_path):
    """A database with an ordinary history, and a way to run the command on it."""
    url, ring = f"sqlite:///{tmp_path / 'test.db'}", KeyRing.generate("k1")
    engine = db.open_engine(url)
    migrations.upgrade(engine)
    history = History(engine, Vault(KeyRing.parse(ring)))
    history.run = lambda *words, keys=ring: TerminalRunner().invoke(
        command, list(words), env={"COUNTERSIGN_DATABASE_URL": url, "COUNTERSIGN_KEYS": keys}
    )
    yield history
    engine.dispose()


@pytest.mark.slow
def test_verify_prints_entries_rows_and_the_root_of_the_checkpoint(kept, tmp_path):
    kept.live()
    printed, written = kept.run("checkpoint"), kept.run("checkpoint", "--out", str(tmp_path / "kept"))
    found, plain = kept.run("verify", "--checkpoint", str(tmp_path / "kept")), kept.run("verify", "--format", "json")

    assert [result.exit_code for result in (printed, written, found, plain)] == [0, 0, 0, 0]
    assert (tmp_path / "kept").read_text() == printed.stdout == kept.checkpoint()
    root = printed.stdout.splitlines()[2]
    assert found.stdout == f"verified 13 entries, 31 rows, root {root}\n"
    assert found.stderr == plain.stderr == "", "the bar is for a terminal alone, and so is its label"
    assert json.loads(plain.stdout) == {"verified": True, "entries": 13, "rows": 31, "root": root, "adopted": 0}
    name = printed.stdout.splitlines()[0]
    assert re.fullmatch(rf"{re.escape(name)}\+[0-9a-f]{{8}}\+[A-Za-z0-9+/=]+\n", kept.run("key").stdout)


@pytest.mark.slow
def test_a_deleted_log_is_noticed_and_its_new_beginning_is_told(kept):
    kept.live()
    with kept.engine.begin() as connection:
        for table in ("ledger_entry", "ledger_checkpoint"):
            connection.execute(text(f"DROP TRIGGER IF EXISTS {table}_no_delete"))
            connection.execute(text(f"DELETE FROM {table}"))
        connection.execute(text("DELETE FROM ledger_key"))
        connection.execute(text("UPDATE company SET countersigned_at = NULL"))
    found = kept.run("verify")
    with kept.sessions() as session:
        upgrade.adopt(within(session, kept.vault, kept.now(), kept.fresh), TABLES)
    begun = kept.run("verify")

    assert found.exit_code == 1
    assert "was added: no entry names it" in found.output
    assert begun.stdout.splitlines()[1].startswith("12 of the entries are about rows that are older than the log")


@pytest.mark.slow
def test_a_changed_row_is_named_by_its_entry(kept):
    kept.live()
    with kept.engine.begin() as connection:
        connection.execute(text("UPDATE proof SET account_id = 99 WHERE account_id IN (11, 15)"))
    found, plain = kept.run("verify"), kept.run("verify", "--format", "json")

    assert (found.exit_code, plain.exit_code) == (1, 1)
    assert re.fullmatch(r"entry 0: the row proof \w+ that it names was changed \(and 1 more\)\n", found.stdout)
    assert json.loads(plain.stdout) | {"what": ""} == {"verified": False, "entry": 0, "what": "", "more": 1}


@pytest.mark.slow
def test_a_database_set_back_behind_its_checkpoint_is_noticed(kept, tmp_path):
    kept.sign(11)
    with kept.engine.connect() as connection:
        before = connection.connection.driver_connection.serialize()
    kept.sign(12)
    (tmp_path / "kept").write_text(kept.checkpoint())
    kept.engine.dispose()
    for ending in ("", "-wal", "-shm"):
        (tmp_path / f"test.db{ending}").unlink(missing_ok=True)
    (tmp_path / "test.db").write_bytes(before)

    assert kept.run("verify").exit_code == 0
    found = kept.run("verify", "--checkpoint", str(tmp_path / "kept"))
    assert (found.exit_code, found.stdout) == (
        1,
        "entry 1: it is missing: the checkpoint that was kept counts 2 entries\n",
    )


def test_an_empty_log_verifies_and_has_no_checkpoint_and_no_key(kept):
    assert kept.run("verify").stdout.startswith("verified 0 entries, 0 rows")
    assert (kept.run("checkpoint").exit_code, kept.run("key").exit_code) == (1, 1)


def test_wrong_input_exits_with_2_in_one_line(kept, tmp_path):
    kept.sign(11)
    (tmp_path / "hello").write_text("hello")
    (tmp_path / "bytes").write_bytes(b"\xff")
    wrong = [
        kept.run("verify", "--checkpoint", str(tmp_path / "nowhere")),
        kept.run("verify", "--checkpoint", str(tmp_path / "hello")),
        kept.run("verify", "--checkpoint", str(tmp_path / "bytes")),
        kept.run("checkpoint", "--out", "/nowhere/at/all"),
        kept.run("verify", keys=None),
        kept.run("key", keys=KeyRing.generate("k2")),
        kept.run("verify", keys=KeyRing.generate("k2")),
    ]

    assert {result.exit_code for result in wrong} == {2}
    assert all(result.stderr.splitlines()[-1].startswith("countersign: ") for result in wrong)
    assert not any("Traceback" in result.output for result in wrong)
