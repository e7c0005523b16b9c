"""The key ring is there, private, and opens what the database holds."""

import pytest

from agreements.vault import KeyRing, Vault
from bot.demo import sample_data
from tests.bot.doctor.test_operation import NOON


def test_a_missing_or_wrong_key_ring_fails(deployed):
    assert deployed.item("keys.ring", KEYS_FILE="")[0] == "fail"
    deployed.keys.write_text("first:short\n")
    assert deployed.item("keys.ring")[0] == "fail"


@pytest.mark.slow
def test_a_key_file_that_others_can_read_fails(deployed):
    deployed.keys.chmod(0o640)
    assert deployed.item("keys.private")[0] == "pass"
    deployed.keys.chmod(0o644)
    assert deployed.item("keys.private")[0] == "fail"
    ring = deployed.keys.read_text().strip()
    assert deployed.item("keys.private", KEYS_FILE="", KEYS=ring)[0] == "not-applicable"


def test_records_under_a_key_that_the_ring_lacks_fail(deployed):
    vault = Vault(KeyRing.parse(deployed.keys.read_text()))
    with deployed.sessions() as session:
        sample_data.sign(session, vault, deployed.boss, NOON)
    assert deployed.item("keys.complete")[0] == "pass"
    deployed.keys.write_text(KeyRing.generate("second") + "\n")
    assert deployed.item("keys.complete") == (
        "fail",
        "Records are encrypted with keys that the ring does not have: first.",
    )


@pytest.mark.slow
def test_the_ring_of_another_database_fails(deployed):
    """Both rings may have a key of the same name, so only trying tells them apart."""
    vault = Vault(KeyRing.parse(deployed.keys.read_text()))
    assert deployed.item("keys.fit")[0] == "pass"
    with deployed.sessions() as session:
        sample_data.sign(session, vault, deployed.boss, NOON)
    assert deployed.item("keys.fit")[0] == "pass"
    deployed.keys.write_text(KeyRing.generate("first") + "\n")
    assert deployed.item("keys.complete")[0] == "pass"
    status, message = deployed.item("keys.fit")
    assert (status, message.startswith("COUNTERSIGN_KEYS opens nothing in this database")) == ("fail", True)
