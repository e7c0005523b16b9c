"""A change is one log entry with its actor, its subject and its rows."""

import pytest

from agreements.facts import Account
from agreements.store import log_listing
from agreements.store.ledger.stored_ledger import SERVER
from agreements.store.people import person_rows
from tests.within import within


def test_an_entry_is_about_an_account_or_the_site_and_sealed_with_its_key(session, vault, at, fresh):
    context = within(session, vault, at, fresh, by=90)
    person_rows.ensure(within(session, vault, at, fresh), Account(11, "ada"))
    context.log("session.ended", 11, details={"account": 11, "visits": 2})
    context.log("records.exported")
    first, second = (log_listing.opened(session, vault, number) for number in (0, 1))

    assert (first.kind, first.actor_id, first.subject_kind, first.details) == (
        "session.ended",
        90,
        "person",
        {"account": 11, "visits": 2},
    )
    assert (second.kind, second.subject_kind, second.subject_id) == ("records.exported", SERVER.kind, SERVER.id)


def test_a_change_that_needs_an_account_is_an_error_without_one(session, vault, at, fresh):
    with pytest.raises(ValueError, match="account id"):
        _ = within(session, vault, at, fresh).actor
