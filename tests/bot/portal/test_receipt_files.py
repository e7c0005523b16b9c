"""The JSON of a receipt is signed as the log confirms it; else it is handed out unsigned, and the log of the server says so."""

import io
import json

import pypdf
import pytest
from sqlalchemy import text

from agreements import signed_receipt
from agreements.store.ledger import stored_ledger


def public_key(portal):
    """The key that the log of this portal is signed with."""
    with portal.services.sessions() as session:
        return stored_ledger.public_key(session, portal.services.vault)


@pytest.fixture(name="signed")
def _signed(portal):
    """Ada's browser after she signed, and the address of her receipt."""
    ada = portal.signed_in()
    return ada, ada.post("/sign/icla", data=portal.form(ada)).headers["Location"]


def test_the_json_is_signed_and_names_text_evidence_and_organization(portal, signed):
    ada, address = signed
    found = signed_receipt.parse(ada.get(f"{address}.json").data)
    signed_receipt.verify(found, public_key(portal))

    assert found["format"] == signed_receipt.FORMAT
    assert found["organization"] == "The CANN Authors"
    assert (found["identity_proof"], found["statement"]["id"]) == ("github-oauth", "agree-1")
    assert set(found["log"]) == {"origin", "entry", "leaf", "frontier", "checkpoint"}


def test_a_withdrawn_signature_has_a_signed_receipt_that_says_so(portal, signed):
    ada, address = signed
    ada.post(f"{address}/withdraw", data=portal.form(ada, f"{address}/withdraw", sure="y"))
    found = signed_receipt.parse(ada.get(f"{address}.json").data)
    signed_receipt.verify(found, public_key(portal))

    assert found["withdrawn_at"] is not None


def test_a_receipt_that_the_log_does_not_confirm_is_handed_out_unsigned(portal, signed):
    ada, address = signed
    with portal.services.sessions() as session:
        session.execute(text("DELETE FROM row_mac"))
    found = json.loads(ada.get(f"{address}.json").text)

    assert (found["format"], found["email"]) == ("countersign-receipt/1", "ada@example.com")
    assert not {"signature", "log"} & set(found)
    with pytest.raises(signed_receipt.ReceiptUnreadable, match="not signed"):
        signed_receipt.parse(json.dumps(found).encode())


@pytest.mark.usefixtures("typesetter")
def test_the_attachment_of_the_pdf_is_the_signed_json(portal, signed):
    ada, address = signed
    attached = pypdf.PdfReader(io.BytesIO(ada.get(f"{address}.pdf").data)).attachments["receipt.json"][0]

    signed_receipt.verify(signed_receipt.parse(attached), public_key(portal))
