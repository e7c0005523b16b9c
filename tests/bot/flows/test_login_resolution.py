"""Imported logins are looked up at GitHub in small lots, and an older account counts."""

from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.imports.entries import ImportEntry
from agreements.store.imports import imported
from agreements.store.imports.imported import ImportSource
from agreements.store.people import signatures
from agreements.store.record_context import RecordContext
from agreements.store.tables.records import ImportedEntry
from bot.flows import login_resolution
from bot.github.ports import Unreachable
from bot.job_queue import Job
from tests.bot.jobs.inline import InlineEngine


@pytest.fixture(name="take")
def _take(scene):
    """Imports logins that signed so many days before now; the entries' ids."""

    def take(*logins, days=0):
        with scene.services.sessions() as session:
            listed = [
                ImportEntry(
                    where=login,
                    login=login,
                    account_id=None,
                    signed_at=scene.services.clock() - timedelta(days),
                    version="1.0",
                )
                for login in logins
            ]
            source = ImportSource(party="The CANN Authors", format="plain", sha256="f" * 64, agreement="icla")
            rows = imported.add(
                RecordContext(session, scene.services.vault, None, scene.services.clock(), scene.services.new_id),
                listed,
                source,
            )
            return [row.id for row in rows]

    return take


def test_logins_are_looked_up_in_lots_of_twenty_a_minute_apart(sessions):
    engine = InlineEngine()
    with sessions() as session:
        login_resolution.queue(session, engine, [str(number) for number in range(45)], behind=20)

    assert [(len(job.ids), job.queue, job.delay) for job in engine.waiting] == [
        (20, "later", timedelta(minutes=1)), (20, "later", timedelta(minutes=2)), (5, "later", timedelta(minutes=3)),
    ]  # fmt: skip


def test_an_older_account_counts_and_an_unknown_login_needs_an_administrator(scene, take):
    ids = take("mia", "nobody-has-it")
    login_resolution.resolve(ids, scene.services)

    with scene.services.sessions() as session:
        rows = {row.login: (row.state, row.reason) for row in session.exec(select(ImportedEntry))}
        assert rows == {"mia": ("counted", ""), "nobody-has-it": ("needs-administrator", "login-unknown")}
        assert len(signatures.of(session, [scene.mia.id], accepted=[])) == 1
    assert Job("recheck", (scene.mia.id,), queue="later") in scene.services.engine.waiting


def test_logins_are_looked_up_again_when_github_is_back(scene, take):
    ids = take("mia")
    scene.weather.faults.append(("GET", "/users/", 502))
    with pytest.raises(Unreachable):
        login_resolution.resolve(ids, scene.services)
    scene.weather.faults.clear()

    login_resolution.resolve(ids, scene.services)
    with scene.services.sessions() as session:
        assert session.exec(select(ImportedEntry.state)).all() != ["waiting"]
