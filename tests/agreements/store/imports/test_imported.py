"""New entries are written once: with a number as a signature, without one as a login that waits."""

import json
from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.imports.entries import ImportEntry
from agreements.store.imports import imported
from agreements.store.imports.imported import COUNTED, DOUBTFUL, WAITING, ImportedDetails, ImportSource
from agreements.store.people import person_rows, signatures, withdrawals
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import Erasure, ImportedEntry, PersonRecord
from agreements.vault import DecryptionFailed
from tests.within import within

SOURCE = ImportSource(party="The CANN Authors", format="plain", sha256="f" * 64, agreement="icla")


@pytest.fixture(name="entry")
def _entry(at):
    """A maker of entries: ada with her number, who signed 1.0 a year ago."""

    def make(**changes):
        fields = {
            "where": "individuals.0", "login": "ada", "account_id": 11, "name": "Ada 爱达", "email": "ada@huawei.com",
            "signed_at": at - timedelta(days=365), "version": "1.0", "notes": ("repo: x",),
        }  # fmt: skip
        return ImportEntry(**(fields | changes))

    return make


@pytest.fixture(name="take")
def _take(session, vault, at, fresh):
    """Plans and writes entries as one lot; what the plan was."""

    def take(*entries, source=SOURCE):
        plan = imported.plan(session, entries, source)
        imported.add(within(session, vault, at, fresh), plan.added, source)
        return plan

    return take


def kinds(session):
    """The kinds of all log entries in order."""
    return list(session.exec(select(LedgerEntry.kind).order_by(LedgerEntry.number)))


def test_an_entry_with_a_number_counts_at_once_as_a_signature(session, vault, take, entry):
    take(entry())

    (fact,) = signatures.of(session, [11], accepted=[])
    assert (fact.agreement, fact.version, fact.signed_at) == ("icla", "1.0", entry().signed_at)
    row = session.exec(select(ImportedEntry)).one()
    assert (row.state, row.signature_id is not None, imported.opened(vault, row)) == (
        COUNTED,
        True,
        ImportedDetails(notes=[]),
    )
    (mine,) = signatures.mine(session, 11)
    receipt_draft = signatures.receipt(session, vault, mine.receipt, 11).draft
    assert (receipt_draft.name, receipt_draft.email, receipt_draft.identity_proof) == (
        "Ada 爱达",
        "ada@huawei.com",
        "imported",
    )
    assert receipt_draft.fields["source-sha256"] == "f" * 64
    assert receipt_draft.fields["source-place"] == "individuals.0"
    assert kinds(session) == ["signature.imported"]


def test_a_login_alone_waits_sealed_and_makes_no_person(session, vault, take, entry):
    take(entry(account_id=None), entry(account_id=None, login="bob", where="x"))

    assert session.exec(select(PersonRecord)).all() == []
    rows = session.exec(select(ImportedEntry)).all()
    assert [(row.state, row.account_id) for row in rows] == [(WAITING, None)] * 2
    assert all(b"huawei" not in row.sealed for row in rows)
    assert imported.opened(vault, rows[0]).email == "ada@huawei.com"
    assert kinds(session) == ["login.imported"]


def test_sealed_bytes_of_one_entry_do_not_open_in_another(session, vault, take, entry):
    take(entry(account_id=None), entry(account_id=None, login="bob"))
    first, second = session.exec(select(ImportedEntry)).all()
    first.sealed, second.sealed = second.sealed, first.sealed

    with pytest.raises(DecryptionFailed):
        imported.opened(vault, first)


def test_a_known_person_keeps_their_login(session, vault, at, take, entry):
    person_rows.ensure(within(session, vault, at, "p1"), Account(11, "ada-now"))
    take(entry())

    assert session.exec(select(PersonRecord.login)).all() == ["ada-now"]


@pytest.fixture(name="erased")
def _erased(session, at):
    """Account 11 asked to be erased, nothing was kept, and no row of a person is left."""
    fields = {"id": "e1", "account_id": 11, "asked_at": at, "state": "deleted", "decided_at": at, "done_at": at}
    session.add(Erasure(**fields))
    session.flush()


def test_an_erased_person_on_a_list_is_not_made_again_and_waits(session, vault, take, entry, erased):
    plan = take(entry(), entry(account_id=12, login="bob", name="Bob", email="bob@x.org", where="b"))

    assert plan.doubts == {entry(): "erased"}
    assert session.exec(select(PersonRecord.login)).all() == ["bob"]
    row = session.exec(select(ImportedEntry).where(ImportedEntry.account_id == 11)).one()
    assert (row.state, row.reason, row.login, row.signature_id) == (DOUBTFUL, "erased", "erased", None)
    assert imported.opened(vault, row) == ImportedDetails(
        where="individuals.0", sha256="f" * 64, notes=[], login="ada", party="The CANN Authors"
    )
    assert signatures.of(session, [11], accepted=[]) == ()
    assert kinds(session) == ["login.doubted", "signature.imported"]


def test_a_restricted_person_on_a_list_waits(session, vault, at, take, entry):
    person_rows.ensure(within(session, vault, at, "p1"), Account(11, "ada")).restricted_at = at
    take(entry(version="3.0"))

    row = session.exec(select(ImportedEntry)).one()
    assert (row.state, row.reason, row.login) == (DOUBTFUL, "restricted", "erased")
    assert signatures.of(session, [11], accepted=[]) == ()


def test_a_signature_that_ended_here_waits_and_is_not_revived(session, vault, at, take, entry):
    take(entry())
    (mine,) = signatures.mine(session, 11)
    withdrawals.withdraw(within(session, vault, at, by=11), mine.receipt)
    plan = take(entry(version="1.1"))
    take(
        entry(version="1.1"),
        source=ImportSource(party="The CANN Authors", format="plain", sha256="f" * 64, agreement="other"),
    )

    assert list(plan.doubts.values()) == ["ended"]
    row = session.exec(select(ImportedEntry).where(ImportedEntry.state == DOUBTFUL)).one()
    assert (row.reason, row.login, imported.opened(vault, row).name) == ("ended", "ada", "Ada 爱达")
    facts = signatures.of(session, [11], accepted=[])
    assert sorted((signature.agreement, signature.withdrawn_at is None) for signature in facts) == [
        ("icla", False),
        ("other", True),
    ]


def test_the_log_of_an_import_holds_no_name_in_the_clear(session, take, entry):
    take(entry())
    said = session.exec(select(LedgerEntry)).one()
    shown = json.dumps(said.model_dump(), default=str)
    assert not [word for word in ("huawei", "爱达", "individuals.0") if word in shown]
