"""A vault that counts what it could not decrypt: a lost key or a changed row is noticed at once."""

from collections.abc import Iterator
from contextlib import contextmanager

from agreements.vault import DataKey, DecryptionFailed, KeyDestroyed, Vault, WrappedKey
from bot.telemetry import metrics


class CountedVault(Vault):
    """The same vault; a key that an erasure destroyed is no failure."""

    def unwrap(self, wrapped: WrappedKey, purpose: str, subject_id: str) -> DataKey:
        """See Vault."""
        with _counting():
            return super().unwrap(wrapped, purpose, subject_id)

    def decrypt(self, data_key: DataKey, sealed: bytes, about: str) -> bytes:
        """See Vault."""
        with _counting():
            return super().decrypt(data_key, sealed, about)

    def decrypt_for_server(self, sealed: bytes, about: str) -> bytes:
        """See Vault."""
        with _counting():
            return super().decrypt_for_server(sealed, about)


@contextmanager
def _counting() -> Iterator[None]:
    try:
        yield
    except KeyDestroyed:
        raise
    except DecryptionFailed:
        metrics.DECRYPT_FAILURES.inc()
        raise
