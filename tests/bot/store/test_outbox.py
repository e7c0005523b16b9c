"""The outbox: stored sealed, once for each occasion."""

from datetime import UTC, datetime

import pytest
from sqlmodel import select

from agreements.vault import KeyRing, Vault
from bot.store import outbox
from bot.store.outbox import Letter, Mail

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(name="vault")
def _vault():
    return Vault(KeyRing.parse(KeyRing.generate("k1")))


def test_a_letter_comes_back_as_it_was(sessions, vault):
    """Sealed in the row, whole when opened."""
    letter = Letter(kind="receipt", to="ada@example.org", language="zh", values={"name": "李四"})
    with sessions() as session:
        assert outbox.add(session, vault, letter, at=AT, new_id="m1")
    with sessions() as session:
        mail = session.exec(select(Mail)).one()
        assert outbox.opened(vault, mail) == letter
        assert b"ada@example.org" not in mail.sealed


def test_one_letter_for_an_occasion(sessions, vault):
    """The second is not stored; letters without an occasion always are."""
    with sessions() as session:
        for number, (once, stored) in enumerate([("r1", True), ("r1", False), (None, True), (None, True)]):
            letter = Letter(kind="receipt", to="ada@example.org", language="en", account_id=11, once=once)
            assert outbox.add(session, vault, letter, at=AT, new_id=f"m{number}") is stored
