"""What was declared can be said again, in its words, by the hash that the evidence holds; other words are never said."""

import io
import json
import re
from dataclasses import replace

import pypdf
import pytest

from agreements.store.companies import company_requests
from agreements.store.people import signatures
from bot.mail.smtp import read
from bot.records import declarations
from tests.bot.portal.company import office
from tests.bot.portal.company.conftest import Desk, asked

EN, ZH = "I am authorised to act for the company named above", "我有权代表上述公司行事"


@pytest.fixture(name="signed")
def _signed(portal):
    """The desk, and how ada signs a company's agreement in a language there: her browser and the receipt."""
    desk = Desk(portal, [])

    def sign(language):
        ada = desk.sit()
        ada.get(f"/company/request?lang={language}")
        company = ada.post("/company/request", data=asked(ada)).headers["Location"].rpartition("/")[2]
        with desk.portal.services.sessions() as session:
            return ada, company_requests.opened(session, desk.portal.services.vault, company).signed.receipt

    return desk, sign


@pytest.mark.parametrize(("language", "words"), [("en", EN), ("zh", ZH)])
def test_the_authority_is_told(signed, language, words):
    """Whoever signed for a company reads what they declared: on the page and in the file; so does the administrator."""
    desk, sign = signed
    ada, receipt = sign(language)
    page = ada.get(f"/receipts/{receipt}").text
    statement = json.loads(ada.get(f"/receipts/{receipt}.json").text)["statement"]

    assert words in re.sub(r"<details.*", "", page, flags=re.DOTALL)
    assert (statement["id"], words in statement["text"]) == ("authority-1", True)
    assert words in desk.portal.signed_in(id=90, login="root").get(f"/admin/signatures/{receipt}").text


@pytest.mark.usefixtures("typesetter")
def test_the_authority_stands_in_the_pdf(signed):
    """As on the page."""
    _, sign = signed
    ada, receipt = sign("en")
    reader = pypdf.PdfReader(io.BytesIO(ada.get(f"/receipts/{receipt}.pdf").data))
    assert re.sub(r"\s", "", EN) in re.sub(r"\s", "", "".join(page.extract_text() for page in reader.pages))


def test_a_company_is_promised_nothing_before_the_countersignature(signed):
    """No word of pull requests that turn green on the page, none of a withdrawal that there is not in the mail."""
    desk, sign = signed
    ada, receipt = sign("en")
    page = ada.get(f"/receipts/{receipt}").text
    (email,) = office.outbox_emails(desk.portal)

    assert "turn green" not in page
    assert "when an administrator countersigns it" in page
    assert ada.get(f"/receipts/{receipt}/withdraw").status_code == 404
    assert "withdraw" not in read(email).body
    assert "when an administrator countersigns it" in read(email).body


def test_only_what_was_declared(portal):
    """Another wording, another version or an unknown id: nothing is said."""
    ada = portal.signed_in()
    receipt = ada.post("/sign/icla", data=portal.form(ada)).headers["Location"].removeprefix("/receipts/")
    with portal.services.sessions() as session:
        draft = signatures.receipt(session, portal.services.vault, receipt.partition("?")[0], 11).draft
    catalog = portal.services.catalog

    assert declarations.declared(catalog, draft).words.startswith("I have read")
    for changed in ({"statement_sha256": "0" * 64}, {"statement_id": "agree-0"}, {"version": "9.0"}):
        assert declarations.declared(catalog, replace(draft, **changed)) is None
