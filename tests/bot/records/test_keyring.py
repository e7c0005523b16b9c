"""The ring of a running process follows its file, and a wrong file changes nothing."""

from datetime import UTC, datetime

import pytest

from agreements.vault import DecryptionFailed, KeyRing, Vault, place
from bot.records.key_rotation import KeyRingWatcher, RingFile
from bot.store import keyring_holders

AT = datetime(2026, 1, 1, tzinfo=UTC)
OLD, NEW = KeyRing.generate("k1"), KeyRing.generate("k2")
HERE = place("t", "c", "r")


@pytest.fixture(name="file")
def _file(tmp_path):
    file = tmp_path / "keys"
    file.write_text(OLD + "\n")
    return file


@pytest.fixture(name="vault")
def _vault(file):
    return Vault(KeyRing.parse(file.read_text()), RingFile(file).changed)


def test_a_new_key_seals_from_the_next_look_on_and_the_old_one_still_opens(file, vault, sessions):
    sealed = vault.encrypt_for_server(b"x", HERE)
    watch = KeyRingWatcher(vault, sessions, "p1", lambda: AT)
    watch.refresh()
    file.write_text(f"{NEW}\n{OLD}\n")
    watch.refresh()
    with sessions() as session:
        assert keyring_holders.without(session, "k2", at=AT) == 0

    assert vault.ids == ("k2", "k1")
    assert vault.decrypt_for_server(sealed, HERE) == b"x"
    assert vault.encrypt_for_server(b"x", HERE)[1:3] == b"k2"


def test_an_unknown_key_is_looked_for_in_the_file_at_once(file, vault):
    sealed = Vault(KeyRing.parse(f"{NEW}\n{OLD}")).encrypt_for_server(b"x", HERE)
    with pytest.raises(DecryptionFailed):
        vault.decrypt_for_server(sealed, HERE)
    file.write_text(f"{NEW}\n{OLD}\n")

    assert vault.decrypt_for_server(sealed, HERE) == b"x"


@pytest.mark.parametrize("wrong", ["", "no key\n", "OLD\nOLD\n", "\udcff"])
def test_a_broken_ring_file_leaves_the_ring_as_it_was(file, vault, wrong):
    file.write_text(wrong.replace("OLD", OLD), errors="surrogateescape")

    assert vault.refresh() is False
    assert vault.ids == ("k1",)


def test_a_missing_ring_file_leaves_the_ring_as_it_was(file, vault):
    """A secret that is mounted anew is missing for a moment."""
    file.unlink()

    assert vault.refresh() is False
    file.write_text(f"{NEW}\n{OLD}\n")
    assert vault.refresh() is True
