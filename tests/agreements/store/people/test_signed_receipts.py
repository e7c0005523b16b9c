"""The log's key signs a receipt only as the log confirms each of its rows."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from agreements import ledger, signed_receipt
from agreements.store.ledger import stored_ledger
from agreements.store.people import signatures, signed_receipts
from agreements.store.people.signed_receipts import ReceiptNotLogged
from agreements.store.tables.records import PartyRecord, Withdrawal
from tests.logged import log_rows
from tests.within import within


@pytest.fixture(name="signed")
def _signed(session, vault, at, person, draft, fresh):
    """The id of Ada's signature, in the middle of a log."""
    log_rows(session, vault)
    row = signatures.add(within(session, vault, at, fresh), person, draft(), receipt="R-1").row
    within(session, vault, at, fresh).log("signature.added", 11, rows=[row])
    within(session, vault, at, fresh).log("records.exported")
    session.flush()
    return row.id


def receipt_of(session, vault, signature_id):
    """The signed receipt, verified as an outsider would."""
    session.expire_all()
    view = signatures.opened(session, vault, signature_id)
    found = signed_receipts.sign(session, vault, view, {"version": view.draft.version})
    signed_receipt.verify(found, stored_ledger.public_key(session, vault))
    return found


def test_a_receipt_names_its_entry_and_is_the_same_each_time(session, vault, signed):
    found = receipt_of(session, vault, signed)

    assert (found["version"], found["log"]["entry"]) == ("2.0", 1)
    assert found == receipt_of(session, vault, signed)
    assert found["log"]["origin"] == ledger.origin(stored_ledger.public_key(session, vault))


def forge(session, change):
    """Change the database past the program, with its triggers off."""
    session.flush()
    if session.get_bind().dialect.name == "sqlite":
        names = session.scalars(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).all()
        off = [f"DROP TRIGGER {name}" for name in names]
    else:
        off = ["SET LOCAL session_replication_role = replica"]
    for statement in (*off, change):
        session.execute(text(statement))


@pytest.fixture(name="ended")
def _ended(session, vault, at, person, draft, fresh):
    """The id of a signature that was withdrawn, and whose party was found later."""
    row = signatures.add(within(session, vault, at, fresh), person, draft(party=None), receipt="R-1").row
    session.add(PartyRecord(id="p", signature_id=row.id, party="github:1", how="derived", at=at))
    session.add(Withdrawal(signature_id=row.id, at=at + timedelta(days=1), by_account_id=11))
    log_rows(session, vault)
    session.flush()
    return row.id


def test_a_withdrawn_signature_has_a_receipt_too(session, vault, ended):
    assert receipt_of(session, vault, ended)["log"]["entry"] == 0


@pytest.mark.parametrize("forged", ["UPDATE agreement_party SET party = 'github:2'", "DELETE FROM withdrawal"])
def test_a_changed_party_or_a_deleted_withdrawal_is_not_signed(session, vault, ended, forged):
    forge(session, forged)
    with pytest.raises(ReceiptNotLogged, match="log"):
        receipt_of(session, vault, ended)


@pytest.mark.parametrize(
    "forged",
    [
        "UPDATE signature SET version = '9.9'",
        "UPDATE signature SET account_id = 12",
        "UPDATE row_mac SET entry = 0 WHERE table_name = 'signature'",
        "UPDATE row_mac SET mac = 'AAAA' WHERE table_name = 'signature'",
        "DELETE FROM row_mac",
        "INSERT INTO withdrawal (signature_id, at, by_account_id, kind) SELECT id, signed_at, 11, '' FROM signature",
    ],
)
def test_what_was_written_past_the_log_is_not_signed(session, vault, signed, forged):
    forge(session, forged)
    with pytest.raises(ReceiptNotLogged):
        receipt_of(session, vault, signed)


@pytest.mark.parametrize(
    "forged",
    [
        "UPDATE ledger_entry SET actor_id = 12 WHERE number = 1",
        "UPDATE ledger_checkpoint SET frontier = 'zz' WHERE size = 1",
        "UPDATE ledger_checkpoint SET root = 'zz' WHERE size = 2",
        "DELETE FROM ledger_checkpoint WHERE size = 2",
        "DELETE FROM ledger_entry WHERE number = 1",
    ],
)
def test_a_changed_log_signs_nothing(session, vault, signed, forged):
    forge(session, forged)
    with pytest.raises(ReceiptNotLogged, match="ledger verify"):
        receipt_of(session, vault, signed)


def test_a_row_that_changed_after_it_was_shown_is_not_signed(session, vault, signed):
    view = signatures.opened(session, vault, signed)
    other = signatures.opened(session, vault, signed)
    object.__setattr__(other.draft, "version", "9.9")

    with pytest.raises(ReceiptNotLogged):
        signed_receipts.sign(session, vault, other, {})
    assert signed_receipts.sign(session, vault, view, {})["signature"]


def test_a_signature_without_a_log_is_not_signed(session, vault, at, person, draft, fresh):
    row = signatures.add(within(session, vault, at, fresh), person, draft(), receipt="R-1").row
    view = signatures.opened(session, vault, row.id)

    with pytest.raises(ReceiptNotLogged):
        signed_receipts.sign(session, vault, view, {})
