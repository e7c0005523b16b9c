"""After an erasure the files hold neither keys nor deleted rows that could be carved out."""

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from agreements.facts import Account
from agreements.store import erasures
from agreements.store.integrity.verification import VerificationOptions, verify
from agreements.store.ledger.stored_ledger import SERVER, Change
from agreements.store.people import emails, erasure_requests, person_rows
from agreements.store.people.emails import ProvenAddress
from agreements.vault import DecryptionFailed, KeyDestroyed, KeyRing, Vault, WrappedKey, place
from bot import vacuum
from bot.flows.erasure_completion import StillReadable, destroy_keys
from bot.job_queue import Job
from bot.records.erasure import Erasures
from bot.records.erasure_keys import ErasureKeyFile
from bot.runner import make_runner
from tests import carving
from tests.bot.conftest import ADMINISTRATOR, make_portal
from tests.bot.jobs.inline import InlineEngine
from tests.tampering.history import TABLES
from tests.within import within

RING = KeyRing.parse(KeyRing.generate("k1"))


@pytest.fixture(name="file")
def _file(tmp_path):
    """A file of erasure keys."""
    file = ErasureKeyFile(tmp_path / "erasure-keys")
    file.make()
    return file


@pytest.fixture(name="world", params=["ring alone", "erasure keys"])
def _world(request, database_url, github, file):
    """With such a file, and without."""
    with made(database_url, github, None if request.param == "ring alone" else file) as world:
        yield world


@pytest.fixture(name="keyed")
def _keyed(database_url, github, file):
    """With it."""
    with made(database_url, github, file) as world:
        yield world


@contextmanager
def made(database_url, github, erasure_keys):
    """The portal on that database, its erasing, and the jobs that are run by hand."""
    portal = make_portal(database_url, github)
    portal.services = replace(portal.services, vault=Vault(RING, erasure_keys=erasure_keys))
    given, engine = portal.services, InlineEngine()
    parts = SimpleNamespace(
        sessions=given.sessions, erasure_keys=erasure_keys, wipe=lambda: vacuum.wipe(portal.database), engine=engine,
        clock=given.clock,
    )  # fmt: skip
    engine.start(make_runner(parts))
    erasing = Erasures(records=given, engine=engine, years=10)  # fmt: skip
    yield SimpleNamespace(portal=portal, given=given, services=parts, erasing=erasing, keys=erasure_keys, engine=engine)
    portal.database.dispose()


def known(world):
    """Ada with a proven address; the stored data key, the sealed address, and the address' place."""
    with world.given.sessions() as session:
        at = world.portal.at
        person = person_rows.ensure(within(session, world.given.vault, at, "p-ada"), Account(11, "ada"))
        proven = ProvenAddress(address="ada@lovelace.org", how="mailed-code", at=at)
        proof = emails.prove(within(session, world.given.vault, new_id="proof-home"), person, proven)
        change = Change(kind="address.proven", actor_id=11, subject=SERVER, rows=[proof])
        within(session, world.given.vault, at, world.given.new_id).append(change)
        return {"key": person.wrapped_key, "address": proof.address}


def wished(world):
    """Ada asks to be erased."""
    with world.given.sessions() as session:
        assert erasure_requests.ask(within(session, world.given.vault, world.portal.at, "e1", by=11))


def opens(secrets, vault):
    """Whether what was carved gives the address."""
    try:
        key = vault.unwrap(WrappedKey("k1", secrets["key"]), "person", "p-ada")
        return vault.decrypt(key, secrets["address"], place("proof", "address", "proof-home")) == b"ada@lovelace.org"
    except DecryptionFailed:
        return False


def test_an_erased_address_is_in_no_file_that_opens_without_the_key(world):
    database = world.portal.database
    secrets = known(world)
    assert carving.found(secrets, [*carving.table_files(database), *carving.log_files(database)]) == {"key", "address"}
    assert opens(secrets, world.given.vault)
    wished(world)
    world.erasing.delete("e1", by=ADMINISTRATOR)
    assert Job("erasure", ("e1",)) in world.engine.waiting
    make_runner(world.services)(Job("erasure", ("e1",)), "id")

    assert carving.found(secrets, carving.table_files(database)) == set()
    assert set(carving.found(secrets, carving.log_files(database))) <= {"key", "address"}
    assert opens(secrets, Vault(RING, erasure_keys=world.keys)) == (world.keys is None)
    with world.given.sessions() as session:
        verify(session, world.given.vault, TABLES, VerificationOptions())


def test_the_end_of_retention_destroys_the_persons_key(world):
    secrets = known(world)
    wished(world)
    with world.given.sessions() as session:
        row, long_ago = erasures.find(session, "e1"), datetime(2000, 1, 1, tzinfo=UTC)
        row.person_id = "p-ada"
        erasures.decide(world.given.vault, row, erasures.RESTRICTED, due_at=long_ago, decided_at=long_ago)
    world.erasing.shred()
    make_runner(world.services)(Job("erasure", ("e1",)), "id")

    assert carving.found(secrets, carving.table_files(world.portal.database)) == set()
    assert world.keys is None or world.keys.ids() == set()
    with world.given.sessions() as session:
        assert person_rows.is_erased(person_rows.find(session, 11))


def test_an_erasure_is_tried_again_while_old_rows_are_still_readable():
    answers = [False, True]
    run = make_runner(SimpleNamespace(wipe=lambda: answers.pop(0), erasure_keys=None))
    with pytest.raises(StillReadable):
        run(Job("erasure", ("e1",)), "id")
    run(Job("erasure", ("e1",)), "id")

    assert answers == []


def test_a_key_that_a_crash_or_an_old_file_left_is_destroyed_later(keyed):
    known(keyed)
    others = keyed.keys.give(["p-signing-just-now"], anew=True)
    old = keyed.keys.path.read_bytes()
    wished(keyed)
    keyed.erasing.delete("e1", by=ADMINISTRATOR)
    assert "p-ada" in keyed.keys.ids()
    destroy_keys(keyed.services)
    assert keyed.keys.ids() == others.keys()
    keyed.keys.path.write_bytes(old)
    destroy_keys(keyed.services)
    assert keyed.keys.ids() == others.keys()


def test_a_person_who_comes_back_has_a_new_key_that_is_kept(keyed):
    known(keyed)
    wished(keyed)
    with keyed.given.sessions() as session:
        row, long_ago = erasures.find(session, "e1"), datetime(2000, 1, 1, tzinfo=UTC)
        row.person_id = "p-ada"
        erasures.decide(keyed.given.vault, row, erasures.RESTRICTED, due_at=long_ago, decided_at=long_ago)
    keyed.erasing.shred()
    old = keyed.keys.find("p-ada")
    with keyed.given.sessions() as session:
        person_rows.ensure(within(session, keyed.given.vault, keyed.portal.at, "other"), Account(11, "ada"))
    destroy_keys(keyed.services)

    assert keyed.keys.find("p-ada") not in (old, None)
    with keyed.given.sessions() as session:
        assert person_rows.data_key(keyed.given.vault, person_rows.find(session, 11))


def test_a_restored_copy_does_not_open_and_its_request_can_be_decided_again(keyed):
    known(keyed)
    wished(keyed)
    keyed.keys.destroy(["p-ada"])
    with keyed.given.sessions() as session:
        assert emails.of_account(session, keyed.given.vault, 11, keyed.portal.at) == ()
        assert emails.proven(session, keyed.given.vault, [11], keyed.portal.at) == {}
        with pytest.raises(KeyDestroyed):
            person_rows.data_key(keyed.given.vault, person_rows.find(session, 11))
    keyed.erasing.delete("e1", by=ADMINISTRATOR)

    with keyed.given.sessions() as session:
        assert person_rows.find(session, 11) is None
        verify(session, keyed.given.vault, TABLES, VerificationOptions())


def test_a_key_made_after_the_request_is_destroyed_too(keyed):
    erasure_id = keyed.erasing.order(11, "court order", by=ADMINISTRATOR)
    known(keyed)
    keyed.erasing.delete(erasure_id, by=ADMINISTRATOR)
    destroy_keys(keyed.services)

    assert keyed.keys.ids() == set()
