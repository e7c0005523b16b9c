"""A signature ends once: by its signer, or by an administrator with a sealed reason; it never changes itself."""

from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlmodel import select

from agreements.facts import Account
from agreements.store.people import person_rows, signatures, withdrawals
from agreements.store.tables.records import SignatureRecord
from tests.within import within


@pytest.fixture(name="receipt")
def _receipt(session, vault, at, person, draft, fresh):
    return signatures.add(within(session, vault, at, fresh), person, draft(), receipt="AAAA").row.receipt


def withdrawn(session, vault, at, receipt="AAAA", by=11):
    """Withdrawn by its signer."""
    return withdrawals.withdraw(within(session, vault, at, by=by), receipt)


def revoked(session, vault, at, receipt="AAAA", reason="Signed with a stolen account"):
    """Revoked by account 90."""
    return withdrawals.revoke(within(session, vault, at, by=90), receipt, reason=reason)


def test_a_withdrawal_ends_the_signature_from_then_on_and_only_once(session, vault, at, receipt):
    end = at + timedelta(days=3)
    row = withdrawn(session, vault, end)
    assert (row.kind, row.by_account_id, row.at, row.reason) == ("withdrawal", 11, end, None)
    assert withdrawn(session, vault, end + timedelta(days=1)) is None
    text_key = ("icla", "2.0", "en", "a" * 64)
    assert [(found.signed_at, found.withdrawn_at) for found in signatures.of(session, [11], accepted=[text_key])] == [
        (at, end)
    ]
    assert signatures.mine(session, 11)[0].withdrawn_at == end
    assert signatures.receipt(session, vault, receipt, 11).withdrawn_at == end


def test_a_person_withdraws_only_their_own_signature(session, vault, at, receipt):
    person_rows.ensure(within(session, vault, at, "p12"), Account(12, "bo"))
    for number, account_id in ((receipt, 12), ("R-none", 11), (receipt, 13)):
        assert withdrawn(session, vault, at, number, by=account_id) is None
    with pytest.raises(ValueError, match="account id"):
        withdrawn(session, vault, at, by=None)
    assert signatures.mine(session, 11)[0].withdrawn_at is None


def test_all_that_a_person_signed_for_themselves_ends_at_once(session, vault, at, person, draft, receipt):
    context = within(session, vault, at)
    signatures.add(context, person, draft(version="3.0"), receipt="BBBB")
    signatures.add(context, person, draft(version="4.0"), receipt="CCCC")
    withdrawn(session, vault, at, "CCCC")

    assert len(withdrawals.withdraw_all(session, person, at=at)) == 2
    assert withdrawals.withdraw_all(session, person, at=at) == []
    assert [signature.withdrawn_at for signature in signatures.mine(session, 11)] == [at] * 3


def test_a_revocation_ends_the_signature_with_a_sealed_reason(session, vault, at, receipt):
    row = revoked(session, vault, at)

    assert (row.kind, row.by_account_id, row.at) == ("revocation", 90, at)
    assert b"stolen" not in bytes(session.execute(text("SELECT reason FROM withdrawal")).scalar_one())
    found = withdrawals.find(session, vault, receipt)
    assert (found.reason, found.ended.kind) == ("Signed with a stolen account", "revocation")
    assert (found.name, found.email, found.fields) == ("Ada 爱达 𠮷", "ada@huawei.com", {"country": "CN"})
    (mine,) = signatures.mine(session, 11)
    assert mine.withdrawn_at == at


def test_a_signature_that_ended_cannot_be_revoked(session, vault, at, receipt):
    assert revoked(session, vault, at)
    assert revoked(session, vault, at) is None


def test_a_withdrawn_signature_cannot_be_revoked(session, vault, at, receipt):
    assert withdrawn(session, vault, at)

    assert revoked(session, vault, at) is None
    assert withdrawals.find(session, vault, receipt).ended.kind == "withdrawal"


def test_an_unknown_receipt_or_a_blank_reason_revokes_nothing(session, vault, at, receipt):
    assert withdrawals.find(session, vault, "BBBB") is None
    assert revoked(session, vault, at, "BBBB") is None
    with pytest.raises(ValueError, match="not empty"):
        revoked(session, vault, at, reason=" ")


def test_a_revocation_is_shown_without_name_after_the_key_is_gone(session, vault, at, person, receipt):
    person.wrapped_key = b""
    session.add(person)

    found = withdrawals.find(session, vault, receipt)
    assert (found.name, found.email, found.row.receipt) == (None, None, "AAAA")


def test_a_companys_signature_is_not_revoked_and_names_the_company(session, vault, at, asking):
    asking()
    receipt = session.exec(select(SignatureRecord.receipt)).one()

    assert revoked(session, vault, at, receipt) is None
    found = withdrawals.find(session, vault, receipt)
    assert (found.ended, found.company) == (None, ("c1", "Huawei"))
