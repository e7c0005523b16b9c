"""An agreement is shown in the right version and language, as safe HTML with hashes of what was shown."""

import io
import json
import re
from dataclasses import replace
from hashlib import sha256

import pypdf
import pytest

from agreements.catalog import AgreementText, Catalog
from agreements.rulebook.rules import AgreementRef, Rules
from agreements.store.companies import company_requests
from agreements.store.people import signatures
from bot.mail.smtp import read
from bot.records import agreement_view
from bot.records.agreement_view import NamedParty
from bot.records.owner_rules import OwnerAccount
from tests.bot.portal.company import office
from tests.bot.portal.company.conftest import Desk, asked

RULES = Rules(organization="The CANN Authors")
OWNER = OwnerAccount(7, "cann")


def shown(language: str = "en", agreement: str = "icla", rules: Rules = RULES):
    """The paper from the released texts."""
    return agreement_view.show(Catalog.load(), rules, OWNER, agreement, language)


@pytest.mark.parametrize(
    ("language", "title"), [("en", "Individual Contributor License Agreement"), ("zh", "个人贡献者许可协议")]
)
def test_the_page_shows_title_organization_and_the_hash_of_its_html(language, title):
    paper = shown(language)

    assert paper.title == title
    assert "<strong>The CANN Authors</strong>" in paper.html
    assert "{organization}" not in paper.html
    assert f"<h2>{title}</h2>" in paper.html
    assert "<h1" not in paper.html
    assert paper.shown_sha256 == sha256(str(paper.html).encode()).hexdigest()
    assert title in paper.statement
    assert "2.0" in paper.statement


@pytest.mark.parametrize("agreement", ["icla", "ccla"])
@pytest.mark.parametrize(("language", "banner"), [("en", "counsel"), ("zh", "法律顾问")])
def test_the_template_banner_is_shown_only_to_people_who_signed_while_it_was_shown(agreement, language, banner):
    paper = shown(language, agreement)
    earlier = agreement_view.as_signed(
        paper.text,
        ["O"],
        sha256(agreement_view._render(paper.text.for_organization("O"), language).encode()).hexdigest(),
    )

    assert banner in paper.text.source
    assert banner not in paper.html
    assert banner in earlier.html
    assert agreement_view.as_signed(paper.text, ["P", "O"], agreement_view.of(paper.text, "O").shown_sha256).html == (
        agreement_view.of(paper.text, "O").html
    )


def test_only_the_version_that_the_rules_name_is_shown_and_never_the_dco():
    assert shown(agreement="icla", rules=RULES).text.version == "2.0"
    assert shown(agreement="dco", rules=RULES) is None
    assert shown(agreement="dco", rules=replace(RULES, individual=AgreementRef("dco", "1.1"))) is None
    assert shown(rules=replace(RULES, individual=AgreementRef("icla", "9.9"))) is None
    assert shown(agreement="nothing") is None


def test_a_missing_language_falls_back_to_english():
    assert shown("fr").text.language == "en"


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "<img src=x onerror=alert(1)>",
        "![x](https://evil.example/x.png)",
        "[x](https://evil.example)",
    ],
)
def test_markup_links_and_pictures_in_a_text_are_not_rendered(source):
    html = agreement_view.of(AgreementText("x", "1", "en", f"# T\n\n{source}", ""), "").html

    for part in ("<script", "<img", "<a ", "href="):
        assert part not in html


@pytest.mark.parametrize("organization", ["<b>Bold</b>", "*Bold*", "# Title", "[x](https://evil.example)", "`code`"])
def test_an_organizations_name_is_shown_as_written(organization):
    from html import unescape

    html = agreement_view.of(AgreementText("x", "1", "en", "# T\n\nfor {organization} only", ""), organization).html

    assert f"for {organization} only" in unescape(html).replace("&quot;", '"')


def test_the_digest_changes_with_organization_language_version_and_source():
    text = AgreementText("icla", "2.0", "en", "# T\n\n{organization}", "a" * 64)
    all_of = {
        agreement_view.of(text, "A").seen,
        agreement_view.of(text, "B").seen,
        agreement_view.of(replace(text, language="zh"), "A").seen,
        agreement_view.of(replace(text, version="2.1"), "A").seen,
        agreement_view.of(replace(text, sha256="b" * 64), "A").seen,
    }

    assert len(all_of) == 5


def test_lines_of_a_chinese_paragraph_are_joined_without_a_space():
    assert "<p>一。二。</p>" in agreement_view.of(AgreementText("x", "1", "zh", "# T\n\n一。\n二。", ""), "").html
    assert "<p>One.\nTwo.</p>" in agreement_view.of(AgreementText("x", "1", "en", "# T\n\nOne.\nTwo.", ""), "").html


def test_a_rulebook_without_an_organization_speaks_of_the_project():
    assert "the project" in agreement_view.of(AgreementText("x", "1", "en", "# T\n\n{organization}", ""), "").html


@pytest.mark.parametrize(("language", "first"), [("en", "1. Definitions"), ("zh", "1. 定义")])
def test_the_headings_are_those_of_the_text_without_its_title(language, first):
    headings = shown(language).headings

    assert (headings[0], len(headings)) == (first, 10)


def test_a_heading_is_escaped_text_without_markdown():
    odd = AgreementText("icla", "9.0", "en", "# Ours\n\n## *A* & `b` <i>c</i>\n\nText.\n", "0" * 64)
    bare = AgreementText("icla", "9.0", "en", "Only a paragraph.", "0" * 64)

    assert agreement_view.of(odd, "").headings == ("A &amp; b &lt;i&gt;c&lt;/i&gt;",)
    assert agreement_view.of(bare, "").headings == ()


@pytest.mark.parametrize(
    ("organization", "owner", "party"),
    [
        ("The  CANN\tAuthors ", OWNER, NamedParty("The CANN Authors", "The  CANN\tAuthors ")),
        ("", OWNER, NamedParty("github:7", "cann")),
        (" ", OWNER, NamedParty("github:7", "cann")),
        ("", None, None),
        ("Named", None, NamedParty("Named", "Named")),
    ],
)
def test_the_party_is_the_rulebooks_organization_or_else_the_owners_account(organization, owner, party):
    found = agreement_view.show(Catalog.load(), Rules(organization=organization), owner, "icla", "en")

    assert found.party == party
    assert (party is None) == ("<strong>the project</strong>" in found.html)
    if party is not None and "  " not in party.name:
        assert party.name.strip() in found.html


def test_the_same_page_of_another_party_has_another_digest():
    """An account and an organization may have the same name."""
    named = agreement_view.show(Catalog.load(), Rules(organization="cann"), OWNER, "icla", "en")
    account = agreement_view.show(Catalog.load(), Rules(), OWNER, "icla", "en")

    assert named.shown_sha256 == account.shown_sha256
    assert named.seen != account.seen


@pytest.mark.parametrize("name", ["", "The CANN Authors", "Other Foundation"])
def test_a_signed_page_is_shown_with_the_name_that_its_hash_proves(name):
    text = shown().text
    names = ["Other Foundation", "The CANN Authors"]

    assert agreement_view.as_signed(text, names, agreement_view.of(text, name).shown_sha256).html == (
        agreement_view.of(text, name).html
    )
    assert agreement_view.as_signed(text, names, "0" * 64).html == agreement_view.of(text, names[0]).html


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
def test_the_statement_of_authority_is_on_the_receipt_and_the_administrators_page(signed, language, words):
    desk, sign = signed
    ada, receipt = sign(language)
    page = ada.get(f"/receipts/{receipt}").text
    statement = json.loads(ada.get(f"/receipts/{receipt}.json").text)["statement"]

    assert words in re.sub(r"<details.*", "", page, flags=re.DOTALL)
    assert (statement["id"], words in statement["text"]) == ("authority-1", True)
    assert words in desk.portal.signed_in(id=90, login="root").get(f"/admin/signatures/{receipt}").text


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter")
def test_the_statement_of_authority_is_in_the_pdf(signed):
    _, sign = signed
    ada, receipt = sign("en")
    reader = pypdf.PdfReader(io.BytesIO(ada.get(f"/receipts/{receipt}.pdf").data))
    assert re.sub(r"\s", "", EN) in re.sub(r"\s", "", "".join(page.extract_text() for page in reader.pages))


def test_a_companys_receipt_promises_nothing_before_the_countersignature(signed):
    desk, sign = signed
    ada, receipt = sign("en")
    page = ada.get(f"/receipts/{receipt}").text
    (email,) = office.outbox_emails(desk.portal)

    assert "turn green" not in page
    assert "when an administrator countersigns it" in page
    assert ada.get(f"/receipts/{receipt}/withdraw").status_code == 404
    assert "withdraw" not in read(email).body
    assert "when an administrator countersigns it" in read(email).body


def test_a_statement_is_shown_only_if_id_hash_and_version_match(portal):
    ada = portal.signed_in()
    receipt = ada.post("/sign/icla", data=portal.form(ada)).headers["Location"].removeprefix("/receipts/")
    with portal.services.sessions() as session:
        draft = signatures.receipt(session, portal.services.vault, receipt.partition("?")[0], 11).draft
    catalog = portal.services.catalog

    assert agreement_view.declared(catalog, draft).words.startswith("I have read")
    for changed in ({"statement_sha256": "0" * 64}, {"statement_id": "agree-0"}, {"version": "9.0"}):
        assert agreement_view.declared(catalog, replace(draft, **changed)) is None
