"""Whose rows these are: a person's account is the one that the rows about them have; nobody is restricted unasked."""

import pytest
from sqlalchemy import text

from agreements.store.integrity import person_integrity
from agreements.store.people import signatures
from agreements.store.tables.records import Erasure


@pytest.fixture(name="signed")
def _signed(session, vault, draft, person, at):
    """A signature of ada's."""
    signatures.add(session, vault, person, draft(), at=at, new_id="s1", receipt="R1")
    session.flush()
    return person


def test_their_own(session, signed):
    """Nothing is wrong."""
    assert list(person_integrity.astray(session.connection())) == []
    assert list(person_integrity.wrongly_restricted(session.connection())) == []


def test_another_account(session, signed):
    """Whoever has the database made the person somebody else's."""
    session.execute(text("UPDATE person SET account_id = 66"))

    assert list(person_integrity.astray(session.connection())) == [
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
def test_restricted(session, signed, at, state, restricted, said):
    """By an erasure that was decided so, and until it ends; by no other."""
    signed.restricted_at = at if restricted else None
    session.add(signed)
    session.add(Erasure(id="e", account_id=signed.account_id, asked_at=at, state=state))
    session.flush()

    assert list(person_integrity.wrongly_restricted(session.connection())) == said
