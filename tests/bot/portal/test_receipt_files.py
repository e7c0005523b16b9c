"""The JSON of a receipt is signed as the log confirms it; else it is handed out unsigned, and the log of the server says so."""

import io
import json
from dataclasses import replace
from datetime import timedelta

import pypdf
import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from agreements import signed_receipt
from agreements.signed_receipt import ReceiptForged
from agreements.store.ledger import stored_ledger
from bot.pdf import pdf_signature, receipt_reader
from bot.pdf.receipt_reader import Pages
from tests.bot.pdf.pdf_files import AT, certificate_pem, key_pem, pdf, signer


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


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter")
def test_the_attachment_of_the_pdf_is_the_signed_json(portal, signed):
    ada, address = signed
    attached = pypdf.PdfReader(io.BytesIO(ada.get(f"{address}.pdf").data)).attachments["receipt.json"][0]

    signed_receipt.verify(signed_receipt.parse(attached), public_key(portal))


def signing(portal, certificate):
    """Have the portal sign PDFs with that certificate."""
    chosen = replace(portal.services.settings, pdf_certificate=certificate, pdf_key=key_pem())
    object.__setattr__(portal.services, "settings", chosen)


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter", "pades")
def test_with_a_certificate_the_whole_pdf_is_signed_and_its_receipt_names_the_certificate(portal, signed):
    ada, address = signed
    unsigned = ada.get(f"{address}.pdf").data
    signing(portal, certificate_pem())
    made = ada.get(f"{address}.pdf").data
    found = receipt_reader.read(made)
    receipt = signed_receipt.parse(found.receipt)
    signed_receipt.verify(receipt, public_key(portal))

    assert receipt[pdf_signature.CERTIFICATE_KEY] == signer().sha256
    assert found.pages(receipt) is Pages.SIGNED
    assert "signed this whole file" in pypdf.PdfReader(io.BytesIO(made)).pages[0].extract_text()
    # Changed, and with the signature taken off.
    for other in (made + b"\n", pdf(("receipt.json", found.receipt))):
        with pytest.raises(ReceiptForged, match="not as the server signed it"):
            receipt_reader.read(other).pages(receipt)
    assert "attachment, but not" in pypdf.PdfReader(io.BytesIO(unsigned)).pages[0].extract_text()
    assert pdf_signature.CERTIFICATE_KEY not in ada.get(f"{address}.json").text


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter", "pades")
def test_what_the_log_does_not_confirm_is_signed_by_no_certificate_either(portal, signed):
    ada, address = signed
    signing(portal, certificate_pem())
    with portal.services.sessions() as session:
        session.execute(text("DELETE FROM row_mac"))
    made = ada.get(f"{address}.pdf").data

    assert b"/ByteRange" not in made
    assert b"countersign-receipt/1" in receipt_reader.read(made).receipt
    assert (
        "signed"
        not in pypdf.PdfReader(io.BytesIO(made)).pages[0].extract_text().split("receipt.json")[1].split("\n")[0]
    )


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter", "pades")
def test_once_the_certificate_has_expired_there_is_no_pdf_and_the_log_says_why(portal, signed):
    ada, address = signed
    signing(portal, certificate_pem(end=AT - timedelta(days=1)))
    with capture_logs() as lines:
        answer = ada.get(f"{address}.pdf")

    assert answer.status_code == 503
    [line] = [line for line in lines if line["event"] == "receipt.no-pdf"]
    assert "valid from" in line["why"]
    assert ada.get(f"{address}.json").status_code == 200
