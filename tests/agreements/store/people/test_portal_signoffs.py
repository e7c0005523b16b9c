"""Sign-offs given in the portal: recorded once with their evidence, revoked by their signer, logged, exported, kept."""

import json
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlmodel import select

from agreements.facts import Account, PortalSignoff
from agreements.store import erasures, personal_data
from agreements.store.ledger import log_subjects, row_check, stored_ledger
from agreements.store.people import person_rows, portal_signoffs
from agreements.store.people.portal_signoffs import PortalSignoffDraft
from agreements.store.record_export import RecordReader
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import PortalSignoffRecord
from tests.within import within

A, B, C = "a" * 40, "b" * 40, "c" * 40
PULL = (70, 7)


def draft(*shas, number=7):
    """A sign-off of these commits."""
    return PortalSignoffDraft(
        repository_id=70, number=number, shas=shas, text_sha256="d" * 64, statement_id="s-1", statement_sha256="e" * 64,
        language="en", identity_proof="github-oauth",
    )  # fmt: skip


@pytest.fixture(name="add")
def _add(session, vault, at, person, fresh):
    """Records a sign-off by ada (11), or by another person."""

    def add(*shas, who=person, at=at, **more):
        return portal_signoffs.add(within(session, vault, at, fresh, by=who.account_id), who, draft(*shas, **more))

    return add


@pytest.fixture(name="revoke")
def _revoke(session, vault, at, fresh):
    """Withdraws all that an account signed off in the pull request, a day later."""
    context = lambda by: within(session, vault, at + timedelta(days=1), fresh, by=by)  # noqa: E731
    return lambda account_id=11, number=7: portal_signoffs.revoke(context(account_id), 70, number)


def entries(session):
    """The kinds of the log's entries about sign-offs, in their order."""
    kinds = session.exec(select(LedgerEntry.kind).order_by(LedgerEntry.number)).all()
    return [kind for kind in kinds if kind.startswith("signoff")]


def test_a_sign_off_is_one_row_with_evidence_and_one_entry_about_its_signer(session, vault, at, add, person):
    row = add(A, B)
    assert (row.account_id, row.commits, row.signed_at, row.revoked_at) == (11, (A, B), at, None)
    assert b"ada" not in row.evidence
    assert portal_signoffs.login(vault, person, row) == "ada"
    assert row_check.unlogged(session, vault, PortalSignoffRecord, [row.id]) == frozenset()
    (entry,) = session.exec(select(LedgerEntry).where(LedgerEntry.kind == "signoff.added")).all()
    assert (entry.actor_id, entry.subject_kind, entry.subject_id) == (11, "person", person.id)
    subject = log_subjects.subject_of(session, vault, 11)
    assert stored_ledger.open_details(session, vault, entry, subject) == {"repository": 70, "pull_request": 7}


def test_commits_that_are_signed_off_already_add_nothing(session, add, revoke):
    assert add(A, B) is not None
    assert add(B) is None
    assert add(B, C) is not None
    assert revoke() == 2
    assert add(B) is not None
    assert entries(session) == ["signoff.added", "signoff.added", "signoff.revoked", "signoff.added"]


def test_a_sign_off_of_no_commit_is_refused(add):
    with pytest.raises(ValueError, match="needs a commit"):
        add()


def test_only_the_signers_own_in_that_pull_request_are_revoked_once(session, vault, at, fresh, add, revoke):
    bo = person_rows.ensure(within(session, vault, at, fresh), Account(12, "bo"))
    add(A)
    add(A, who=bo)
    add(A, number=8)
    assert (revoke(13), revoke(), revoke()) == (0, 1, 0)
    assert portal_signoffs.read(portal_signoffs.of_pull(session, *PULL)) == (PortalSignoff(12, (A,)),)
    assert portal_signoffs.read(portal_signoffs.of_pull(session, 70, 8)) == (PortalSignoff(11, (A,)),)
    assert portal_signoffs.read(portal_signoffs.of_pull(session, 71, 7)) == ()


def test_sign_offs_are_read_in_the_order_of_time(session, add, at):
    add(B, at=at + timedelta(hours=1))
    add(A)
    assert [signoff.shas for signoff in portal_signoffs.read(portal_signoffs.of_pull(session, *PULL))] == [(A,), (B,)]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE portal_signoff SET shas = 'x'",
        "UPDATE portal_signoff SET account_id = 12",
        "UPDATE portal_signoff SET revoked_at = NULL",
        "DELETE FROM portal_signoff",
    ],
)
def test_the_database_refuses_every_change_but_the_end(session, add, revoke, change):
    add(A)
    revoke()
    session.flush()
    with pytest.raises(DBAPIError, match="rows never change"), session.begin_nested():
        session.execute(text(change))


def test_a_copy_of_the_evidence_in_another_row_tells_nothing(session, vault, add, person):
    first, second = add(A), add(B)
    first.evidence = second.evidence
    assert portal_signoffs.login(vault, person, first) == ""
    assert portal_signoffs.login(vault, None, second) == ""
    session.refresh(first)


def test_the_export_and_the_persons_own_file_have_it_opened(session, vault, add, revoke):
    add(A, B)
    revoke()
    session.flush()
    (row,) = RecordReader(session, vault).rows(PortalSignoffRecord)
    assert (row["evidence"], row["shas"], row["revoked_at"]) == ({"login": "ada"}, f"{A} {B}", "2026-01-02T00:00:00Z")
    (mine,) = personal_data.everything(session, vault, 11)["sign_offs"]
    assert (mine["login"], mine["shas"], mine["number"]) == ("ada", f"{A} {B}", 7)
    assert json.dumps(mine)
    assert personal_data.everything(session, vault, 12)["sign_offs"] == []


def test_an_erasure_keeps_the_row_as_evidence_and_destroys_the_login(session, vault, at, add, person):
    row = add(A)
    assert erasures.holds(session, 11, at=at).evidence
    assert portal_signoffs.count(session, 11) == erasures.holds(session, 11, at=at).signoffs == 1
    erasures.restrict(session, vault, person, at=at)
    erasures.shred(session, person, at=at + timedelta(days=1))
    session.flush()
    assert portal_signoffs.of_pull(session, *PULL) == [row]
    assert portal_signoffs.login(vault, person, row) == ""
    assert personal_data.everything(session, vault, 11)["sign_offs"][0]["login"].startswith("erased")
