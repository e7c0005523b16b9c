"""Files at GitHub that were read before, of this repository or another, are not fetched again: a blob never changes."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from agreements.vault import DecryptionFailed, Vault
from audit.store import repositories, sealed
from bot.db import Sessions
from bot.github.ports import RepositoryPlace
from bot.licenses import sealed_files
from bot.licenses.remote_repository import Blobs

MAX_CACHED_BLOB_BYTES: Final = 1_000_000
"""Bytes of a blob that is kept; larger ones are fetched again."""


class KeptBlobs:
    """Fulfils Blobs for one repository: what is kept, sealed, counts; the rest is asked for and kept."""

    def __init__(self, behind: Blobs, vault: Vault, sessions: Sessions) -> None:
        self._behind = behind
        self._vault = vault
        self._sessions = sessions

    def blobs(self, place: RepositoryPlace, sizes: Mapping[str, int]) -> Mapping[str, bytes]:
        names = {repositories.blob_name(sha): sha for sha in sizes}
        with self._sessions() as session:
            held = sealed.each(session, names)
        found = {}
        for name, blob in held.items():
            with suppress(DecryptionFailed):  # Its key is gone: it is fetched and sealed anew
                found[names[name]] = sealed_files.decrypt(self._vault, name, blob)
        missing = {sha: size for sha, size in sizes.items() if sha not in found}
        if not missing:
            return found
        fetched = self._behind.blobs(place, missing)
        kept = {
            sha: sealed_files.encrypt(self._vault, repositories.blob_name(sha), data)
            for sha, data in fetched.items()
            if len(data) <= MAX_CACHED_BLOB_BYTES
        }
        with self._sessions() as session:  # A new one: none was open while GitHub was asked.
            repositories.keep_blobs(session, place.repository_id, kept)
        return {**found, **fetched}
