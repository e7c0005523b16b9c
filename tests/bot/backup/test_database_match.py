"""A key ring fits a backup when anything in it opens; what does not open beside it was changed."""

import sqlite3

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agreements import ledger
from agreements.ledger import Checkpoint, MerkleTree, NoteMisshapen
from agreements.vault import KeyDestroyed, KeyRing, Vault, WrappedKey, place
from bot.backup.database_match import (
    AnotherKeyRing,
    CheckpointMatch,
    OtherLog,
    check,
    check_log_name,
    compare,
    people_with_erasure_keys,
)

VAULT = Vault(KeyRing.parse(KeyRing.generate("k1")))
OTHER = Vault(KeyRing.parse(KeyRing.generate("k1")))


class Erasable:
    """One erasure key for all people, until it is gone."""

    def __init__(self, key=None):
        self.key = key

    def give(self, subject_ids, *, anew):
        """The same key for each."""
        return dict.fromkeys(subject_ids, self.key)

    def find(self, _subject_id):
        """It, if it is there."""
        return self.key


def log(vault=VAULT):
    """A row of the log's keys."""
    return "log", vault.encrypt_for_server(b"key", place("ledger_key", "sealed", "log"))


def person(vault=VAULT):
    """A person's row."""
    wrapped = vault.new_data_key("person", "p1")[1]
    return "p1", wrapped.ring_key_id, wrapped.sealed


def seen(vault, **tables):
    """Look at a copy with these rows."""
    check(
        vault, [f"public.{name}" for name in tables], lambda sql: next(tables[name] for name in tables if name in sql)
    )


def test_the_ring_of_that_database_fits_even_without_records():
    seen(VAULT, ledger_key=[log()], person=[person()])
    seen(OTHER, ledger_key=[], person=[])
    seen(OTHER)


def test_another_ring_opens_nothing_and_does_not_fit():
    for tables in ({"ledger_key": [log()]}, {"person": [person()]}, {"ledger_key": [log()], "person": [person()]}):
        with pytest.raises(AnotherKeyRing):
            seen(OTHER, **tables)


def test_one_thing_that_opens_is_enough_to_fit():
    seen(VAULT, ledger_key=[log(OTHER)], person=[person()])
    seen(VAULT, ledger_key=[("log", b"")], person=[person()])


def test_the_ring_fits_without_a_persons_erasure_key():
    ring = KeyRing.parse(KeyRing.generate("k1"))
    row = person(Vault(ring, erasure_keys=Erasable(b"e" * 32)))
    with pytest.raises(KeyDestroyed):
        Vault(ring).unwrap(WrappedKey(*row[1:]), "person", "p1")
    seen(Vault(ring), ledger_key=[], person=[row])


def test_a_garbled_person_does_not_hide_the_others():
    check(VAULT, ["person"], lambda _sql: [("p0", "k1", "text"), ("a|b", "k1", b""), person()])
    with pytest.raises(AnotherKeyRing):
        check(VAULT, ["ledger_key"], lambda _sql: [("log", 5)])


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


def test_a_log_contains_a_smaller_one_with_the_same_roots():
    log = Log(5)
    assert compare(log.note(5), TABLES, log.query) == CheckpointMatch(5, 5)
    assert compare(log.note(2), TABLES, log.query).missing == 0


def test_an_older_backup_says_how_many_entries_it_lacks():
    long = Log(9)
    short = Log(4, key=long.key)
    assert compare(long.note(9), TABLES, short.query).missing == 5


def test_another_key_or_other_entries_contradict_the_log():
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


def test_a_list_of_erasures_has_to_be_of_the_backups_log():
    log = Log(1)
    check_log_name(ledger.origin(log.public), TABLES, log.query)
    check_log_name("any", (), log.query)
    with pytest.raises(OtherLog, match=r"it is of another log \(any\) than the backup"):
        check_log_name("any", TABLES, log.query)


def test_people_whose_keys_open_with_an_erasure_key_alone_are_told_by_their_length():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE person (id TEXT, wrapped_key BLOB)")
    erasable = Vault(KeyRing.parse(KeyRing.generate("k1")), erasure_keys=Erasable(b"k" * 32))
    rows = [("ring alone", person()[2]), ("erasable", person(erasable)[2]), ("erased", b"")]
    connection.executemany("INSERT INTO person VALUES (?, ?)", rows)

    def query(sql):
        return connection.execute(sql).fetchall()

    assert people_with_erasure_keys(["public.person"], query) == {"erasable"}
    assert people_with_erasure_keys(["public.ledger_key"], query) == frozenset(), "a database without people"
    connection.close()
