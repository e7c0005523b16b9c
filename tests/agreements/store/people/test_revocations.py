"""Revocation: a new row with a sealed reason ends a signature once; the signature itself never changes."""

import pytest
from sqlalchemy import text

from agreements.store.people import revocations, signatures
from tests.within import within


@pytest.fixture(name="receipt")
def _receipt(session, vault, at, person, draft, fresh):
    return signatures.add(within(session, vault, at, fresh), person, draft(), receipt="AAAA").row.receipt


def revoked(session, vault, at, receipt="AAAA", reason="Signed with a stolen account"):
    """Revoked by account 90."""
    return revocations.revoke(within(session, vault, at, by=90), receipt, reason=reason)


def test_a_revocation_ends_the_signature_with_a_sealed_reason(session, vault, at, receipt):
    row = revoked(session, vault, at)

    assert (row.kind, row.by_account_id, row.at) == ("revocation", 90, at)
    assert b"stolen" not in bytes(session.execute(text("SELECT reason FROM withdrawal")).scalar_one())
    found = revocations.find(session, vault, receipt)
    assert (found.reason, found.ended.kind) == ("Signed with a stolen account", "revocation")
    assert (found.name, found.email, found.fields) == ("Ada 爱达 𠮷", "ada@huawei.com", {"country": "CN"})
    (mine,) = signatures.mine(session, 11)
    assert mine.withdrawn_at == at


def test_a_signature_that_ended_cannot_be_revoked(session, vault, at, receipt):
    assert revoked(session, vault, at)
    assert revoked(session, vault, at) is None


def test_a_withdrawn_signature_cannot_be_revoked(session, vault, at, receipt):
    signatures.withdraw(session, receipt, account_id=11, by_account_id=11, at=at)

    assert revoked(session, vault, at) is None
    assert revocations.find(session, vault, receipt).ended.kind == "withdrawal"


def test_an_unknown_receipt_or_a_blank_reason_revokes_nothing(session, vault, at, receipt):
    assert revocations.find(session, vault, "BBBB") is None
    assert revoked(session, vault, at, "BBBB") is None
    with pytest.raises(ValueError, match="not empty"):
        revoked(session, vault, at, reason=" ")


def test_a_revocation_is_shown_without_name_after_the_key_is_gone(session, vault, at, person, receipt):
    person.wrapped_key = b""
    session.add(person)

    found = revocations.find(session, vault, receipt)
    assert (found.name, found.email, found.row.receipt) == (None, None, "AAAA")
