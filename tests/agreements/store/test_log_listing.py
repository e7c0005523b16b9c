"""The log is read newest first and filtered; entries open as long as the subject's key exists."""

from datetime import timedelta

import pytest

from agreements.facts import Account
from agreements.store import erasures, log_listing
from agreements.store.ledger import log_subjects
from agreements.store.ledger.stored_ledger import SERVER, Change
from agreements.store.log_listing import EntryFilter
from agreements.store.people import person_rows
from tests.within import within


@pytest.fixture(name="log")
def _log(session, vault, at, person, fresh):
    """Five entries, an hour apart: person, server, person, server, person."""
    subject = log_subjects.subject_of(session, vault, 11)
    for hour in range(5):
        about = SERVER if hour % 2 else subject
        change = Change(kind=f"test.{about.kind}", actor_id=90, subject=about, rows=[person], details={"hour": hour})
        within(session, vault, at + timedelta(hours=hour), fresh).append(change)
    return subject


def numbers(session, **wanted):
    """Which entries are found."""
    return [log_entry.number for log_entry in log_listing.page(session, EntryFilter(**wanted), skip=0, most=50)]


def test_entries_are_read_newest_first_and_paged(session, log):
    assert numbers(session) == [4, 3, 2, 1, 0]
    assert [log_entry.number for log_entry in log_listing.page(session, EntryFilter(), skip=2, most=2)] == [2, 1]


def test_entries_are_filtered_by_kind_subject_account_and_time(session, at, log):
    assert numbers(session, kind="test.person") == [4, 2, 0]
    assert numbers(session, subject_id="server") == [3, 1]
    assert numbers(session, about_account=11) == [4, 2, 0]
    assert numbers(session, about_account=12) == []
    assert numbers(session, since=at + timedelta(hours=3)) == [4, 3]
    assert numbers(session, until=at + timedelta(hours=1)) == [0]
    assert log_listing.kinds(session) == ("test.person", "test.server")


def test_an_entry_opens_while_its_subject_s_key_exists(session, vault, person, log):
    assert log_listing.opened(session, vault, 1).details == {"hour": 1}
    found = log_listing.opened(session, vault, 2)
    assert (found.details, found.rows[0].table, found.rows[0].id) == ({"hour": 2}, "person", person.id)
    assert log_listing.opened(session, vault, 99) is None
    person.wrapped_key = b""
    session.add(person)
    assert log_listing.opened(session, vault, 2).details is None


def test_entries_name_actors_and_subjects_but_no_restricted_login(session, at, person, log):
    found = log_listing.page(session, EntryFilter(), skip=0, most=50)
    named = log_listing.names(session, found)
    assert (dict(named.logins), dict(named.accounts)) == ({11: person.login}, {person.id: 11})
    assert log_listing.names(session, []) == log_listing.EntryNames()
    assert dict(log_listing.names(session, [], [11, 12]).logins) == {11: person.login}
    person.restricted_at = at
    session.add(person)
    named = log_listing.names(session, found)
    assert (dict(named.logins), dict(named.accounts)) == ({}, {person.id: 11})


def test_a_person_who_came_back_has_a_login_in_the_log(session, vault, at, person, log):
    found = log_listing.page(session, EntryFilter(), skip=0, most=50)
    erasures.shred(session, person, at=at)
    assert dict(log_listing.names(session, found).logins) == {}
    person_rows.ensure(within(session, vault, at, "unused"), Account(11, "ada2"))
    assert dict(log_listing.names(session, found).logins) == {11: "ada2"}
