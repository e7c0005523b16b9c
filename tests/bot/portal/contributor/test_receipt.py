"""A receipt holds all of the evidence, for its signer alone, as a page, as JSON and as a PDF."""

import io
import json
import re
import sys
from dataclasses import replace

import pypdf
import pytest
from sqlmodel import select

from agreements.store.people import person_rows, signatures
from bot.store import outbox
from bot.store.outbox import Mail
from tests.within import within


@pytest.fixture(name="signed")
def _signed(portal):
    """Ada's browser after she signed, and the number of her receipt."""
    ada = portal.signed_in()
    answer = ada.post("/sign/icla", data=portal.form(ada, name="䶮 𠮷 Lovelace"))
    assert answer.status_code == 302, answer.text
    return ada, answer.headers["Location"].removeprefix("/receipts/").partition("?")[0]


def outbox_emails(portal):
    """What the outbox holds, opened."""
    with portal.services.sessions() as session:
        return [outbox.opened(portal.services.vault, mail) for mail in session.exec(select(Mail))]


def test_the_json_holds_all_evidence_and_does_not_change(portal, signed):
    ada, receipt = signed
    answer = ada.get(f"/receipts/{receipt}.json")
    receipt_json = json.loads(answer.text)
    text = portal.services.catalog.get("icla", "2.0", "en")

    assert answer.mimetype == "application/json"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="receipt-{receipt}.json"'
    assert answer.headers["Cache-Control"] == "no-store"
    assert receipt_json["receipt"] == receipt
    assert receipt_json["agreement"] == {"name": "icla", "version": "2.0", "language": "en"}
    assert (receipt_json["source_sha256"], len(receipt_json["shown_sha256"])) == (text.sha256, 64)
    assert receipt_json["statement"]["text"].startswith("I have read")
    assert (receipt_json["account"], receipt_json["identity_proof"]) == ({"id": 11, "login": "ada"}, "github-oauth")
    assert (receipt_json["name"], receipt_json["email"], receipt_json["fields"]) == (
        "䶮 𠮷 Lovelace",
        "ada@example.com",
        {},
    )
    assert (receipt_json["signed_at"], receipt_json["withdrawn_at"]) == ("2026-11-21T12:00:00Z", None)
    portal.later(days=3)
    assert portal.signed_in().get(f"/receipts/{receipt}.json").text == answer.text


@pytest.mark.parametrize("kind", ["json", "pdf"])
def test_a_receipts_files_are_for_its_signer_alone(portal, signed, kind):
    _, receipt = signed
    path = f"/receipts/{receipt}.{kind}"

    assert portal.signed_in(id=12, login="bob").get(path).status_code == 404
    assert portal.signed_in(id=90, login="root").get(path).status_code == 404
    stranger = portal.browser().get(path)
    assert (stranger.status_code, stranger.headers["Location"][:6]) == (302, "/login")


@pytest.mark.parametrize("name", ["nothing", "K7QM-2D9X-AAAA-BBBB-CCCC", "..%2f", "%00"])
def test_an_unknown_receipt_has_no_files(portal, name):
    ada = portal.signed_in()

    assert [ada.get(f"/receipts/{name}.{kind}").status_code for kind in ("json", "pdf")] == [404, 404]


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter")
def test_the_pdf_holds_name_hashes_and_text_with_the_json_attached(portal, signed):
    ada, receipt = signed
    answer = ada.get(f"/receipts/{receipt}.pdf")
    assert answer.status_code == 200, answer.text
    reader = pypdf.PdfReader(io.BytesIO(answer.data))
    said = "".join(page.extract_text() for page in reader.pages)

    assert answer.mimetype == "application/pdf"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="receipt-{receipt}.pdf"'
    assert {"䶮", "𠮷"} <= set(said)
    for part in ("ada@example.com", "2026-11-21", "number 11", "CANN Authors"):
        assert re.sub(r"\s", "", part) in re.sub(r"\s", "", said), part
    assert reader.attachments["receipt.json"][0].decode() == ada.get(f"/receipts/{receipt}.json").text


def test_the_page_links_to_the_pdf_only_where_weasyprint_is_installed(portal, signed, monkeypatch):
    ada, receipt = signed
    page = ada.get(f"/receipts/{receipt}").text
    assert f'href="/receipts/{receipt}.json"' in page
    assert f'href="/receipts/{receipt}.pdf"' in page
    monkeypatch.setitem(sys.modules, "weasyprint", None)

    assert ".pdf" not in ada.get(f"/receipts/{receipt}").text
    assert ada.get(f"/receipts/{receipt}.pdf").status_code == 404


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter")
def test_a_name_that_no_font_can_show_makes_the_pdf_unavailable(portal):
    ada = portal.signed_in()
    rare = "Ada \U0003fffd Lovelace"
    receipt = ada.post("/sign/icla", data=portal.form(ada, name=rare)).headers["Location"].rpartition("/")[2]
    answer = ada.get(f"/receipts/{receipt}.pdf")

    assert answer.status_code == 503
    assert "The PDF is not available right now" in answer.text


@pytest.mark.parametrize(("language", "begins"), [("en", "Your receipt: "), ("zh", "签署回执：")])
def test_a_receipt_is_mailed_once_to_the_chosen_address_in_the_pages_language(portal, language, begins):
    from bot.mail.smtp import read

    ada = portal.signed_in()
    data = portal.form(ada, f"/sign/icla?lang={language}", email="old@example.org")
    receipt = ada.post("/sign/icla", data=data).headers["Location"].rpartition("/")[2]
    ada.post("/sign/icla", data=data)
    (email,) = outbox_emails(portal)

    assert (email.to, email.account_id) == ("old@example.org", 11)
    assert read(email).subject.startswith(begins)
    assert f"http://localhost/receipts/{receipt}" in read(email).body
    assert "Ada Lovelace" not in read(email).body


def test_a_receipt_is_not_found_by_another_person(portal):
    browser = portal.signed_in()
    receipt = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"]
    stranger = portal.signed_in(id=12, login="bob")

    assert browser.get(receipt).status_code == 200
    assert stranger.get(receipt).status_code == 404
    assert portal.browser().get(receipt).headers["Location"] == "/login?next=" + receipt.replace("/", "%2F")
    assert "Individual Contributor" not in stranger.get("/me").text


def test_a_receipt_shows_statement_and_text_only_while_they_match_the_signed_hashes(portal):
    browser = portal.signed_in()
    receipt = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"]
    whole = browser.get(receipt).text
    with portal.services.sessions() as session:
        draft = signatures.receipt(session, portal.services.vault, receipt.rpartition("/")[2], 11).draft
        other = replace(draft, language="zh", statement_sha256="0" * 64)
        person, number = person_rows.find(session, 11), "0000-0000-0000-0000-0001"
        signatures.add(within(session, portal.services.vault, portal.at, "f" * 32), person, other, receipt=number)
    reworded = browser.get(f"/receipts/{number}").text
    portal.rules = replace(portal.rules, organization="Renamed")

    assert "I have read the" in whole
    assert "The text that you signed" in whole
    assert "我已阅读" not in reworded
    assert "You declared" in whole
    assert "You declared" not in reworded
    # The party is recorded: the page that named it can be shown again after the rulebook has changed the name.
    assert "The text that you signed" in browser.get(receipt).text
    portal.rules = replace(portal.rules, organization="The CANN Authors")
    assert "The text that you signed" not in reworded


def test_a_receipt_gives_thanks_only_in_the_first_minutes(portal):
    browser = portal.signed_in()
    receipt = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"]
    fresh = browser.get(receipt).text
    portal.later(minutes=6)
    old = browser.get(receipt).text

    assert "Thank you. Your signature is recorded." in fresh
    assert "checking your open pull requests again" in fresh
    assert "Your signature is recorded." in old
    assert "Thank you. " not in old
    assert "checking your open pull requests again" not in old
    for page in (fresh, old):
        assert "of the HTML shown to you, with the organisation's name" in page


def test_signing_in_from_a_receipts_address_leads_back_to_it(portal):
    browser = portal.signed_in()
    receipt = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"]

    assert portal.sign_in(receipt).get(receipt).status_code == 200
