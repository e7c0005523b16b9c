"""A text released in the portal stays exactly as it was written."""

from hashlib import sha256

import pytest
from sqlalchemy.exc import DBAPIError

from agreements.catalog import AgreementText
from agreements.store.people import signatures, texts, withdrawals
from agreements.store.tables.records import ReleasedText
from tests.within import within


def text(version="3.0", language="en", source="# Ours\n\nNew words.\n"):
    """A text with the right hash."""
    return AgreementText("icla", version, language, source, sha256(source.encode()).hexdigest())


def test_a_released_text_is_read_back_in_every_language(session, at):
    rows = texts.release(session, [text(), text(language="zh", source="# 我们\n")], by=90, at=at)

    assert [(row.version, row.language, row.released_by) for row in rows] == [("3.0", "en", 90), ("3.0", "zh", 90)]
    assert texts.count(session) == 2
    assert texts.released(session) == (text(), text(language="zh", source="# 我们\n"))
    assert texts.dates(session)["icla", "3.0", "en"] == at


@pytest.mark.parametrize("change", ["UPDATE released_text SET source = 'other'", "DELETE FROM released_text"])
def test_the_database_refuses_to_change_a_released_text(session, at, change):
    from sqlalchemy import text as sql

    texts.release(session, [text()], by=90, at=at)
    with pytest.raises(DBAPIError, match="never change"):
        session.execute(sql(change))
    session.rollback()


def test_a_text_released_twice_or_without_a_releaser_is_refused(session, at):
    texts.release(session, [text()], by=90, at=at)
    with pytest.raises(ValueError, match="account id"):
        texts.release(session, [text(version="4.0")], by=None, at=at)
    session.expunge_all()
    with pytest.raises(DBAPIError):
        texts.release(session, [text(source="# Other\n")], by=90, at=at)
    session.rollback()


def test_people_with_a_signature_in_force_are_counted_by_text(session, vault, at, person, draft, fresh):
    signed = signatures.add(within(session, vault, at, fresh), person, draft(), receipt="R-1")
    assert texts.signed(session) == {("icla", "2.0", "en", "a" * 64): 1}

    withdrawals.withdraw(within(session, vault, at, by=11), signed.row.receipt)
    assert texts.signed(session) == {}
    assert session.get(ReleasedText, ("icla", "3.0", "en")) is None
