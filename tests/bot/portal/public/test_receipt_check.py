"""Every visitor can verify a receipt; the answer names text, day and organization, and nothing of the file is kept or logged."""

import io
import json
import re

import pytest
import structlog
from sqlalchemy import text

from agreements import signed_receipt
from tests.agreements.test_signed_receipt import KEY, place_of

PATH = "/receipts/verify"


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


def test_before_anything_was_signed_no_receipt_is_genuine(portal):
    foreign = signed_receipt.sign({"agreement": {}}, place_of(3), KEY)
    assert "This receipt is not genuine" in upload(portal, json.dumps(foreign).encode()).text


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "Choose the file"),
        (b"%PDF-1.7 <script>", "not a signed receipt"),
        (b"[" * 50_000, "not a signed receipt"),
        (b'{"a": 1, "a": 2}', "not a signed receipt"),
        (b"\xff\x00" * 100, "not a signed receipt"),
        (b" " * (signed_receipt.MAX_RECEIPT_BYTES + 1), "not a signed receipt"),
    ],
    ids=range(6),
)
def test_what_is_no_receipt_is_refused_beside_the_field(portal, data, said):
    answer = upload(portal, data)

    assert answer.status_code == 400
    assert said in answer.text
    assert "<script>" not in answer.text


def test_a_larger_file_is_not_read(portal):
    assert upload(portal, b" " * 100_000).status_code == 413


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
