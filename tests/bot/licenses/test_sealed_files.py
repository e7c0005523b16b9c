"""A file of the audit opens under its own name only, with the ring's key, unchanged."""

from dataclasses import replace

import pytest

from agreements.vault import DecryptionFailed, KeyRing, Vault
from bot.licenses.sealed_files import decrypt, encrypt

VAULT = Vault(KeyRing.parse(KeyRing.generate("k1")))


def test_a_sealed_file_opens_and_is_small():
    held = encrypt(VAULT, "facts/7", b"Copyright Ada Example" * 500)
    assert decrypt(VAULT, "facts/7", held) == b"Copyright Ada Example" * 500
    assert len(held.sealed) < 200
    assert b"Ada" not in held.sealed + held.wrapped_key


def test_a_sealed_file_does_not_open_elsewhere_changed_or_without_its_key():
    held = encrypt(VAULT, "facts/7", b"facts")
    changed = replace(held, sealed=held.sealed[:-1] + bytes([held.sealed[-1] ^ 1]))
    stranger = Vault(KeyRing.parse(KeyRing.generate("k1")))
    for vault, name, sealed in ((VAULT, "facts/8", held), (VAULT, "facts/7", changed), (stranger, "facts/7", held)):
        with pytest.raises(DecryptionFailed):
            decrypt(vault, name, sealed)
