"""A log followed by several processes is judged as by one: what they find wrong is said in the same words."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agreements import ledger
from agreements.ledger import Checkpoint
from agreements.store.integrity.verification import Tampered
from agreements.store.tables.ledger_records import LedgerKey
from agreements.vault import KeyRing, Vault, place
from bot import db
from bot.records import verification
from bot.records.erasure_keys import ErasureKeyFile
from bot.store.logged_tables import TABLES
from tests.tampering.history import History

RING = KeyRing.parse(KeyRing.generate("k1"))


@pytest.fixture(name="history")
def _history(engine):
    """An ordinary year, on each of the two databases."""
    history = History(engine, Vault(RING))
    history.live()
    return history


def said(engine, least, kept=None):
    """What is found, and how many entries and rows were told of."""
    steps = []
    try:
        found = verification.verify(engine, verification.Keys(RING), TABLES, kept=kept, done=steps.append, least=least)
    except Tampered as tampered:
        return tampered.entry, tampered.what
    return found, sum(steps)


def test_erasure_keys_are_read_by_the_others_too(engine, tmp_path):
    """What was told of people opens there as here."""
    file = ErasureKeyFile(tmp_path / "erasure-keys")
    file.make()
    History(engine, Vault(RING, erasure_keys=file)).live()
    keys = verification.Keys(RING, file)
    for least in (0, 10**6):
        assert verification.verify(engine, keys, TABLES, least=least).entries
    with pytest.raises(Tampered, match="cannot be decrypted"):
        verification.verify(engine, verification.Keys(RING), TABLES, least=0)


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

    several = said(engine, 0, kept)
    assert several == said(engine, 99, kept)
    assert several[1] == 14 + several[0].rows
    assert same(engine, forged) == 4
    do(engine, "ledger_entry", "UPDATE ledger_entry SET actor_id = 5 WHERE number = 7")
    assert same(engine) == 7
    do(engine, "ledger_entry", "UPDATE ledger_entry SET rows = '[' WHERE number = 3")
    assert same(engine) == 3


def same(engine, kept=None):
    """The entry that one process names, and several with the same words."""
    several = said(engine, 0, kept)
    assert several == said(engine, 99, kept)
    return several[0]
