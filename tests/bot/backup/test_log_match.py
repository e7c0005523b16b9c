"""A kept checkpoint beside a backup's log: contained, ahead of it, or contradicted."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agreements import ledger
from agreements.ledger import Checkpoint, MerkleTree, NoteMisshapen
from bot.backup.log_match import CheckpointMatch, OtherLog, check_name, compare

TABLES = ("public.ledger_key", "public.ledger_checkpoint")


class Log:
    """The stored roots of a log of so many entries, as a query reads them; a note of any size."""

    def __init__(self, entries, *, first=b"0", key=None):
        self.key = key or Ed25519PrivateKey.generate()
        self.public = self.key.public_key().public_bytes_raw()
        self.roots, tree = {}, MerkleTree()
        for number in range(entries):
            tree.add(first if number == 0 else bytes([number]))
            self.roots[number + 1] = tree.root.hex()

    def query(self, text):
        """What the three questions ask for."""
        if "ledger_key" in text:
            return [(self.public,)]
        if "max" in text:
            return [(max(self.roots, default=None),)]
        return [(self.roots[int(text.rpartition(" ")[2])],)]

    def note(self, size):
        """The checkpoint after so many entries."""
        checkpoint = Checkpoint(ledger.origin(self.public), size, bytes.fromhex(self.roots[size]))
        return ledger.note(checkpoint, self.public, ledger.sign(checkpoint, self.key))


def test_contained():
    """Of the same size or smaller, the same roots."""
    log = Log(5)
    assert compare(log.note(5), TABLES, log.query) == CheckpointMatch(5, 5)
    assert compare(log.note(2), TABLES, log.query).missing == 0


def test_behind():
    """The backup is older: how many entries it lacks."""
    long = Log(9)
    short = Log(4, key=long.key)
    assert compare(long.note(9), TABLES, short.query).missing == 5


def test_contradicted():
    """The same key and other entries, another key, a note that nobody signed, no log at all."""
    log = Log(5)
    with pytest.raises(OtherLog, match="its first 3 entries are not those"):
        compare(log.note(3), TABLES, Log(5, first=b"x", key=log.key).query)
    with pytest.raises(OtherLog, match="another log"):
        compare(log.note(3), TABLES, Log(5).query)
    with pytest.raises(OtherLog, match="not signed by the key"):
        compare(log.note(3).replace("\n3\n", "\n4\n"), TABLES, log.query)
    with pytest.raises(OtherLog, match="no log yet"):
        compare(log.note(3), (), log.query)
    with pytest.raises(NoteMisshapen):
        compare("hello", TABLES, log.query)


def test_the_log_of_a_list():
    """By its name, which is its key's; a backup from before the log's beginning has none to compare."""
    log = Log(1)
    check_name(ledger.origin(log.public), TABLES, log.query)
    check_name("any", (), log.query)
    with pytest.raises(OtherLog, match=r"it is of another log \(any\) than the backup"):
        check_name("any", TABLES, log.query)
