"""A change of a page is one entry: who did it, about whom, and what it wrote."""

from agreements.facts import Account
from agreements.store import log_entries
from agreements.store.ledger.ledger import SERVER
from agreements.store.people import people
from bot.portal.change_log import log_change


def test_about_an_account_or_about_the_site(portal):
    """Details are sealed with the subject's key and opened by it; an account's number is its person's subject."""
    services = portal.services
    with services.sessions() as records:
        people.ensure(records, services.vault, account=Account(11, "ada"), at=portal.at, new_id=services.new_id())
        log_change(services, records, "session.ended", 11, by=90, at=portal.at, details={"account": 11, "visits": 2})
        log_change(services, records, "records.exported", by=90, at=portal.at)
    with services.sessions() as records:
        first, second = (log_entries.opened(records, services.vault, number) for number in (0, 1))

    assert (first.kind, first.actor_id, first.subject_kind, first.told) == (
        "session.ended",
        90,
        "person",
        {"account": 11, "visits": 2},
    )
    assert (second.kind, second.subject_kind, second.subject_id) == ("records.exported", SERVER.kind, SERVER.id)
