"""A data key opens in its place, or its person was erased; one that an entry's details were opened with is not opened again."""

import pytest
from sqlalchemy import text

from agreements.facts import Account
from agreements.store.integrity import key_integrity
from agreements.store.ledger.ledger import SERVER
from agreements.store.people import people
from tests.tampering.history import History


@pytest.fixture(name="history")
def _history(engine, vault):
    """Two people whom only an entry about the server names, one whom one is about, a company."""
    history = History(engine, vault)
    history.sign(16)
    history.company()
    with history.sessions() as session:
        made = [
            people.ensure(session, vault, account=Account(n, f"u{n}"), at=history.at, new_id=f"p{n}") for n in (1, 2)
        ]
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
def test_what_does_not_open(history, statement, said):
    """Of the company and of who signed an entry's details say so."""
    is_sqlite = history.engine.dialect.name == "sqlite"
    with history.engine.begin() as connection:
        connection.execute(text(statement.format(bytes="BLOB" if is_sqlite else "BYTEA")))
        found = list(key_integrity.lost(connection, history.vault))

    assert found == [f"the key of the {one} was changed: it does not decrypt with the key ring" for one in said]
