"""A person with authority signs a company's agreement as shown and names a second manager."""

import re
from dataclasses import replace

import pytest
from sqlmodel import select

from agreements.form_fields import AgreementField
from agreements.store.companies import company_requests, managers
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import Proof, SignatureRecord
from bot.portal.company.request import asked_fields, shown_digest, statement
from bot.records import agreement_view
from tests.bot.portal.company import office
from tests.bot.portal.company.conftest import HUAWEI, asked


def send(browser, **changed):
    """The form, sent."""
    return browser.post("/company/request", data=asked(browser, **changed))


def test_a_request_stores_signature_company_and_managers_and_mails_a_receipt(desk):
    browser = desk.sit()
    sent = send(browser)
    assert sent.status_code == 302
    company_id = sent.headers["Location"].rpartition("/")[2]

    with desk.portal.services.sessions() as session:
        found = company_requests.overview(session, company_id, accepted=(), at=desk.portal.at)
        opened = company_requests.opened(session, desk.portal.services.vault, company_id)
        assert [manager.account.id for manager in managers.in_office(session, company_id, at=desk.portal.at)] == [
            11,
            12,
        ]
        assert len(session.exec(select(Proof)).all()) == 1
    assert (found.name, found.state, found.agreement) == ("Huawei Technologies Co., Ltd.", "requested", "ccla")
    assert (opened.signed.draft.statement_id, opened.signed.draft.email) == ("authority-1", HUAWEI)
    assert opened.signed.draft.fields["title"] == "Head of OSS"
    assert office.log(desk.portal) == [
        ("company.requested", 11, "company", ["signature", "company", "company_manager", "company_manager", "proof"])
    ]
    assert [(email.kind, email.to) for email in office.outbox_emails(desk.portal)] == [("company-receipt", HUAWEI)]
    assert "Huawei Technologies" in browser.get(sent.headers["Location"]).text


def test_the_same_form_sent_twice_is_one_request(desk):
    browser = desk.sit()
    form = asked(browser)
    first, second = (browser.post("/company/request", data=form) for _ in range(2))
    assert first.headers["Location"] == second.headers["Location"]
    assert send(browser).headers["Location"] != first.headers["Location"]
    with desk.portal.services.sessions() as session:
        assert len(session.exec(select(CompanyRecord)).all()) == len(session.exec(select(SignatureRecord)).all()) == 2
    assert len(office.outbox_emails(desk.portal)) == 2


def test_forms_in_two_tabs_are_two_requests(desk):
    browser = desk.sit()
    forms = [{**asked(browser), "field-legal-name": name} for name in ("Acme One GmbH", "Acme Two GmbH")]
    sent = [browser.post("/company/request", data=form).headers["Location"] for form in (*forms, *forms)]
    assert sent[:2] == sent[2:]
    for page, name in zip(sent, ("Acme One GmbH", "Acme Two GmbH"), strict=False):
        assert f"<h1>{name}</h1>" in browser.get(page).text
    assert [kind for kind, *_ in office.log(desk.portal)] == ["company.requested"] * 2


MISTAKES = [
    ({"field-legal-name": " "}, "field-legal-name", 400),
    ({"field-registration": "x" * 101}, "field-registration", 400),
    ({"field-address": "a\u200bb"}, "field-address", 400),
    ({"name": ""}, "name", 400),
    ({"email": "eve@huawei.com"}, "email-0", 400),
    ({"agree": None}, "agree", 400),
    ({"second": ""}, "second", 400),
    ({"second": "not a login"}, "second", 400),
    ({"second": "nobody-has-this"}, "second", 400),
    ({"second": "ADA"}, "second", 409),
]
"""What is changed in a right form, the field that is named, the answer's status."""


@pytest.mark.slow
def test_a_mistake_is_named_at_its_field_and_stores_nothing(desk):
    browser = desk.sit()
    for changed, field, code in MISTAKES:
        sent = send(browser, **changed)
        assert sent.status_code == code, changed
        assert re.findall(r'<li><a href="#([^"]+)">', sent.text) == [field]
        assert "Head of OSS" in sent.text
    with desk.portal.services.sessions() as session:
        assert session.exec(select(CompanyRecord)).first() is None
        assert session.exec(select(SignatureRecord)).first() is None


def test_while_github_is_away_a_request_is_answered_with_503_and_can_be_sent_again(desk):
    browser = desk.sit()
    form = asked(browser)
    desk.portal.services.hub.away = True
    assert browser.post("/company/request", data=form).status_code == 503
    desk.portal.services.hub.away = False
    assert browser.post("/company/request", data=form).status_code == 302


@pytest.mark.parametrize("seen", ["", "0" * 64])
def test_a_request_that_saw_another_text_is_refused(desk, seen):
    sent = send(desk.sit(), seen=seen)
    assert sent.status_code == 409
    assert "The text has changed" in sent.text


def test_a_fourth_open_request_of_one_person_is_refused(desk):
    browser = desk.sit()
    for _ in range(company_requests.MAX_OPEN_REQUESTS):
        assert send(browser).status_code == 302
    assert send(browser).status_code == 409


def test_a_request_in_chinese_signs_the_chinese_text(desk):
    browser = desk.sit()
    browser.get("/company/request?lang=zh")
    page = browser.get("/company/request").text
    for words in ("企业贡献者许可协议", "我有权代表上述公司行事", "公司法定名称"):
        assert words in page
    company_id = send(browser).headers["Location"].rpartition("/")[2]
    with desk.portal.services.sessions() as session:
        opened = company_requests.opened(session, desk.portal.services.vault, company_id)
    assert opened.signed.draft.language == "zh"


def test_there_is_no_page_where_the_rulebooks_corporate_text_is_not_released(desk):
    from dataclasses import replace

    from agreements.rulebook.rules import AgreementRef

    desk.portal.rules = replace(desk.portal.rules, corporate=AgreementRef("gone", "9.0"))
    assert desk.sit().get("/company/request").status_code == 404


@pytest.mark.slow
def test_the_digest_differs_by_text_language_and_statement(portal):
    english, chinese = (
        agreement_view.show(portal.services.catalog, portal.rules, portal.services.owner(None), "ccla", language)
        for language in ("en", "zh")
    )
    assert len({shown_digest(english), shown_digest(chinese), english.seen, chinese.seen}) == 4
    assert "Corporate Contributor License Agreement, version 2.0" in statement(english)
    assert "企业贡献者许可协议" in statement(chinese)


def test_the_form_always_asks_for_the_legal_name_first(portal):
    paper = agreement_view.show(portal.services.catalog, portal.rules, portal.services.owner(None), "ccla", "en")
    assert [field.name for field in asked_fields(paper)] == ["legal-name", "registration", "address", "title"]
    other = replace(paper, text=replace(paper.text, fields=(AgreementField("fax", {"en": "Fax"}),)))
    assert [field.name for field in asked_fields(other)] == ["legal-name", "fax"]
