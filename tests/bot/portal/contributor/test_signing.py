"""A signature, its address proof and the rechecks are one transaction, on both databases."""

import json
from dataclasses import replace

import pytest
from sqlalchemy import text

from agreements.facts import Account
from bot.portal.contributor import signing
from bot.portal.contributor.signing import SignatureForm
from bot.records.agreement_view import show

ADA = Account(11, "ada")


@pytest.fixture(name="portal")
def _portal(database_url, github, make_portal):
    """The portal on each kind of database."""
    portal = make_portal(database_url, github)
    yield portal
    portal.database.dispose()


def given(portal, language: str = "en", **changed: str) -> SignatureForm:
    """What ada filled in."""
    return SignatureForm(
        **{
            "paper": show(portal.services.catalog, portal.rules, "icla", language),
            "name": "Ada",
            "email": "ada@example.com",
            **changed,
        }
    )


def counts(portal) -> dict[str, int]:
    """How many rows each table has, and how many jobs wait."""
    with portal.database.connect() as connection:
        found = {
            t: connection.execute(text(f"SELECT count(*) FROM {t}")).scalar_one()
            for t in ("person", "signature", "proof", "ledger_entry")
        }
    return {**found, "jobs": len(portal.engine.waiting)}


def test_all_of_it_or_nothing(portal):
    """When the last step fails, nothing is left: no person, no signature, no proof, no job."""
    portal.pull(1)
    portal.pull(2)

    class Full:
        """An engine whose second job finds the disk full."""

        calls = 0

        def enqueue(self, session, job):
            self.calls += 1
            if self.calls == 2:
                raise OSError("disk full")
            return portal.engine.enqueue(session, job)

    with pytest.raises(OSError, match="disk full"):
        signing.sign(replace(portal.services, engine=Full()), ADA, given(portal))

    assert counts(portal) == {"person": 0, "signature": 0, "proof": 0, "ledger_entry": 0, "jobs": 0}


def test_each_open_pull_request_is_queued_once(portal):
    """Every open pull request of that person, in `now`; others' are left alone; and one look more after the commit."""
    mine = {portal.pull(1), portal.pull(2, of=(12, 11))}
    portal.pull(3, of=(12,))

    signing.sign(portal.services, ADA, given(portal))

    assert {job.ids[0] for job in portal.engine.waiting if job.name == "review"} == mine
    assert [job.ids for job in portal.engine.waiting if job.name == "recheck"] == [(ADA.id,)]
    assert {job.queue for job in portal.engine.waiting} == {"now"}
    assert counts(portal) == {"person": 1, "signature": 1, "proof": 1, "ledger_entry": 1, "jobs": 3}


def test_the_same_again_is_the_same_receipt(portal):
    """Signing the same text twice gives one signature; an address that is no valid one is signed with but not proven."""
    first = signing.sign(portal.services, ADA, given(portal))
    second = signing.sign(portal.services, ADA, given(portal))
    signing.sign(portal.services, Account(12, "bob"), given(portal, email="not an address"))

    assert first == second
    assert counts(portal) == {"person": 2, "signature": 2, "proof": 1, "ledger_entry": 3, "jobs": 3}


def test_each_change_is_one_entry_that_names_its_rows(portal):
    """Signing names signature and proof; signing the same again only prolongs the proof; without an address nothing."""
    signing.sign(portal.services, ADA, given(portal))
    signing.sign(portal.services, ADA, given(portal))
    signing.sign(portal.services, Account(12, "bob"), given(portal, email="not an address"))
    signing.sign(portal.services, Account(12, "bob"), given(portal, email="not an address"))
    with portal.database.connect() as connection:
        found = connection.execute(text("SELECT kind, actor_id, rows FROM ledger_entry ORDER BY number")).all()

    assert [(row.kind, row.actor_id, [name for name, _, _ in json.loads(row.rows)]) for row in found] == [
        ("signature.added", 11, ["signature", "proof"]),
        ("address.proven", 11, ["proof"]),
        ("signature.added", 12, ["signature"]),
    ]
