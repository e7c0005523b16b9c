"""A person who is asked to sign can save the text as PDF for a lawyer, who needs no account to read it."""

import io
import re
from hashlib import sha256

import pypdf
import pytest
from structlog.testing import capture_logs

from agreements.catalog import Catalog
from bot.pdf import typesetter
from bot.pdf.typesetter import NoPDF
from bot.portal.contributor import agreement_pdf


def words(reader):
    """The text of all pages without white space."""
    return re.sub(r"\s", "", "".join(page.extract_text() for page in reader.pages))


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter")
@pytest.mark.parametrize(("name", "where"), [("icla", "/sign/icla"), ("ccla", "/company/request")])
def test_the_pdf_has_the_text_what_the_signer_declares_and_the_released_text_attached(portal, name, where):
    answer = portal.browser().get(f"/sign/{name}/text.pdf")
    reader = pypdf.PdfReader(io.BytesIO(answer.data))
    shown, released = words(reader), Catalog.load().get(name, "2.0", "en")

    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}-2.0-en.pdf"'
    for said in ("TheCANNAuthors", "Itisnotsigned", released.sha256, f"{where}Thesignergives", "Ihavereadthe"):
        assert said in shown
    assert ("authorisedtoactforthecompany" in shown) == (name == "ccla")
    assert sha256(reader.attachments[f"{name}-2.0-en.md"][0]).hexdigest() == released.sha256


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter")
def test_the_receipt_of_a_signature_has_the_hashes_of_the_pdf(portal):
    shown = words(pypdf.PdfReader(io.BytesIO(portal.browser().get("/sign/icla/text.pdf").data)))
    ada = portal.signed_in()
    receipt = ada.get(f"{ada.post('/sign/icla', data=portal.form(ada)).headers['Location']}.json").json

    assert receipt["source_sha256"] in shown
    assert receipt["shown_sha256"] in shown


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter")
def test_the_pdf_is_in_the_language_of_the_page(portal):
    reader = pypdf.PdfReader(io.BytesIO(portal.browser().get("/sign/icla/text.pdf?lang=zh").data))

    assert reader.trailer["/Root"]["/Lang"] == "zh-CN"
    assert list(reader.attachments) == ["icla-2.0-zh.md"]


def test_each_text_is_made_once_for_all_readers(portal, monkeypatch):
    made = []
    monkeypatch.setattr(typesetter, "make", lambda *given: made.append(given) or b"%PDF-1.7 once")
    agreement_pdf._made.cache_clear()
    answers = [portal.browser().get("/sign/icla/text.pdf").data for _ in range(3)]
    agreement_pdf._made.cache_clear()

    assert (answers, len(made)) == ([b"%PDF-1.7 once"] * 3, 1)


def test_a_pdf_that_cannot_be_made_is_said_and_logged(portal, monkeypatch):
    def refuse(*_given):
        raise NoPDF("no font")

    monkeypatch.setattr(typesetter, "make", refuse)
    agreement_pdf._made.cache_clear()
    with capture_logs() as lines:
        answer = portal.browser().get("/sign/icla/text.pdf")

    assert (answer.status_code, "read the agreement on its page" in answer.text) == (503, True)
    assert [(line["event"], line["why"]) for line in lines if line["event"] == "text.no-pdf"] == [
        ("text.no-pdf", "no font")
    ]


@pytest.mark.parametrize("path", ["/sign/icla", "/company/request"])
def test_without_the_extra_no_page_offers_a_pdf(portal, monkeypatch, path):
    ada = portal.signed_in()
    assert "/sign/" in ada.get(path).text
    assert re.search(r'href="/sign/[ic]cla/text\.pdf"', ada.get(path).text)
    monkeypatch.setattr(typesetter, "possible", lambda: False)

    assert ".pdf" not in ada.get(path).text
    assert ada.get("/sign/icla/text.pdf").status_code == 404


def test_an_agreement_that_the_rules_do_not_ask_for_has_no_pdf(portal):
    assert portal.browser().get("/sign/other/text.pdf").status_code == 404
