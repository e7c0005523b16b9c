"""A token is known by its hash alone, opens what it was made for, and ends."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.store import tokens
from bot.store.tokens import SCOPES

AT = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def make(session, name="ci", scopes=("covered:read",), until=AT + DAY, new_id="t1"):
    return tokens.make(session, name, scopes, until=until, by=90, at=AT, new_id=new_id)


def test_a_token(sessions):
    """Its words are nowhere in the row; it is found until it ends; its use is noted once a minute."""
    with sessions() as session:
        row, words = make(session, scopes=("personal", "covered:read"))
        assert len(words) == 44
        assert words[4:] not in str(row.model_dump())
        assert row.scopes == "covered:read personal"
        for later, noted in ((0, 0), (30, 0), (61, 61)):
            at = AT + timedelta(seconds=later)
            assert tokens.holder(session, words, at=at).scopes == {"covered:read", "personal"}
            session.refresh(row)
            assert row.used_at == AT + timedelta(seconds=noted)
        assert tokens.holder(session, words, at=AT + DAY) is None


def test_what_is_no_token(sessions):
    """Other words, and words of another form."""
    with sessions() as session:
        _, words = make(session)
        for other in ("", "cst_", words[:-1], words + "x", words.swapcase(), "cst_" + "0" * 40, words + "\n", "é" * 44):
            assert tokens.holder(session, other, at=AT) is None


def test_revoking(sessions):
    """Once, at once."""
    with sessions() as session:
        _, words = make(session)
        assert tokens.revoke(session, "t1", at=AT).revoked_at == AT
        assert tokens.revoke(session, "t1", at=AT) is None
        assert tokens.revoke(session, "t9", at=AT) is None
        assert tokens.holder(session, words, at=AT) is None
        assert [one.id for one in tokens.newest(session, most=5)] == ["t1"]


@pytest.mark.parametrize(
    "wrong",
    [{"name": " "}, {"name": "x" * 101}, {"scopes": ()}, {"scopes": ("personal",)}, {"scopes": ("all", SCOPES[0])},
     {"until": AT}, {"until": AT + 366 * DAY}],
)  # fmt: skip
def test_what_is_not_made(sessions, wrong):
    """A token without a purpose, an end, or anything to open."""
    with sessions() as session, pytest.raises(ValueError, match=r"a token|not empty"):
        make(session, **wrong)
