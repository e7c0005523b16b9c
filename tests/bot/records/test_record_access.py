"""One value gives all changes of the records their transaction, keys, clock and ids."""

from datetime import UTC, datetime

import pytest

from agreements.facts import Account
from agreements.store.people import person_rows
from agreements.vault import KeyRing, Vault
from bot.records.record_access import RecordAccess

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(name="records")
def _records(sessions):
    return RecordAccess(sessions, Vault(KeyRing.parse(KeyRing.generate("k1"))), lambda: AT, iter("abcdef").__next__)


def test_a_change_is_one_transaction_with_account_moment_and_ids(records):
    with records.change(90) as context:
        person_rows.ensure(context, Account(11, "ada"))
        assert (context.actor, context.at, context.vault) == (90, AT, records.vault)

    with records.sessions() as session:
        assert person_rows.find(session, 11).id == "a"


def test_a_failed_change_leaves_no_row(records):
    def fail():
        with records.change() as context:
            person_rows.ensure(context, Account(11, "ada"))
            return context.actor

    with pytest.raises(ValueError, match="account id"):
        fail()
    with records.sessions() as session:
        assert person_rows.find(session, 11) is None
