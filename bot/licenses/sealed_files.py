"""The audit keeps files compressed and sealed: licence texts hold people's names, and repositories may be private."""

import zlib
from typing import Final

from agreements.vault import DecryptionFailed, Vault, WrappedKey, place
from audit.store.sealed import PURPOSE, Sealed

_COMPRESSION_LEVEL: Final = 3


def encrypt(vault: Vault, name: str, data: bytes) -> Sealed:
    """The bytes under a new key, bound to the name under which they will be kept."""
    key, wrapped = vault.new_data_key(PURPOSE, name)
    # Compressed first: what is encrypted does not get smaller.
    return Sealed(
        vault.encrypt(key, zlib.compress(data, _COMPRESSION_LEVEL), place(PURPOSE, "sealed", name)),
        wrapped.sealed,
        wrapped.ring_key_id,
    )


def decrypt(vault: Vault, name: str, held: Sealed) -> bytes:
    """The bytes. Raises DecryptionFailed when they were changed, are another name's, or their key is gone."""
    key = vault.unwrap(WrappedKey(held.ring_key_id, held.wrapped_key), PURPOSE, name)
    try:
        return zlib.decompress(vault.decrypt(key, held.sealed, place(PURPOSE, "sealed", name)))
    except zlib.error:
        raise DecryptionFailed("the encrypted data does not match") from None
