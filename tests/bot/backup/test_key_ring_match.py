"""A key ring fits a backup when anything in it opens; what does not open beside it was changed."""

import pytest

from agreements.vault import KeyDestroyed, KeyRing, Vault, WrappedKey, place
from bot.backup.key_ring_match import AnotherKeyRing, check

VAULT = Vault(KeyRing.parse(KeyRing.generate("k1")))
OTHER = Vault(KeyRing.parse(KeyRing.generate("k1")))


class Erasable:
    """An erasure key for everybody, until it is gone."""

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


def test_the_ring_of_that_database():
    """Also where nothing is recorded yet, and where the tables are not there."""
    seen(VAULT, ledger_key=[log()], person=[person()])
    seen(OTHER, ledger_key=[], person=[])
    seen(OTHER)


def test_another_one():
    """Nothing opens, whatever there is."""
    for tables in ({"ledger_key": [log()]}, {"person": [person()]}, {"ledger_key": [log()], "person": [person()]}):
        with pytest.raises(AnotherKeyRing):
            seen(OTHER, **tables)


def test_what_was_changed():
    """One thing that opens is enough: that the other does not is for the log to tell."""
    seen(VAULT, ledger_key=[log(OTHER)], person=[person()])
    seen(VAULT, ledger_key=[("log", b"")], person=[person()])


def test_a_person_s_erasure_key_is_not_needed():
    """The ring opens its own part."""
    ring = KeyRing.parse(KeyRing.generate("k1"))
    row = person(Vault(ring, erasure_keys=Erasable(b"e" * 32)))
    with pytest.raises(KeyDestroyed):
        Vault(ring).unwrap(WrappedKey(*row[1:]), "person", "p1")
    seen(Vault(ring), ledger_key=[], person=[row])


def test_a_person_that_was_garbled_hides_no_other():
    """What is no ciphertext at all does not open, and several people are looked at."""
    check(VAULT, ["person"], lambda _sql: [("p0", "k1", "text"), ("a|b", "k1", b""), person()])
    with pytest.raises(AnotherKeyRing):
        check(VAULT, ["ledger_key"], lambda _sql: [("log", 5)])
