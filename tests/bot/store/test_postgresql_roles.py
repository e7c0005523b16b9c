"""The server's database role can do all of its work, and cannot change what was recorded."""

import re
import threading
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

import migrations
from agreements.facts import Account
from agreements.store.integrity.verification import VerificationOptions, verify
from bot import db
from bot.clock import new_id, now
from bot.job_queue import Job
from bot.jobs.durable import DurableEngine
from bot.portal.contributor.sign import record_signature
from bot.portal.signing import SignatureForm
from bot.records.agreement_texts import Library
from bot.records.agreement_view import show
from bot.rulebook.text_files import shipped
from bot.store import service_record
from bot.store.logged_tables import TABLES

ROLES = (Path(__file__).parents[3] / "deploy" / "postgresql-roles.sql").read_text(encoding="utf-8")
KEPT = {
    "ledger_entry": "kind", "ledger_checkpoint": "root", "signature": "login", "withdrawal": "kind", "released_text": "source",
}  # fmt: skip
"""The tables whose rows never change, with some column of each."""


REFUSED = [
    *(f"UPDATE {table} SET {column} = {column}" for table, column in KEPT.items()),
    *(f"{verb} {table}" for table in KEPT for verb in ("DELETE FROM", "TRUNCATE")),
    *(f"ALTER TABLE {table} DISABLE TRIGGER USER" for table in KEPT),
    "UPDATE alembic_version SET version_num = '0001'",
    "UPDATE schema_floor SET oldest = '0001'",
    "CREATE TABLE public.mine (id int)",
]


@pytest.fixture(name="portal")
def _portal(postgres_url, github, make_portal):
    """The portal as the server's role; the owner migrated and gave out the rights, twice, which does no harm."""
    portal = make_portal(postgres_url, github)
    DurableEngine(portal.database, executor_id="migrate").prepare()
    portal.database.dispose()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(ROLES)
        connection.execute(ROLES)
    portal.database = db.open_engine(postgres_url.replace("countersign@", "countersign_app@"))
    sessions = db.sessions(portal.database)
    portal.services = replace(portal.services, sessions=sessions, texts=Library(shipped, sessions))
    yield portal
    portal.database.dispose()


@pytest.mark.slow
def test_the_servers_role_signs_and_verifies_and_cannot_change_evidence(portal):
    paper = show(portal.services.catalog, portal.rules, portal.services.owner(None), "icla", "en")
    pull = portal.pull(1)
    record_signature(
        portal.services, Account(11, "ada"), SignatureForm(paper=paper, name="Ada", email="ada@example.com")
    )
    with portal.services.sessions() as session:
        found = verify(session, portal.services.vault, TABLES, VerificationOptions())
    assert (found.entries, found.rows) == (1, 3)
    done = threading.Event()
    engine = DurableEngine(portal.database, executor_id=new_id())
    engine.start(lambda _job, _job_id: done.set())
    try:
        with portal.services.sessions() as session:
            engine.enqueue(session, Job("review", (pull,)))
        assert done.wait(15)
    finally:
        engine.stop()
    assert [] == [statement for statement in REFUSED if not refused(portal, statement)]


def refused(portal, statement):
    """Whether the database says that this role may not."""
    try:
        with portal.database.begin() as connection:
            connection.execute(text(statement))
    except ProgrammingError as error:
        return "permission denied" in str(error) or "must be owner" in str(error)
    return False


def test_the_role_file_protects_the_tables_that_triggers_guard():
    folder = Path(migrations.__file__).parent / "versions"
    guarded = set(re.findall(r'\("(\w+)", \(.*?\)\)', (folder / "0008_portal.py").read_text(encoding="utf-8")))
    [revoked] = re.findall(r"REVOKE UPDATE, DELETE ON (.+) FROM", ROLES)

    assert guarded <= set(revoked.split(", ")) == set(KEPT)


def test_the_servers_role_records_backups_and_deliveries(portal):
    with portal.services.sessions() as session:
        service_record.served(session, at=now())
        service_record.backed_up(session, at=(at := now()))
        service_record.lost(session, 1, at=at)
    last = service_record.LastDelivery(lambda: at)
    last.note()
    last.store(portal.services.sessions)
    with portal.services.sessions() as session:
        known = service_record.state(session)
    assert (known.backed_up_at, known.delivered_at, known.lost_deliveries) == (at, at, 1)
