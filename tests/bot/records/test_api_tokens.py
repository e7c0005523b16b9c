"""The log says which tokens ended by time, and nothing of inserted ones."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text
from sqlmodel import select
from structlog.testing import capture_logs

from agreements.store.tables.ledger_records import LedgerEntry
from agreements.vault import KeyRing, Vault
from bot.clock import new_id
from bot.records import api_tokens
from bot.records.record_access import RecordAccess
from bot.store import tokens
from bot.store.tokens import TokenRefused
from tests.within import within

AT = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
VAULT = Vault(KeyRing.parse(KeyRing.generate("k1")))


@pytest.fixture(name="words")
def _words(sessions):
    """Of a token that a release without look-ups and without codes of rows made and logged; another one was inserted."""
    with sessions() as session:
        row, words = tokens.make(within(session, VAULT, AT, "t1", by=90), "ci", ["covered:read"], until=AT + DAY)
        within(session, VAULT, AT, new_id, by=90).log("token.made", rows=[row])
        session.execute(text("UPDATE api_token SET token_index = NULL"))
        session.execute(text("DELETE FROM row_mac"))
        session.execute(
            text(
                "INSERT INTO api_token (id, name, token_hash, scopes, made_at, made_by, expires_at)"
                " SELECT 'x', 'x', :hash, 'personal signatures:read', made_at, 90, expires_at FROM api_token"
            ),
            {"hash": tokens._hash("cst_" + "A" * 40)},
        )
    return words


def test_the_end_of_a_token_is_logged_once_and_an_inserted_token_gets_no_entry(sessions, words):
    for _ in range(2):
        with capture_logs() as lines:
            api_tokens.log_ends(RecordAccess(sessions, VAULT, lambda: AT + DAY, new_id))
        assert [(line["event"], line["row"], line["why"]) for line in lines if "why" in line] == [
            ("row.refused", "x", "unlogged")
        ]
    with sessions() as session:
        assert list(session.exec(select(LedgerEntry.kind).order_by(LedgerEntry.number))) == [
            "token.made",
            "token.expired",
        ]
    with sessions() as session, pytest.raises(TokenRefused, match="ended"):
        tokens.holder(session, VAULT, words, at=AT + DAY)
