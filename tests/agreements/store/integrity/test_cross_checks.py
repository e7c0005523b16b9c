"""Cross checks of rows: blind indexes, data keys, accounts and restrictions fit together."""

from dataclasses import dataclass

import pytest
from sqlalchemy import text
from sqlmodel import SQLModel

from agreements.facts import Account
from agreements.store.integrity import cross_checks
from agreements.store.integrity.cross_checks import is_wrong_index
from agreements.store.ledger.stored_ledger import SERVER
from agreements.store.people import person_rows, signatures
from agreements.store.reencryption import indexed_columns
from agreements.store.tables.declarations import EMAIL_INDEX, declared, of_table
from agreements.store.tables.records import Erasure
from agreements.vault import KeyRing, Vault, place
from tests.tampering.history import History
from tests.within import within

PROOF = next(column for column in indexed_columns() if column.table.name == "proof")
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
        return is_wrong_index(vault, PROOF, self.row_id, list((row | changed).values()))


@pytest.fixture(name="row")
def _row():
    return Row(Vault(KeyRing.parse(OLD)))


def test_a_row_s_own_blind_index_is_right_even_while_keys_rotate(row):
    assert not row.is_wrong_index(row.vault)
    assert not row.is_wrong_index(Vault(KeyRing.parse(f"{NEW}\n{OLD}")))


@pytest.mark.parametrize("index", [b"", b"x", "x", None, 5])
def test_a_blind_index_of_another_value_is_wrong(row, index):
    assert row.is_wrong_index(row.vault, index=index)


def test_a_blind_index_of_another_address_or_key_is_wrong(row):
    """A person with access to the database could exchange the blind indexes of two rows."""
    assert row.is_wrong_index(row.vault, index=row.vault.blind_index(EMAIL_INDEX, "b@x.org"))
    assert row.is_wrong_index(row.vault, index=Vault(KeyRing.parse(NEW)).blind_index(EMAIL_INDEX, "a@x.org"))


def test_a_row_without_an_address_has_no_blind_index(row):
    assert not row.is_wrong_index(row.vault, sealed=None, index=None)
    assert row.is_wrong_index(row.vault, sealed=None)


@pytest.mark.parametrize(
    "changed",
    [{"wrapped": b""}, {"wrapped": None, "ring": None}, {"owner": "other"}, {"sealed": b"x"}, {"sealed": "x"}],
)
def test_a_row_that_does_not_open_has_no_wrong_blind_index(row, changed):
    """An erased person or a wrong row hash is told by other checks."""
    assert not row.is_wrong_index(row.vault, **changed)


def test_every_blind_index_column_is_declared_to_be_checked():
    hidden = {table.name: of_table(table).derived for table in SQLModel.metadata.tables.values()}
    named = {table: {name for name in names if name.endswith("_index")} for table, names in hidden.items()}
    indexes = {model.__tablename__: set(said.indexes) for model, said in declared(lambda said: said.indexes).items()}

    assert {table: names for table, names in named.items() if names}.items() <= indexes.items()
    assert {column.table.name for column in indexed_columns()} | {"api_token"} >= set(indexes)


@pytest.fixture(name="history")
def _history(engine, vault):
    """Two people whom only an entry about the server names, one whom one is about, a company."""
    history = History(engine, vault)
    history.sign(16)
    history.company()
    with history.sessions() as session:
        made = [person_rows.ensure(within(session, vault, history.at, f"p{n}"), Account(n, f"u{n}")) for n in (1, 2)]
        history.write(session, "things.done", SERVER, made)
    return history


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE person SET login = login", []),
        (
            "UPDATE person SET wrapped_key = (SELECT wrapped_key FROM person WHERE id = 'p1') WHERE id = 'p2'",
            ["person p2"],
        ),
        ("UPDATE person SET ring_key_id = 'k2' WHERE id = 'p1'", ["person p1"]),
        ("UPDATE person SET wrapped_key = CAST('' AS {bytes}), ring_key_id = '' WHERE id = 'p1'", []),
        ("UPDATE person SET wrapped_key = CAST('' AS {bytes}) WHERE id = 'p1'", ["person p1"]),
        ("UPDATE company SET ring_key_id = 'k2'", []),
    ],
)
def test_a_data_key_that_does_not_open_is_named(history, statement, said):
    is_sqlite = history.engine.dialect.name == "sqlite"
    with history.engine.begin() as connection:
        connection.execute(text(statement.format(bytes="BLOB" if is_sqlite else "BYTEA")))
        found = list(cross_checks.lost_keys(connection, history.vault))

    assert found == [f"the key of the {subject} was changed: it does not decrypt with the key ring" for subject in said]


@pytest.fixture(name="signed")
def _signed(session, vault, draft, person, at):
    """A signature of ada's."""
    signatures.add(within(session, vault, at, "s1"), person, draft(), receipt="R1")
    session.flush()
    return person


def test_rows_of_the_person_s_own_account_are_right(session, signed):
    assert list(cross_checks.astray(session.connection())) == []
    assert list(cross_checks.wrongly_restricted(session.connection())) == []


def test_a_person_row_that_was_given_another_account_is_named(session, signed):
    session.execute(text("UPDATE person SET account_id = 66"))

    assert list(cross_checks.astray(session.connection())) == [
        ("signature", "s1", "the person of the row signature s1 that it names has another account, or does not exist")
    ]


@pytest.mark.parametrize(
    ("state", "restricted", "said"),
    [
        ("restricted", True, []),
        ("asked", False, []),
        ("asked", True, ["the person p11 was restricted: no erasure says so"]),
        ("restricted", False, ["the restriction of the person of the erasure e was lifted"]),
        ("shredded", False, []),
    ],
)
def test_a_restriction_is_right_only_while_its_erasure_says_so(session, signed, at, state, restricted, said):
    signed.restricted_at = at if restricted else None
    session.add(signed)
    session.add(Erasure(id="e", account_id=signed.account_id, asked_at=at, state=state))
    session.flush()

    assert list(cross_checks.wrongly_restricted(session.connection())) == said
