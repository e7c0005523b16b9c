"""Every visitor can verify a receipt; the answer names text, day and organization, and nothing of the file is kept or logged."""

import io
import json
import re
import sys
import tempfile

import pytest
import structlog
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import text
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from agreements import signed_receipt
from agreements.store.people import portal_signoffs
from bot.pdf import pdf_signature, receipt_reader
from bot.portal.public.receipt_check import MAX_RECEIPT_FORM_BYTES
from tests.agreements.test_signed_receipt import KEY, place_of
from tests.bot.pdf.pdf_files import certificate_pem, pdf, signer
from tests.bot.portal.contributor.test_sign_off_receipt import SHAS, sign
from tests.bot.portal.test_receipt_files import signing
from tests.within import within

PATH = "/receipts/verify"
OTHER = ec.generate_private_key(ec.SECP256R1())


@pytest.fixture(name="receipt")
def _receipt(portal):
    """The bytes of Ada's receipt."""
    ada = portal.signed_in()
    address = ada.post("/sign/icla", data=portal.form(ada)).headers["Location"]
    return ada.get(f"{address}.json").data


def upload(portal, data, path=PATH):
    """The answer to a stranger who sends that file."""
    browser = portal.browser()
    word = re.search(r'name="csrf_token" value="([^"]+)"', browser.get(path).text)[1]
    return browser.post(PATH, data={"csrf_token": word, "file": (io.BytesIO(data), "Ada Lovelace.json")})


def test_a_genuine_receipt_shows_text_day_and_organization_and_no_person(portal, receipt):
    answer = upload(portal, receipt)

    assert answer.status_code == 200
    for said in ("This receipt is genuine", "version 2.0", "2026-11-21", "The CANN Authors", "still in force"):
        assert said in answer.text
    found = json.loads(receipt)
    for private in ("Ada", "ada@example.com", found["receipt"], found["log"]["leaf"]):
        assert private not in answer.text
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_answer_is_in_chinese_too(portal, receipt):
    assert "此回执是真实的" in upload(portal, receipt, f"{PATH}?lang=zh").text


def test_a_changed_receipt_and_another_servers_are_not_genuine(portal, receipt):
    changed = receipt.replace(b"Lovelace", b"Mallory")
    foreign = json.dumps(signed_receipt.sign(json.loads(receipt) | {"name": "Eve"}, place_of(3), KEY)).encode()

    for data in (changed, foreign):
        answer = upload(portal, data)
        assert answer.status_code == 200
        assert "This receipt is not genuine" in answer.text
        assert "This receipt is genuine" not in answer.text
        assert "Mallory" not in answer.text


@pytest.mark.parametrize(
    ("path", "said"),
    [(PATH, "<strong>ada</strong> signed off exactly the commits below"), (f"{PATH}?lang=zh", "且仅为这些提交")],
)
def test_of_a_sign_off_account_commits_and_time_are_shown(portal, path, said):
    portal.pull(7)
    data = portal.signed_in().get(sign(portal)).data
    answer = upload(portal, data, path).text

    for sha in (said, *SHAS, "cann/ops-math#7", "2026-11-21", "1.1"):
        assert sha in answer
    assert "CANN Authors" not in answer
    changed = upload(portal, data.replace(b"b" * 40, b"c" * 40)).text
    assert "This receipt is not genuine" in changed
    assert "c" * 40 not in changed


def test_a_withdrawn_sign_off_is_said_to_be_that(portal):
    portal.pull(7)
    address, services = sign(portal), portal.services
    with services.sessions() as session:
        portal_signoffs.revoke(within(session, services.vault, portal.at, services.new_id, by=11), 98, 7)
    answer = upload(portal, portal.signed_in().get(address).data).text

    assert "The sign-off was withdrawn on" in answer
    assert "withdrawn later" not in answer


def test_before_anything_was_signed_no_receipt_is_genuine(portal):
    foreign = signed_receipt.sign({"agreement": {}}, place_of(3), KEY)
    assert "This receipt is not genuine" in upload(portal, json.dumps(foreign).encode()).text


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "Choose the file"),
        (b"%PDF-1.7 <script>", "This PDF cannot be read"),
        (pdf(), "has no attachment"),
        (pdf(("a", b"{}"), ("b", b"{}")), "more than one attachment"),
        (pdf(("a", b"{}"), password="x"), "is encrypted"),
        (pdf(("a", b"<script>")), "not a signed receipt"),
        (b"[" * 50_000, "not a signed receipt"),
        (b'{"a": 1, "a": 2}', "not a signed receipt"),
        (b"\xff\x00" * 100, "not a signed receipt"),
        (b" " * (signed_receipt.MAX_RECEIPT_BYTES + 1), "not a signed receipt"),
    ],
    ids=range(10),
)
def test_what_is_no_receipt_is_refused_beside_the_field(portal, data, said):
    answer = upload(portal, data)

    assert answer.status_code == 400
    assert said in answer.text
    assert "<script>" not in answer.text


def test_a_larger_file_is_not_read(portal):
    # As bytes: the test client writes larger files into a temporary one.
    sent = {"data": bytes(MAX_RECEIPT_FORM_BYTES + 1), "content_type": "multipart/form-data; boundary=x"}
    assert portal.browser().post(PATH, **sent).status_code == 413


@pytest.mark.slow
def test_a_large_file_is_never_written_to_a_temporary_folder(portal, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("an upload was written to disk")

    browser = portal.browser()
    files = {
        "csrf_token": portal.proof(browser, PATH),
        "file": FileStorage(io.BytesIO(b"%PDF-1.7" + bytes(600_000)), "a.pdf"),
    }
    boundary, body = encode_multipart(files)
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)  # What Werkzeug spools a file into.

    assert (
        "This PDF cannot be read"
        in browser.post(PATH, data=body, content_type=f"multipart/form-data; boundary={boundary}").text
    )


def as_pdf(receipt, **changed):
    """A PDF by any author, with that receipt of Ada's in it."""
    return pdf(("receipt.json", json.dumps({**json.loads(receipt), **changed}).encode()))


@pytest.mark.slow
def test_of_a_pdf_the_receipt_is_verified_and_its_unsigned_pages_are_said_to_be_that(portal, receipt):
    answer = upload(portal, as_pdf(receipt))
    assert "The receipt inside this PDF is genuine" in answer.text
    assert "This receipt is genuine" not in answer.text
    assert "The pages of this PDF are not signed" in answer.text
    for private in ("Ada", "ada@example.com", json.loads(receipt)["receipt"]):
        assert private not in answer.text

    assert "此 PDF 的页面未经签名" in upload(portal, as_pdf(receipt), f"{PATH}?lang=zh").text
    assert "This receipt is not genuine" in upload(portal, as_pdf(receipt, name="Mallory")).text
    assert "pages of this PDF" not in upload(portal, receipt).text


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter", "pades")
def test_the_pages_of_a_signed_pdf_are_proven_until_a_byte_changes(portal, receipt):
    signing(portal, certificate_pem())
    signed = portal.signed_in().get(f"/receipts/{json.loads(receipt)['receipt']}.pdf").data
    assert "the pages are genuine, too" in upload(portal, signed).text

    inside = receipt_reader.read(signed).receipt
    for changed in (
        signed + b"\n",
        pdf(("receipt.json", inside)),
        pdf_signature.sign(pdf(("receipt.json", inside)), signer(OTHER)),
    ):
        answer = upload(portal, changed).text
        assert "This receipt is not genuine" in answer
        assert "genuine, too" not in answer


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter", "pades")
def test_where_the_extra_is_missing_signed_pages_are_said_to_be_unchecked(portal, receipt, monkeypatch):
    signing(portal, certificate_pem())
    signed = portal.signed_in().get(f"/receipts/{json.loads(receipt)['receipt']}.pdf").data
    monkeypatch.setitem(sys.modules, "pyhanko", None)
    answer = upload(portal, signed).text

    assert "cannot check the signature of the pages" in answer
    assert "genuine, too" not in answer


def test_a_form_of_another_site_is_refused(portal, receipt):
    answer = portal.browser().post(PATH, data={"file": (io.BytesIO(receipt), "receipt.json")})
    assert answer.status_code == 400
    assert "genuine" not in answer.text


def test_nothing_of_the_file_is_stored_or_logged(portal, receipt):
    def rows():
        with portal.services.sessions() as session:
            names = session.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'")).all()
            counts = ((name, session.scalar(text(f"SELECT count(*) FROM {name}"))) for name in names)
            return dict(counts)

    before = rows()
    with structlog.testing.capture_logs() as lines:
        upload(portal, receipt)
        upload(portal, receipt.replace(b"Lovelace", b"Mallory"))
    after = rows()

    assert {name for name, count in after.items() if count != before[name]} <= {"visit"}
    assert not any(word in repr(lines) for word in ("Lovelace", "Mallory", json.loads(receipt)["receipt"], "ada@"))
