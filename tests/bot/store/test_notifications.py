"""Each administrator's choice of notifications, and their place in the log."""

from datetime import UTC, datetime, timedelta

from agreements.vault import KeyRing, Vault
from bot.store import activity_erasure, notifications
from bot.store.notifications import NotificationCounts

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_an_administrators_choice_is_at_once_unless_chosen_otherwise(sessions):
    with sessions() as session:
        assert notifications.often(session, 90) == "at-once"
        notifications.choose(session, 90, "daily", at=AT)
        notifications.choose(session, 91, "never", at=AT)
    with sessions() as session:
        assert [notifications.often(session, account_id) for account_id in (90, 91, 92)] == [
            "daily",
            "never",
            "at-once",
        ]
        activity_erasure.forget(session, 90)
        assert [notifications.often(session, account_id) for account_id in (90, 91)] == ["at-once", "never"]


def test_a_reader_keeps_their_place_in_the_log_until_notified(sessions):
    vault = Vault(KeyRing.parse(KeyRing.generate("k1")))
    with sessions() as session:
        row = notifications.of(session, notifications.CONTACT_ACCOUNT_ID, at=AT)
        assert (row.told_entry, row.told_at, row.often) == (-1, AT, "at-once")
        assert notifications.news(session, vault, row, at=AT) == NotificationCounts()
    with sessions() as session:
        row = notifications.of(session, notifications.CONTACT_ACCOUNT_ID, at=AT + timedelta(days=1))
        assert row.told_at == AT
        notifications.mark_notified(session, row, at=AT + timedelta(days=2))
    with sessions() as session:
        assert notifications.of(session, notifications.CONTACT_ACCOUNT_ID, at=AT).told_at == AT + timedelta(days=2)


def test_the_total_is_the_sum_of_the_counts():
    assert (NotificationCounts().total, NotificationCounts(1, 2, 3, 4, 5).total) == (0, 15)
