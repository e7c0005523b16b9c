"""A long command goes on during a rotation of the key ring, and leaves nothing under the old key."""

import json
import threading
import time

import pytest
from click.testing import CliRunner
from sqlmodel import func, select

from agreements.facts import Account
from agreements.store.people import person_rows
from agreements.store.tables.records import SignatureRecord
from agreements.vault import KeyRing, Vault
from bot import clock
from bot.cli.records.importing import command
from bot.cli.records.long_transactions import following
from bot.cli.setting import vault
from bot.jobs.durable import DurableEngine
from bot.records import key_rotation
from bot.records.key_rotation import NotRotated
from bot.store.keyring_holders import KeyHolder
from tests.within import within

pytestmark = pytest.mark.sqlite_alone  # the tests of rotation use both kinds

OLD, NEW = KeyRing.generate("k1"), KeyRing.generate("k2")


@pytest.fixture(name="file")
def _file(tmp_path, monkeypatch, database_url):
    file = tmp_path / "keys"
    file.write_text(f"{OLD}\n")
    monkeypatch.setenv("COUNTERSIGN_KEYS_FILE", str(file))
    monkeypatch.setenv("COUNTERSIGN_DATABASE_URL", database_url)
    return file


def test_the_rotation_waits_for_a_running_command_that_then_takes_the_new_key(sessions, file):
    keys, waited = vault(), []
    with following(sessions, keys) as lots:
        with lots() as session:
            person_rows.ensure(within(session, keys, clock.now(), "p1"), Account(1, "a"))
        both = Vault(key_rotation.add_key(file, KeyRing.parse(OLD), NEW))

        def wait(seconds):
            waited.append(seconds)
            with lots() as session:
                person_rows.ensure(within(session, keys, clock.now(), "p2"), Account(2, "b"))

        key_rotation.wait_for_holders(sessions, both, clock.now, wait)
        list(key_rotation.move(sessions, both))
        assert people_keys(sessions, keys) == ["k2", "k2"]
    with sessions() as session:
        assert (waited, session.exec(select(KeyHolder.id)).all()) == ([1], [])


def test_a_ring_in_the_environment_keeps_the_rotation_from_beginning(sessions, monkeypatch):
    monkeypatch.setenv("COUNTERSIGN_KEYS", OLD)
    with following(sessions, vault()) as lots:
        with lots():
            pass
        with pytest.raises(NotRotated, match="1 running processes"):
            key_rotation.wait_for_holders(sessions, Vault(KeyRing.parse(f"{NEW}\n{OLD}")), clock.now, lambda _: None)


@pytest.mark.slow
def test_an_import_goes_on_under_the_new_key_during_a_rotation(engine, sessions, file, tmp_path):
    DurableEngine(engine, executor_id="test").prepare()
    source = tmp_path / "list.json"
    fields = {"signed_at": "2024-01-01", "signed_version": "1.0"}
    source.write_text(
        json.dumps({"individuals": [{"github": f"u{number}", "id": number, **fields} for number in range(1, 801)]})
    )
    wrong = []

    def rotate():
        try:
            while not count(sessions):
                time.sleep(0.01)
            both = Vault(key_rotation.add_key(file, KeyRing.parse(OLD), NEW))
            key_rotation.wait_for_holders(sessions, both, clock.now, lambda _: time.sleep(0.05))
            list(key_rotation.move(sessions, both))
        except Exception as error:  # noqa: BLE001 - told below, in the thread that fails the test
            wrong.append(error)

    beside = threading.Thread(target=rotate)
    beside.start()
    result = CliRunner().invoke(command, ["plain", str(source)])
    beside.join()

    assert (result.exit_code, result.exception, wrong) == (0, None, [])
    assert count(sessions) == 800
    assert set(key_rotation.held(sessions)) == {"k2"}


def count(sessions):
    """How many signatures there are."""
    with sessions() as session:
        return session.exec(select(func.count()).select_from(SignatureRecord)).one()


def people_keys(sessions, keys):
    """Under which key each person's data key is; all of them open."""
    with sessions() as session:
        found = [person_rows.find(session, number) for number in (1, 2)]
        assert all(person_rows.data_key(keys, person) for person in found)
        return [person.ring_key_id for person in found]
