"""A blob that was fetched once is not fetched again; it is kept sealed, and is of no use without its key."""

import hashlib
from datetime import UTC, datetime

import pytest

from agreements.vault import KeyRing, Vault
from audit.store import repositories, sealed
from bot.github.ports import RepositoryPlace
from bot.licenses.blob_cache import MAX_CACHED_BLOB_BYTES, KeptBlobs

pytestmark = pytest.mark.sqlite_alone

PLACE, OTHER = RepositoryPlace(5, "cann", "ops", 70), RepositoryPlace(5, "cann", "ge", 71)
AT = datetime(2026, 11, 22, tzinfo=UTC)


def sha(data):
    return hashlib.sha1(data).hexdigest()


class Source:
    """Gives these, and remembers what was asked."""

    def __init__(self, *blobs):
        self.blobs_, self.asked = {sha(blob): blob for blob in blobs}, []

    def blobs(self, _place, sizes):
        """Those that are there."""
        self.asked.append(set(sizes))
        return {name: self.blobs_[name] for name in sizes if name in self.blobs_}


def test_a_small_file_is_fetched_once_for_all_repositories_and_sealed(sessions):
    small, large = b"Copyright Ada".ljust(MAX_CACHED_BLOB_BYTES), b"x" * (MAX_CACHED_BLOB_BYTES + 1)
    source, vault = Source(small, large), Vault(KeyRing.parse(KeyRing.generate("k1")))
    wanted = {sha(small): MAX_CACHED_BLOB_BYTES, sha(large): MAX_CACHED_BLOB_BYTES + 1, sha(b"gone"): 4}
    kept = KeptBlobs(source, vault, sessions)
    assert kept.blobs(PLACE, wanted) == {sha(small): small, sha(large): large}
    assert kept.blobs(OTHER, wanted) == {sha(small): small, sha(large): large}
    assert source.asked == [set(wanted), {sha(large), sha(b"gone")}]
    assert kept.blobs(OTHER, {sha(small): 13}) == {sha(small): small}
    assert len(source.asked) == 2
    with sessions() as session:
        assert b"Ada" not in sealed.get(session, repositories.blob_name(sha(small))).sealed


def test_a_blob_without_its_key_is_fetched_anew(sessions):
    data = b"terms"
    for ring in ("k1", "k2"):
        source = Source(data)
        kept = KeptBlobs(source, Vault(KeyRing.parse(KeyRing.generate(ring))), sessions)
        assert kept.blobs(PLACE, {sha(data): 5}) == {sha(data): data}
        assert source.asked == [{sha(data)}]
