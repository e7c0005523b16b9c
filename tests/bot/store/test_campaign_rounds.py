"""Each round of a campaign counts its own e-mails alone."""

from datetime import UTC, datetime

from agreements.vault import KeyRing, Vault
from bot.store import campaign_rounds, outbox
from bot.store.outbox import Email
from tests.within import within

AT = datetime(2026, 11, 21, tzinfo=UTC)
VAULT = Vault(KeyRing.parse(KeyRing.generate("k1")))


def test_each_round_of_a_campaign_counts_its_own_emails(sessions):
    first, reminder = campaign_rounds.occasion("icla", "3.0"), campaign_rounds.occasion("icla", "3.0", "2026-11-28")
    with sessions() as session:
        for number, (occasion, account_id) in enumerate(
            [(first, 1), (first, 2), (first, 1), (reminder, 3), (campaign_rounds.occasion("icla", "3.0.1"), 4)]
        ):
            once = campaign_rounds.key(occasion, account_id)
            email = Email(kind="campaign", to="a@example.org", language="en", account_id=account_id, once=once)
            assert outbox.add(within(session, VAULT, AT, f"m{number}"), email) is (number != 2)

        assert campaign_rounds.written(session, first) == {1, 2}
        assert campaign_rounds.written(session, reminder) == {3}
        assert campaign_rounds.written(session, campaign_rounds.occasion("ccla", "3.0")) == frozenset()
