"""The whole log is verified against the whole database: every change is found, and no false alarm given."""

from itertools import islice

import pytest
from sqlalchemy import text

import migrations
from agreements.ledger import NoteMisshapen
from agreements.store.integrity import verification
from agreements.store.integrity.verification import Tampered, VerificationOptions
from agreements.vault import KeyRing, Vault
from bot import db
from bot.store.logged_tables import TABLES
from tests.tampering.history import History
from tests.tampering.run import Target

SAMPLE = 40
"""As many as the time of an ordinary test run allows; `make hostile` tries 1,000."""


@pytest.fixture(name="history")
def _history(engine, vault):
    """An ordinary year, on each of the two databases."""
    history = History(engine, vault)
    history.live()
    return history


@pytest.fixture(name="whole", scope="module")
def _whole():
    """One such year without the triggers, as an attacker with all rights would have it."""
    return Target()


@pytest.fixture(name="target")
def _target(whole):
    """The same, as good as new."""
    whole.restore()
    return whole


@pytest.mark.slow
def test_an_ordinary_history_verifies_after_an_erasure_and_against_every_checkpoint(history):
    kept = history.checkpoint()
    found = history.verified(kept)
    history.sign(19)

    assert (found.entries, found.rows) == (13, 31)
    assert history.verified(kept).entries == 14
    assert history.verified() == history.verified()


@pytest.mark.slow
def test_an_empty_database_verifies(tmp_path, vault):
    engine = db.open_engine(f"sqlite:///{tmp_path / 'empty.db'}")
    migrations.upgrade(engine)
    found = History(engine, vault).verified()
    engine.dispose()

    assert (found.entries, found.rows) == (0, 0)


CHANGES = [
    ("UPDATE erasure SET reason = NULL", 9, "was changed"),
    ("UPDATE erasure SET reason = 'x'", 9, "was changed"),
    ("UPDATE person SET wrapped_key = '' WHERE account_id = 16", 5, "no later entry says"),
    ("UPDATE company_entry SET email_index = 'x' WHERE kind = 'email'", 7, "the look-up of the row company_entry"),
    ("UPDATE proof SET address_index = 'x' WHERE account_id = 16", 5, "the look-up of the row proof"),
    ("UPDATE person SET login = 'eve' WHERE account_id = 16", 5, "the row person"),
    ("UPDATE person SET account_id = 66 WHERE account_id = 16", 5, "the row person"),
    ("DELETE FROM proof WHERE account_id = 15", 4, "was removed"),
    ("UPDATE signature SET evidence = 'x' WHERE account_id = 14", 3, "was changed"),
    ("UPDATE signature SET version = '1.0' WHERE account_id = 11", 0, "was changed"),
    ("UPDATE ledger_entry SET actor_id = 1 WHERE number = 6", 6, "it was changed"),
    ("UPDATE ledger_checkpoint SET signature = 'x' WHERE size = 3", 2, "the signed root after it"),
    ("UPDATE ledger_key SET sealed = 'x' WHERE id = 'checkpoint'", 0, "exchanged"),
]
"""What is done, and the first bad entry with what is wrong: rows, then the log, which is looked at first; each before the one above it."""

APART = ("no later entry says",)
"""What is the same on both databases."""
ADDED = "INSERT INTO released_text SELECT name, '4.0', language, source, sha256, released_at, 1 FROM released_text"


PARTY_ADDED = """
INSERT INTO agreement_party SELECT 'x', id, NULL, 'Other Foundation', 'derived', signed_at, NULL
FROM signature WHERE account_id = 11
"""
PARTIES = [
    ("UPDATE signature SET party = 'Other Foundation' WHERE account_id = 11", 0, "was changed"),
    ("UPDATE signature SET party = NULL WHERE account_id = 11", 0, "was changed"),
    ("UPDATE agreement_party SET party = 'Other Foundation'", 7, "was changed"),
    ("UPDATE agreement_party SET how = 'administrator'", 7, "was changed"),
    ("DELETE FROM agreement_party", 7, "was removed"),
    (PARTY_ADDED, None, "was added"),
]
"""The party of a signature, and of a company without one: each is as the log has it, or it is found."""


RESTRICTED = ("UPDATE person SET restricted_at = created_at WHERE account_id = 16", 5, "was changed")


@pytest.mark.parametrize(
    ("statement", "entry", "what"),
    [*CHANGES, *PARTIES, (ADDED, None, "was added"), RESTRICTED],
)
def test_each_change_is_named_with_the_first_bad_entry(target, statement, entry, what):
    target.database.execute(statement)
    target.database.commit()
    said = target.said()

    assert said.startswith(f"entry {entry}: "), said
    assert what in said


@pytest.mark.parametrize(
    ("statement", "entry"),
    [
        ("UPDATE signature SET signed_at = X'fffe' WHERE account_id = 14", 3),
        ("UPDATE company SET signed_at = X'fffe'", 7),
        ("UPDATE ledger_key SET public_key = CAST(public_key AS TEXT)", 0),
        ("UPDATE ledger_entry SET subject_id = CAST(X'ff' AS TEXT) WHERE kind = 'erasure.shredded'", 2),
    ],
)
def test_undecodable_bytes_in_a_text_column_are_named(target, statement, entry):
    target.database.execute(statement)
    target.database.commit()

    assert target.said().startswith(f"entry {entry}: ")


def test_a_long_run_of_missing_entries_is_counted(target, monkeypatch):
    monkeypatch.setattr(verification, "_BATCH_ENTRIES", 2)
    assert target.said() is None
    target.database.execute("DELETE FROM ledger_entry WHERE number BETWEEN 3 AND 8")
    target.database.commit()

    assert target.said() == "entry 3: it is missing: the next one has the number 9"


@pytest.mark.slow
def test_each_change_on_postgresql_is_named_with_the_first_bad_entry(postgres_url, vault):
    engine = db.open_engine(postgres_url)
    migrations.upgrade(engine)
    history = History(engine, vault)
    history.live()
    for table in ("signature", "ledger_entry", "ledger_checkpoint"):
        do(engine, f"ALTER TABLE {table} DISABLE TRIGGER USER")
    seen = []
    for statement in (ADDED, *(statement for statement, _, what in CHANGES if what not in APART)):
        do(engine, statement)
        with pytest.raises(Tampered) as found:
            history.verified()
        seen.append(found.value.entry)
    engine.dispose()

    assert seen == [None, 9, 9, 7, 5, 5, 5, 4, 3, 0, 6, 2, 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "entry"),
    [
        ("UPDATE signature SET signed_at = (signed_at::timestamp::text || ' BC')::timestamp WHERE account_id = 12", 1),
        ("UPDATE company_entry SET until = 'infinity' WHERE until IS NULL", 7),
        ("UPDATE ledger_entry SET at = (at::timestamp::text || ' BC')::timestamp WHERE number = 2", 2),
    ],
)
def test_moments_outside_the_calendar_are_found(postgres_url, vault, statement, entry):
    """PostgreSQL keeps years before ours and infinity, and spells them as other moments, or as nothing."""
    engine = db.open_engine(postgres_url)
    migrations.upgrade(engine)
    history = History(engine, vault)
    history.live()
    for table in ("signature", "ledger_entry"):
        do(engine, f"ALTER TABLE {table} DISABLE TRIGGER USER")
    history.verified()
    do(engine, statement)
    with pytest.raises(Tampered) as found:
        history.verified()
    engine.dispose()

    assert found.value.entry == entry


def do(engine, statement):
    """One statement in a transaction of its own."""
    with engine.begin() as connection:
        connection.execute(text(statement))


@pytest.mark.slow
def test_random_tampering_is_found(target):
    missed = [did for did, said in map(target.attack, range(SAMPLE)) if said is None]
    target.restore()

    assert missed == []
    assert target.said() is None


def test_a_database_that_is_set_back_is_found_only_by_a_later_checkpoint(target):
    target.history.sign(20)
    later = target.history.checkpoint()
    assert target.said(later) is None

    target.restore()
    assert target.said() is None
    assert target.said(later) == "entry 13: it is missing: the checkpoint that was kept counts 14 entries"


def test_a_log_that_was_begun_anew_is_found_by_its_key_and_its_unnamed_rows(target):
    kept = target.history.checkpoint()
    for table in ("ledger_entry", "ledger_checkpoint", "ledger_key"):
        target.database.execute(f"DELETE FROM {table}")
    target.database.commit()
    target.history.sign(21)

    assert "another log" in target.said(kept)
    assert "was added" in target.said()


def test_a_log_whose_entries_are_all_gone_is_found_by_its_key(target):
    for table in ("ledger_entry", "ledger_checkpoint"):
        target.database.execute(f"DELETE FROM {table}")
    target.database.commit()

    assert "as are all others" in target.said()


def test_a_log_cannot_be_verified_with_another_key_ring(target):
    with target.history.sessions() as session, pytest.raises(Tampered, match="not of this key ring"):
        verification.verify(session, Vault(KeyRing.parse(KeyRing.generate("k2"))), TABLES, VerificationOptions())


def test_a_text_that_is_no_checkpoint_is_an_error_and_not_a_finding(target):
    with pytest.raises(NoteMisshapen):
        target.history.verified("hello")


@pytest.mark.slow
def test_verification_sees_one_moment_while_others_write(history, database_url):
    """With each of its first steps an entry and three rows are written, through other connections than its own."""
    before, accounts = history.verified(), iter(range(100, 105))

    def write(_steps):
        for account in islice(accounts, 1):
            history.sign(account)

    with db.opened(database_url) as engine, db.sessions(engine)() as session:
        during = verification.verify(session, history.vault, TABLES, VerificationOptions(done=write))
    after = history.verified()

    assert during == before
    assert (after.entries - before.entries, after.rows - before.rows) == (5, 3 * 5)


def test_the_told_progress_adds_up_to_the_whole(target):
    steps = []
    with target.history.sessions() as session:
        verification.verify(session, target.history.vault, TABLES, VerificationOptions(done=steps.append))
    with target.history.sessions() as session:
        assert sum(steps) == verification.size(session, TABLES) == 44
