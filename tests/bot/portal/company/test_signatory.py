"""A signatory without a GitHub account signs for a company by a link and a code, with full evidence."""

import io
import re
from dataclasses import replace
from datetime import timedelta

import pypdf
import pytest
from sqlmodel import select

from agreements import signed_receipt
from agreements.rulebook.rules import Rules
from agreements.store import erasures
from agreements.store.companies import company_requests, managers
from agreements.store.ledger import stored_ledger
from agreements.store.people import person_rows, signatures
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import PersonRecord, Proof, SignatureRecord
from bot.store import owners
from tests.bot.conftest import ADMINISTRATOR
from tests.bot.portal.company import office
from tests.bot.portal.company.signing import CEO, HOME, answers, code, link, opened, post, proven, send, state


@pytest.mark.slow
def test_a_signatory_signs_by_a_mailed_link_and_code_with_full_evidence(desk):
    ada, sent = send(desk)
    assert state(desk) == "sent"
    browser = opened(desk)
    assert state(desk) == "opened"
    assert 'value="Huawei"' in browser.get("/signatory").text
    signed = browser.post("/signatory", data=answers(browser))
    assert signed.headers["Location"] == "/signatory"
    thanks = browser.get("/signatory").text
    assert "Thank you" in thanks
    assert "Corporate Contributor License Agreement, version 2.0" in thanks

    services = desk.portal.services
    with services.sessions() as session:
        company = session.exec(select(CompanyRecord)).one()
        stated = company_requests.opened(session, services.vault, company.id)
        assert [manager.account.id for manager in managers.in_office(session, company.id, at=desk.portal.at)] == [
            11,
            12,
        ]
        [proof] = session.exec(select(Proof)).all()
        signer = session.exec(select(PersonRecord).where(PersonRecord.id == proof.person_id)).one()
        assert (proof.how, signer.account_id >= person_rows.WITHOUT_ACCOUNT, signer.login) == ("mailed-code", True, "")
        assert (company.requested_by, company.name) == (11, "Huawei Technologies Co., Ltd.")
        desk.company_id = company.id
    draft = stated.signed.draft
    assert (draft.identity_proof, draft.statement_id, draft.name, draft.email) == (
        "mailed-code", "authority-1", "Carol Shaw", CEO,
    )  # fmt: skip
    assert (draft.fields["title"], len(draft.shown_sha256), draft.version) == ("CEO", 64, "2.0")
    tables = ["signature", "company", "company_manager", "company_manager", "proof"]
    assert office.log(desk.portal) == [("company.requested", 11, "company", tables)]
    receipt = next(email for email in office.outbox_emails(desk.portal) if email.kind == "signatory-receipt")
    assert (receipt.to, receipt.values["receipt"], receipt.values["shown"]) == (
        CEO,
        stated.signed.receipt,
        draft.shown_sha256,
    )
    desk.countersign()
    assert "Carol Shaw" in ada.get(f"/company/{desk.company_id}").text
    assert state(desk) == "signed"
    assert f"/company/{desk.company_id}" in ada.get(sent.headers["Location"]).text


def test_a_signatory_saves_the_signed_receipt_in_the_session_that_signed(desk):
    send(desk)
    browser, path = opened(desk), "/signatory/receipt.json"
    assert browser.get(path).status_code == 404
    browser.post("/signatory", data=answers(browser))
    assert path in browser.get("/signatory").text
    found = signed_receipt.parse(browser.get(path).data)
    with desk.portal.services.sessions() as session:
        signed_receipt.verify(found, stored_ledger.public_key(session, desk.portal.services.vault))

    assert (found["identity_proof"], found["email"], found["fields"]["title"]) == ("mailed-code", CEO, "CEO")
    assert desk.portal.browser().get(path).status_code == 404
    assert desk.portal.signed_in().get(path).status_code == 404


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter")
def test_a_signatory_saves_the_pdf_in_the_session_that_signed(desk):
    send(desk)
    browser, path = opened(desk), "/signatory/receipt.pdf"
    assert browser.get(path).status_code == 404
    browser.post("/signatory", data=answers(browser))
    assert path in browser.get("/signatory").text
    reader = pypdf.PdfReader(io.BytesIO(browser.get(path).data))

    assert signed_receipt.parse(reader.attachments["receipt.json"][0])["email"] == CEO
    assert "(number" not in reader.pages[0].extract_text()  # There is no account.
    assert [visitor.get(path).status_code for visitor in (desk.portal.browser(), desk.portal.signed_in())] == [404, 404]


def test_a_request_is_signed_under_the_rules_of_the_organization_that_sent_it(desk):
    services = desk.portal.services
    names = {1: "Alpha", 2: "Beta"}
    changed = {
        "settings": replace(services.settings, accounts=("alpha", "beta")),
        "rules": lambda owner: Rules(organization=names[owner]),
        "rules_state": lambda owner: "valid" if owner == 2 else "broken",
    }
    for name, value in changed.items():
        object.__setattr__(services, name, value)
    with services.sessions() as session:
        for owner, name in names.items():
            owners.remember_login(session, name.lower(), owner)
            owners.remember_rules(session, owner, "version: 1", valid=True, at=desk.portal.at)
    assert send(desk, at=f"{HOME}?organization=beta")[1].status_code == 302

    [mailed] = [email for email in office.outbox_emails(desk.portal) if email.kind == "signatory-request"]
    browser = opened(desk)
    assert mailed.values["organization"] == "Beta"
    assert 'href="/sign/ccla/text.pdf?organization=beta"' in browser.get("/signatory").text
    assert browser.post("/signatory", data=answers(browser)).status_code == 302
    assert state(desk) == "signed"


def test_the_sender_is_told_of_a_signature_and_of_a_refusal(desk):
    office.known(desk.portal, 11, "ada", "ada@huawei.com")
    send(desk)
    browser = opened(desk)
    browser.post("/signatory", data=answers(browser))
    send(desk, desk.sit(), company="Another")
    post(desk, opened(desk), "/signatory/decline", HOME.replace(HOME, "/signatory"))
    told = [(email.kind, email.to) for email in office.outbox_emails(desk.portal) if email.to == "ada@huawei.com"]
    assert told == [("signatory-signed", "ada@huawei.com"), ("signatory-declined", "ada@huawei.com")]


def test_a_form_sent_twice_is_one_request_and_one_signature(desk):
    browser = desk.sit()
    page = browser.get(HOME).text
    form = dict(re.findall(r'<input type="hidden" name="(csrf_token|id)" value="([^"]*)"', page))
    form |= {"company": "Huawei", "address": CEO, "second": "bob", "language": "en"}
    assert len({browser.post(HOME, data=form).headers["Location"] for _ in range(2)}) == 1
    assert len(office.outbox_emails(desk.portal)) == 1
    signer = opened(desk)
    filled = answers(signer)
    assert [signer.post("/signatory", data=filled).status_code for _ in range(2)] == [302, 302]
    with desk.portal.services.sessions() as session:
        assert len(session.exec(select(SignatureRecord)).all()) == len(session.exec(select(CompanyRecord)).all()) == 1


def test_a_signature_needs_name_title_consent_and_the_text_that_was_shown(desk):
    send(desk)
    browser = opened(desk)
    for changed, status in (({"name": ""}, 400), ({"field-title": ""}, 400), ({"agree": ""}, 400), ({"seen": "0" * 64}, 409), ({"email": "x@evil.example"}, 400)):  # fmt: skip
        assert browser.post("/signatory", data=answers(browser, **changed)).status_code == status, changed
    with desk.portal.services.sessions() as session:
        assert session.exec(select(SignatureRecord)).first() is None
    assert state(desk) == "opened"


def test_the_link_without_the_code_shows_no_agreement_and_takes_no_form(desk):
    send(desk)
    there = link(desk)
    stranger = desk.portal.browser()
    assert "Send me a code" in stranger.get(there).text
    assert CEO not in stranger.get(there).text
    assert stranger.get("/signatory").status_code == 404
    proof = {"csrf_token": desk.portal.proof(stranger, there)}
    for path in ("/signatory", "/signatory/answer", "/signatory/decline"):
        assert stranger.post(path, data={**proof, "agree": "y", "code": "1"}).status_code == 404
    post(desk, stranger, f"{there}/code", there)
    assert stranger.post("/signatory", data=proof).status_code == 404
    assert state(desk) == "sent"


@pytest.mark.slow
def test_a_code_has_five_tries_and_a_link_five_codes_an_hour(desk):
    send(desk)
    browser, there = desk.portal.browser(), link(desk)
    post(desk, browser, f"{there}/code", there)
    said = [post(desk, browser, "/signatory/answer", "/signatory", code="00000000").text for _ in range(6)]
    assert "Attempts left: 4" in said[0]
    assert all("no longer works" in text for text in said[4:])
    assert post(desk, browser, "/signatory/answer", "/signatory", code=code(desk)).status_code == 400
    for _ in range(4):
        assert post(desk, browser, f"{there}/code", there).status_code == 302
    assert post(desk, browser, f"{there}/code", there).status_code == 429


def test_a_code_expires_after_ten_minutes(desk):
    send(desk)
    browser, there = desk.portal.browser(), link(desk)
    post(desk, browser, f"{there}/code", there)
    desk.portal.later(minutes=10)
    assert post(desk, browser, "/signatory/answer", "/signatory", code=code(desk)).status_code == 400


def test_declining_forgets_the_address_and_ends_the_link(desk):
    ada, sent = send(desk)
    browser = opened(desk)
    assert "You declined" in post(desk, browser, "/signatory/decline", "/signatory").text
    assert state(desk) == "declined"
    assert CEO not in ada.get(sent.headers["Location"]).text
    assert "withdrawn" not in browser.get(link(desk)).text


@pytest.mark.slow
def test_administrators_see_a_signatory_by_name_until_restricted(desk):
    send(desk)
    browser = opened(desk)
    browser.post("/signatory", data=answers(browser))
    with desk.portal.services.sessions() as session:
        number, receipt = session.exec(select(SignatureRecord.account_id, SignatureRecord.receipt)).one()
    root = desk.portal.signed_in(id=ADMINISTRATOR, login="root")
    link = f'<a href="/admin/people/{number}">Carol Shaw (without GitHub account)</a>'
    for page in ("/admin/people", "/admin/signatures"):
        assert link in root.get(page).text
    profile = root.get(f"/admin/people/{number}").text
    assert "<h1>Carol Shaw (without GitHub account)</h1>" in profile
    found = root.post("/admin/search", data={"csrf_token": desk.portal.proof(root), "wanted": CEO}).text
    assert link in found
    order = {"csrf_token": desk.portal.proof(root), "account": str(number), "reason": "a letter"}
    asked = root.post("/admin/erasures", data=order).headers["Location"]
    assert "<h1>Erasure request of Carol Shaw (without GitHub account)</h1>" in root.get(asked).text
    entry = root.get(f"/admin/log?subject={number}").text
    assert link in entry
    for page in (profile, found):
        assert f">{number}" not in page
        assert f"number {number}" not in page

    root.post(f"{asked}/restrict", data={"csrf_token": desk.portal.proof(root), "reason": "the law"})
    assert "Carol Shaw" not in root.get("/admin/people").text
    assert "Carol Shaw" not in root.get(f"/admin/people/{number}").text
    assert "Carol Shaw" not in root.get(f"/admin/signatures/{receipt}").text


def test_a_signatory_can_be_erased_by_number(desk):
    send(desk)
    browser = opened(desk)
    browser.post("/signatory", data=answers(browser))
    services = desk.portal.services
    with services.sessions() as session:
        row = session.exec(select(SignatureRecord)).one()
        assert erasures.holds(session, row.account_id, at=desk.portal.at).evidence
        person = session.exec(select(PersonRecord).where(PersonRecord.id == row.person_id)).one()
        erasures.shred(session, person, at=desk.portal.at + timedelta(days=1))
        session.flush()
        view = signatures.receipt(session, services.vault, row.receipt, row.account_id)
        assert (view.erased, view.draft.name, view.draft.email) == (True, "", "")


def answered_late(desk):
    """A browser whose session ended while the form was filled in, and what the page says of it."""
    browser = opened(desk)
    filled = answers(browser, name="Carol <CEO> Shaw")
    desk.portal.later(minutes=31)
    return browser, browser.post("/signatory", data=filled, headers={"Origin": "http://localhost"})


@pytest.mark.slow
def test_a_form_sent_after_the_session_ended_is_kept_without_the_consent(desk):
    send(desk)
    browser, late = answered_late(desk)
    assert late.status_code == 400
    assert "We keep what you typed for 30 minutes" in late.text
    assert "Sign in with GitHub" not in late.text
    proven(desk, browser)
    page = browser.get("/signatory").text
    for typed in ("Carol &lt;CEO&gt; Shaw", "9144-0300", "Bantian, Shenzhen", "Huawei Technologies Co., Ltd."):
        assert f'value="{typed}"' in page
    assert " checked" not in page
    with desk.portal.database.connect() as connection:
        assert not [row for row in connection.exec_driver_sql("SELECT sealed FROM visit").all() if b"Shaw" in row[0]]
    assert browser.post("/signatory", data=answers(browser, name="")).status_code == 400
    assert "9144-0300" not in browser.get("/signatory").text


@pytest.mark.slow
def test_a_kept_form_is_shown_for_30_minutes_in_its_own_browser_and_request_alone(desk):
    send(desk)
    filled = answers(opened(desk))
    stranger = desk.portal.browser()
    answer = stranger.post("/signatory", data=filled, headers={"Origin": "https://evil.example"})
    assert (answer.status_code, answer.headers.get("Set-Cookie")) == (400, None)
    browser, _ = answered_late(desk)
    desk.portal.later(minutes=31)
    proven(desk, browser)
    assert "9144-0300" not in browser.get("/signatory").text
    send(desk, desk.sit(), address="cfo@huawei.com")
    browser, _ = answered_late(desk)
    desk.portal.later(minutes=1)
    send(desk, desk.sit(), address="coo@huawei.com")
    proven(desk, browser)
    assert "9144-0300" not in browser.get("/signatory").text
    assert "You declined" in post(desk, browser, "/signatory/decline", "/signatory").text
    send(desk, desk.sit(), address="cfo@huawei.com")
    proven(desk, browser)
    assert "9144-0300" not in browser.get("/signatory").text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_mail_is_in_the_senders_language_and_the_pages_in_the_readers(desk, language):
    send(desk, language=language)
    assert {email.language for email in office.outbox_emails(desk.portal)} == {language}
    browser = opened(desk)
    browser.get(f"/signatory?lang={language}")
    filled = answers(browser)
    assert browser.post("/signatory", data=filled).status_code == 302
    with desk.portal.services.sessions() as session:
        assert session.exec(select(SignatureRecord)).one().language == language
