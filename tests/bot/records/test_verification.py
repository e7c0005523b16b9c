"""A log followed by several processes is judged as by one: what they find wrong is said in the same words."""

import json
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agreements import ledger
from agreements.ledger import Checkpoint
from agreements.store.tables.ledger_records import LedgerKey
from agreements.vault import KeyRing, Vault, place
from bot import db
from bot.records.erasure_keys import ErasureKeyFile
from tests.bot.records import follower
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


def test_erasure_keys_are_read_by_the_others_too(engine, tmp_path):
    """What was told of people opens there as here."""
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
    """As somebody with all rights does it."""
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        else:
            for (name,) in connection.exec_driver_sql(
                f"SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '{table}'"
            ).all():
                connection.exec_driver_sql(f"DROP TRIGGER {name}")
        connection.exec_driver_sql(statement)


def test_others_say_what_one_says(engine, history):
    """All is well; an older root was exchanged for one that was kept; an entry was changed; the lists cannot be read."""
    kept, forged = history.checkpoint(), another(engine, 5)
    history.sign(19)

    found = both(engine, kept)
    assert found["steps"] == 14 + found["rows"]
    assert both(engine, forged)["entry"] == 4
    do(engine, "ledger_entry", "UPDATE ledger_entry SET actor_id = 5 WHERE number = 7")
    assert both(engine)["entry"] == 7
    do(engine, "ledger_entry", "UPDATE ledger_entry SET rows = '[' WHERE number = 3")
    assert both(engine)["entry"] == 3
