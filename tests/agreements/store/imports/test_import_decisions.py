"""A login counts only for an account that is older than the signature; everything else an administrator decides."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.imports.entries import ImportEntry
from agreements.store.imports import import_decisions, imported
from agreements.store.imports.imported import COUNTED, DOUBTFUL, REFUSED, WAITING, ImportSource
from agreements.store.people import person_rows, signatures, withdrawals
from agreements.store.record_context import RecordContext
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import Erasure, ImportedEntry
from tests.within import within

SOURCE = ImportSource(party="The CANN Authors", format="plain", sha256="f" * 64, agreement="icla")
ADA = Account(11, "ada")


@pytest.fixture(name="waiting")
def _waiting(session, vault, at, fresh):
    """An entry of ada's that waits, signed ten days ago; with changes."""

    def make(**changes):
        fields = {"where": "x", "login": "ada", "account_id": None, "signed_at": at - timedelta(10), "version": "1.0"}
        imported.add(RecordContext(session, vault, None, at, fresh), [ImportEntry(**(fields | changes))], SOURCE)
        return session.exec(select(ImportedEntry).where(ImportedEntry.state == WAITING)).one()

    return make


@pytest.fixture(name="settle")
def _settle(session, vault, at, fresh):
    """Takes GitHub's answer about an entry."""
    return lambda row, account, since: import_decisions.settle(
        RecordContext(session, vault, None, at, fresh), row.id, account, since
    )


def log(session):
    return list(session.exec(select(LedgerEntry.kind).order_by(LedgerEntry.number)))


def test_a_login_counts_for_an_account_that_had_it_before_the_signature(session, at, waiting, settle):
    row = waiting()

    assert settle(row, ADA, at - timedelta(11)) == 11
    assert (row.state, row.account_id) == (COUNTED, 11)
    assert [signature.version for signature in signatures.of(session, [11], accepted=[])] == ["1.0"]
    assert log(session) == ["login.imported", "signature.imported"]
    assert settle(row, ADA, at - timedelta(11)) is None


@pytest.mark.parametrize(
    ("account", "days", "doubt"),
    [
        (None, None, "login-unknown"),
        (Account(11, "ada", "Organization"), 11, "no-person"),
        (Account(11, "ada[bot]", "Bot"), 11, "no-person"),
        (ADA, 10, "account-younger"),
        (ADA, 9, "account-younger"),
        (ADA, 11, "date-given"),
    ],
)
def test_every_doubtful_login_waits_for_an_administrator(session, waiting, settle, account, days, doubt):
    row = waiting(dated=doubt != "date-given")

    assert settle(row, account, None if days is None else row.imported_at - timedelta(days)) is None
    assert (row.state, row.reason) == (DOUBTFUL, doubt)
    assert signatures.of(session, [11], accepted=[]) == ()
    assert log(session) == ["login.imported", "login.doubted"]


@pytest.fixture(name="erased")
def _erased(session, at, waiting, settle):
    """Her entry after GitHub's answer, with all data of her account erased; the account may be of any age."""
    session.add(Erasure(id="e1", account_id=11, asked_at=at, state="deleted"))
    row = waiting(name="Ada", email="ada@x.org", notes=("lf_id: adal",))
    assert settle(row, ADA, at - timedelta(9)) is None
    return row


def test_an_erased_person_is_a_doubt_and_the_list_s_data_of_them_are_not_kept(session, vault, erased):
    row = erased
    assert (row.state, row.reason, row.login, row.account_id) == (DOUBTFUL, "erased", "erased", 11)
    line = import_decisions.doubtful(session, vault, row.id)
    assert (line.login, line.details.name, line.details.email, line.details.notes) == ("ada", "", "", [])
    assert person_rows.find(session, 11) is None


def test_an_administrator_may_confirm_an_erased_person_by_the_login_of_the_list(session, vault, at, erased, fresh):
    context = RecordContext(session, vault, 90, at, fresh)
    assert import_decisions.confirm(context, erased.id, ADA, reason="She asked for it") == 11
    (mine,) = signatures.mine(session, 11)
    assert signatures.receipt(session, vault, mine.receipt, 11).draft.fields["source-login"] == "ada"


def test_a_signature_that_ended_here_is_not_revived_by_a_login(session, vault, at, waiting, settle):
    settle(waiting(), ADA, at - timedelta(11))
    (mine,) = signatures.mine(session, 11)
    withdrawals.withdraw(within(session, vault, at, by=11), mine.receipt)
    row = waiting(login="ada-lovelace", version="1.1")

    assert settle(row, Account(11, "ada-lovelace"), at - timedelta(11)) is None
    assert (row.state, row.reason, row.login) == (DOUBTFUL, "ended", "ada-lovelace")


def test_an_administrator_confirms_once_and_never_their_own_login(session, vault, at, waiting, settle, fresh):
    row = waiting()
    context, reason = RecordContext(session, vault, 90, at, fresh), "I know her 爱达"
    assert import_decisions.confirm(context, row.id, ADA, reason=reason) is None
    settle(row, ADA, at)

    for by, other in ((11, "x"), (90, " ")):
        with pytest.raises(ValueError, match=r"themselves|not empty"):
            import_decisions.confirm(replace(context, by=by), row.id, ADA, reason=other)
    assert import_decisions.confirm(context, row.id, ADA, reason=reason) == 11
    assert import_decisions.confirm(context, row.id, ADA, reason=reason) is None
    (mine,) = signatures.mine(session, 11)
    assert signatures.receipt(session, vault, mine.receipt, 11).draft.fields["confirmed-because"] == "I know her 爱达"
    entry = session.exec(select(LedgerEntry).order_by(LedgerEntry.number.desc())).first()
    assert (entry.kind, entry.actor_id, entry.subject_kind) == ("login.confirmed", 90, "person")


def test_a_refused_login_counts_for_no_person_even_if_github_knows_it_later(session, vault, at, waiting, settle, fresh):
    row = waiting()
    assert import_decisions.refuse(RecordContext(session, vault, 90, at, fresh), row.id, reason="not ours")
    assert not import_decisions.refuse(RecordContext(session, vault, 90, at, fresh), row.id, reason="again")

    assert settle(row, ADA, at - timedelta(11)) is None
    assert (row.state, imported.opened(vault, row).refusal) == (REFUSED, "not ours")
    assert log(session) == ["login.imported", "login.refused"]


def test_the_lists_give_waiting_logins_counts_by_state_and_pages(session, vault, at, waiting, settle):
    row = waiting()
    assert import_decisions.waiting(session) == (row.id,)
    assert import_decisions.login_of(session, row.id) == "ada"
    assert import_decisions.counts(session) == {WAITING: 1}
    (line,) = import_decisions.page(session, vault, WAITING)
    assert (line.id, line.login, line.details.where) == (row.id, "ada", "x")
    assert import_decisions.page(session, vault, WAITING, after=row.id) == ()
    settle(row, ADA, at - timedelta(11))
    assert (import_decisions.waiting(session), import_decisions.login_of(session, row.id)) == ((), None)


def test_pages_are_in_the_order_of_logins_without_regard_to_case(session, vault, at, fresh):
    entries = [
        ImportEntry(where="x", login=login, account_id=None, signed_at=at - timedelta(10), version="1.0")
        for login in ("Zoe", "ada", "Bob", "carl")
    ]
    imported.add(RecordContext(session, vault, None, at, fresh), entries, SOURCE)
    rows = {row.login: row for row in session.exec(select(ImportedEntry))}
    logins, after = [], ""
    while lines := import_decisions.page(session, vault, WAITING, after=after, most=1):
        logins.append(lines[0].login)
        after = lines[0].id

    assert logins == ["ada", "Bob", "carl", "Zoe"]
    assert [
        import_line.login for import_line in import_decisions.page(session, vault, WAITING, after=rows["carl"].id)
    ] == ["Zoe"]
    assert len(import_decisions.page(session, vault, WAITING, after="gone")) == 4


def test_an_empty_key_is_an_error_and_an_unknown_id_changes_nothing(session, vault, at, fresh):
    with pytest.raises(ValueError, match="not empty"):
        import_decisions.refuse(RecordContext(session, vault, 90, at, fresh), "", reason="x")
    assert not import_decisions.refuse(RecordContext(session, vault, 90, at, fresh), "gone", reason="x")
