"""Several processes verify a log as one process does, with the same words."""

import json
import subprocess
import sys
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agreements import ledger
from agreements.facts import Check, Conclusion, Note, Verdict
from agreements.ledger import Checkpoint
from agreements.store.integrity.row_integrity import NewestEntry
from agreements.store.tables.ledger_records import LedgerKey
from agreements.vault import KeyRing, Vault, place
from bot import db
from bot.records import log_verification
from bot.records.erasure_keys import ErasureKeyFile
from bot.store.pulls import review_mailbox, verdicts
from bot.store.records import PullRecord
from tests.bot.records import follower
from tests.logged import AT
from tests.tampering.history import History

WRITTEN = KeyRing.generate("k1")
RING = KeyRing.parse(WRITTEN)


@pytest.fixture(name="history")
def _history(engine):
    """An ordinary year, on each of the two databases."""
    history = History(engine, Vault(RING))
    history.live()
    return history


def both(engine, kept=None, erasure_keys=None):
    """What one process finds; a program that has others to help finds the same."""
    asked = {
        "url": engine.url.render_as_string(hide_password=False), "ring": WRITTEN, "kept": kept,
        "erasure_keys": str(erasure_keys) if erasure_keys else None,
    }  # fmt: skip
    found = follower.main(**asked, least=10**6)
    ran = subprocess.run(
        [sys.executable, "-m", "tests.bot.records.follower"], input=json.dumps({**asked, "least": 0}),
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == found
    return found


@pytest.mark.slow
def test_worker_processes_read_the_erasure_keys_too(engine, tmp_path):
    file = ErasureKeyFile(tmp_path / "erasure-keys")
    file.make()
    History(engine, Vault(RING, erasure_keys=file)).live()

    assert both(engine, erasure_keys=tmp_path / "erasure-keys")["entries"]
    assert "cannot be decrypted" in both(engine)["what"]


def another(engine, size):
    """A checkpoint of another history of that many entries, signed with this log's key."""
    with db.sessions(engine)() as session:
        kept = session.get(LedgerKey, "checkpoint")
        secret = Vault(RING).decrypt_for_server(kept.sealed, place("ledger_key", "sealed", "checkpoint"))
        checkpoint = Checkpoint(ledger.origin(kept.public_key), size, bytes(32))
        signature = ledger.sign(checkpoint, Ed25519PrivateKey.from_private_bytes(secret))
        return ledger.note(checkpoint, kept.public_key, signature)


def do(engine, table, statement):
    """Run the statement, as an attacker with all rights does."""
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        else:
            for (name,) in connection.exec_driver_sql(
                f"SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '{table}'"
            ).all():
                connection.exec_driver_sql(f"DROP TRIGGER {name}")
        connection.exec_driver_sql(statement)


@pytest.mark.slow
def test_several_processes_find_what_one_finds(engine, history):
    kept, forged = history.checkpoint(), another(engine, 5)
    history.sign(19)

    found = both(engine, kept)
    assert found["steps"] == 14 + found["rows"]
    assert both(engine, forged)["entry"] == 4
    do(engine, "ledger_entry", "UPDATE ledger_entry SET actor_id = 5 WHERE number = 7")
    assert both(engine)["entry"] == 7
    do(engine, "ledger_entry", "UPDATE ledger_entry SET rows = '[' WHERE number = 3")
    assert both(engine)["entry"] == 3


@pytest.fixture(name="judged")
def _judged(sessions):
    """A maker of green verdicts that rest on these records."""

    def judged(*records, at=AT):
        note = Note(code="cla/individual", values={"version": "2.0", **({"records": records} if records else {})})
        verdict = Verdict(
            conclusion=Conclusion.SUCCESS, checks=(Check(name="CLA", conclusion=Conclusion.SUCCESS, notes=(note,)),)
        )
        with sessions() as session:
            pull = review_mailbox.find(session, 1, 1)
            if pull is None:
                pull = PullRecord(repository_id=1, number=1, installation_id=1, owner="o", name="r", owner_id=1)
                session.add(pull)
                session.flush()
            verdicts.add(session, pull.id, f"{at.timestamp():.0f}".ljust(40, "0"), verdict, at=at)

    return judged


def unsupported(sessions, **known):
    """What is found, where the log knows these rows and no others."""
    newest = {(table.split(":")[0], table.split(":")[1]): entry for table, entry in known.pop("rows").items()}
    with sessions() as session:
        return list(
            log_verification.unsupported(
                session, lambda table, keys: {key: newest[table, key] for key in keys if (table, key) in newest}
            )
        )


def test_a_verdict_that_rests_on_a_row_without_an_entry_is_named(sessions, judged):
    judged()
    judged("signature:s1", "company:c1", "company_entry:e1", at=AT + timedelta(days=1))
    logged = {row: NewestEntry(1, AT) for row in ("signature:s1", "company:c1", "company_entry:e1")}
    assert unsupported(sessions, rows=logged) == []
    for gone in logged:
        rest = {key: entry for key, entry in logged.items() if key != gone}
        (what,) = unsupported(sessions, rows=rest)
        assert what.endswith(f"rests on the row {gone.replace(':', ' ')}, which no entry names")


@pytest.mark.parametrize(("minutes", "is_found"), [(-60, True), (-5, False), (60, False)])
def test_a_verdict_given_long_after_the_withdrawal_is_named(sessions, judged, minutes, is_found):
    """A verdict may take some minutes."""
    judged("signature:s1")
    logged = {"signature:s1": NewestEntry(1, AT), "withdrawal:s1": NewestEntry(2, AT + timedelta(minutes=minutes))}
    found = unsupported(sessions, rows=logged)
    assert [line.endswith("which had been withdrawn") for line in found] == ([True] if is_found else [])
