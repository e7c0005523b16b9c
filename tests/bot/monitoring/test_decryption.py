"""What could not be opened is counted; what an erasure made unreadable is not."""

import pytest

from agreements.vault import DecryptionFailed, KeyDestroyed, KeyRing
from bot.monitoring.decryption import CountedVault
from bot.telemetry import metrics


def counted():
    """How many so far."""
    return metrics.DECRYPT_FAILURES._value.get()


@pytest.fixture(name="vault")
def _vault():
    return CountedVault(KeyRing.parse(KeyRing.generate("k1")))


def test_what_opens_counts_nothing(vault):
    """Each of the ways."""
    before = counted()
    key, wrapped = vault.new_data_key("person", "p")
    assert vault.unwrap(wrapped, "person", "p").secret == key.secret
    assert vault.decrypt(key, vault.encrypt(key, b"x", "row"), "row") == b"x"
    assert vault.decrypt_for_server(vault.encrypt_for_server(b"y", "visit"), "visit") == b"y"
    assert counted() == before


def test_what_does_not_open_counts_once(vault):
    """Moved to another row, of a key that is not in the ring, or changed."""
    key, wrapped = vault.new_data_key("person", "p")
    sealed, session = (
        vault.encrypt(key, b"x", "row"),
        CountedVault(KeyRing.parse(KeyRing.generate("k1"))).encrypt_for_server(b"y", "visit"),
    )
    for attempt in (
        lambda: vault.unwrap(wrapped, "person", "other"),
        lambda: vault.decrypt(key, sealed, "another row"),
        lambda: vault.decrypt_for_server(session, "visit"),
    ):
        before = counted()
        with pytest.raises(DecryptionFailed):
            attempt()
        assert counted() == before + 1


class Destroyed:
    """Erasure keys of which none is left once the person was erased."""

    def __init__(self):
        self.keys = {}

    def give(self, subject_ids, *, anew):
        """A key each."""
        assert anew
        self.keys |= dict.fromkeys(subject_ids, b"k" * 32)
        return dict(self.keys)

    def find(self, subject_id):
        """The key, unless it was destroyed."""
        return self.keys.get(subject_id)


def test_what_was_erased_is_no_failure():
    """Its key was destroyed on purpose."""
    kept = Destroyed()
    vault = CountedVault(KeyRing.parse(KeyRing.generate("k1")), erasure_keys=kept)
    _, wrapped = vault.new_data_key("person", "p")
    kept.keys.clear()
    before = counted()
    with pytest.raises(KeyDestroyed):
        vault.unwrap(wrapped, "person", "p")
    assert counted() == before
