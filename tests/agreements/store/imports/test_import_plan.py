"""One person's agreement of one version is one entry in all lists; known entries are not written again."""

from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.imports.entries import ImportEntry, RejectedEntry
from agreements.store.imports import imported
from agreements.store.imports.imported import ImportSource
from agreements.store.record_context import RecordContext
from agreements.store.tables.ledger_records import LedgerEntry

SOURCE = ImportSource(party="The CANN Authors", format="plain", sha256="f" * 64, agreement="icla")


@pytest.fixture(name="entry")
def _entry(at):
    """A maker of entries: ada with her number, who signed 1.0 a year ago."""
    fields = {"where": "a", "login": "ada", "account_id": 11, "signed_at": at - timedelta(days=365), "version": "1.0"}
    return lambda **changes: ImportEntry(**(fields | changes))


@pytest.fixture(name="take")
def _take(session, vault, at, fresh):
    """Plans and writes entries as one lot; what the plan was."""

    def take(*entries, source=SOURCE):
        plan = imported.plan(session, entries, source)
        imported.add(RecordContext(session, vault, None, at, fresh), plan.added, source)
        return plan

    return take


def test_an_entry_that_is_known_already_changes_nothing(session, take, entry):
    take(entry(), entry(account_id=None, login="Bob"))
    before = list(session.exec(select(LedgerEntry.kind).order_by(LedgerEntry.number)))
    other = ImportSource(party="The CANN Authors", format="clabot", sha256="0" * 64, agreement="icla")
    plan = take(entry(signed_at=entry().signed_at + timedelta(1)), entry(account_id=None, login="bob"), source=other)

    assert (plan.added, [why for _, why in plan.unchanged]) == ((), ["imported before"] * 2)
    assert list(session.exec(select(LedgerEntry.kind).order_by(LedgerEntry.number))) == before


def test_the_earliest_of_several_rows_for_one_person_and_version_counts(session, take, entry):
    late = entry(signed_at=entry().signed_at + timedelta(1), where="a")
    plan = take(late, entry(where="b"), entry(where="c", version="1.1"))

    assert [line.where for line in plan.added] == ["b", "c"]
    assert plan.unchanged == ((late, "the same person and version as b"),)


def test_a_later_row_that_gives_a_number_another_login_is_refused(session, take, entry):
    other = entry(login="bob", where="b", signed_at=entry().signed_at - timedelta(1))
    upper = entry(login="ADA", where="c")
    plan, again = take(entry(), other, upper), take(entry(), other, upper)

    assert plan.added == (entry(),)
    reason = "a has the same account's number with another login: leave the one that is wrong out"
    assert plan.refused == again.refused == (RejectedEntry("b", "bob", reason),)
    assert [line.where for line, _ in plan.unchanged] == ["c"]
