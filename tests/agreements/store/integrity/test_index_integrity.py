"""A look-up is of the address that is sealed beside it, under any key of the ring."""

from dataclasses import dataclass

import pytest
from sqlmodel import SQLModel

from agreements.store.integrity.index_integrity import HASH_INDEXES, INDEXED, is_wrong_index
from agreements.store.people.emails import EMAIL_INDEX
from agreements.store.tables.logged_columns import of_table
from agreements.vault import KeyRing, Vault, place

UNLOGGED = {"employee_invitation"}
"""Tables whose rows have no entries in the log, so no hash either."""
OLD, NEW = KeyRing.generate("k1"), KeyRing.generate("k2")


@dataclass
class Row:
    """A proven address as it is stored, all of it of its place."""

    vault: Vault
    row_id: str = "q"
    owner: str = "p"

    def __post_init__(self):
        self.key, self.wrapped = self.vault.new_data_key("person", self.owner)
        self.sealed = self.vault.encrypt(self.key, b"a@x.org", place("proof", "address", self.row_id))

    def is_wrong_index(self, vault, **changed):
        """Whether its look-up is of another address, with what was changed."""
        row = {
            "sealed": self.sealed,
            "index": self.vault.blind_index(EMAIL_INDEX, "a@x.org"),
            "owner": self.owner,
            "ring": self.wrapped.ring_key_id,
            "wrapped": self.wrapped.sealed,
        }
        return is_wrong_index(vault, INDEXED["proof"], self.row_id, list((row | changed).values()))


@pytest.fixture(name="row")
def _row():
    return Row(Vault(KeyRing.parse(OLD)))


def test_its_own(row):
    """Also while the ring gets another key."""
    assert not row.is_wrong_index(row.vault)
    assert not row.is_wrong_index(Vault(KeyRing.parse(f"{NEW}\n{OLD}")))


@pytest.mark.parametrize("index", [b"", b"x", "x", None, 5])
def test_another_value(row, index):
    """Of whatever kind."""
    assert row.is_wrong_index(row.vault, index=index)


def test_of_another_address_or_another_key(row):
    """Whoever has the database could exchange look-ups of two rows."""
    assert row.is_wrong_index(row.vault, index=row.vault.blind_index(EMAIL_INDEX, "b@x.org"))
    assert row.is_wrong_index(row.vault, index=Vault(KeyRing.parse(NEW)).blind_index(EMAIL_INDEX, "a@x.org"))


def test_where_there_is_no_address(row):
    """There is nothing to look up."""
    assert not row.is_wrong_index(row.vault, sealed=None, index=None)
    assert row.is_wrong_index(row.vault, sealed=None)


@pytest.mark.parametrize(
    "changed",
    [{"wrapped": b""}, {"wrapped": None, "ring": None}, {"owner": "other"}, {"sealed": b"x"}, {"sealed": "x"}],
)
def test_what_does_not_open(row, changed):
    """Somebody erased, or a row whose hash is wrong: others say so."""
    assert not row.is_wrong_index(row.vault, **changed)


def test_all_that_are_not_hashed():
    """No look-up of an address or of a token is left to nobody."""
    declared = {table.name: of_table(table).derived for table in SQLModel.metadata.tables.values()}
    named = {table: {one for one in names if one.endswith("_index")} for table, names in declared.items()}

    assert {table: names for table, names in named.items() if names} == {
        table: {one.look_up} for table, one in {**INDEXED, **HASH_INDEXES}.items() if table not in UNLOGGED
    }
