"""Agreements signed elsewhere are recorded with their file, which only administrators and auditors download."""

import re
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO

import pytest
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from agreements.catalog import AgreementText
from agreements.facts import Account
from agreements.store.companies import company_requests
from agreements.store.people import documents, signatures, texts, withdrawals
from bot.portal.admin import papers
from bot.portal.admin.papers import MAX_PAPER_FORM_BYTES
from bot.records.agreement_view import RECORDED
from tests.bot.conftest import ADMINISTRATOR

PDF = b"%PDF-1.7\nKanarienvogel"


def send(office, browser=None, file=(PDF, "Ada's agreement.exe"), at="/admin/papers", **changed):
    """The form, filled in well but for what is changed or (None) left out."""
    browser = browser or office.root
    filled = {
        "whom": "person", "login": "ada", "signer": "Ada 爱达 𠮷", "email": "ada@example.com", "text": "icla/2.0/en",
        "signed_on": "2024-02-29", "service": "paper", "agree": "y", **changed,
    }  # fmt: skip
    data = {name: value for name, value in filled.items() if value is not None}
    if file:
        data["file"] = FileStorage(BytesIO(file[0]), filename=file[1])
    data["csrf_token"] = office.portal.proof(browser)
    boundary, body = encode_multipart(data)  # by hand: the test client would write a large file into a temporary folder
    return browser.post(at, data=body, content_type=f"multipart/form-data; boundary={boundary}")


def kept(office, of="11"):
    """The files recorded."""
    with office.portal.services.sessions() as session:
        return documents.newest(session, office.portal.services.vault, most=9)


def test_a_persons_agreement_is_recorded_with_its_file_and_judges_pull_requests_again(office):
    pull_id = office.portal.pull(7)
    answer = send(office)

    assert answer.status_code == 302
    (mine,) = mine_of(office, 11)
    assert answer.location == f"/admin/signatures/{mine.receipt}"
    assert f"{mine.signed_at:%Y-%m-%d %H:%M}" == "2024-02-29 00:00"
    with office.portal.services.sessions() as session:
        found = withdrawals.find(session, office.portal.services.vault, mine.receipt)
    assert (found.name, found.row.identity_proof, found.row.statement_id) == (
        "Ada 爱达 𠮷",
        "administrator",
        "recorded-1",
    )
    assert (found.fields["recorded-by"], found.fields["service"]) == ("90", "paper")
    (entry,) = office.entries()
    assert (entry.kind, sorted(row.table for row in entry.rows)) == ("signature.recorded", ["document", "signature"])
    assert (pull_id,) in {job.ids for job in office.portal.engine.waiting}
    assert mine.text in office.portal.services.catalog.accepted()


def test_an_agreement_signed_before_its_text_was_released_is_recorded_with_a_hint(office):
    office.portal.services.hub.logins["mia_acme"] = 13  # a managed user
    source = office.portal.services.catalog.get("icla", "2.0", "en").source
    with office.portal.services.sessions() as session:
        newer = AgreementText("icla", "2.1", "en", source, sha256(source.encode()).hexdigest())
        texts.release(session, [newer], by=90, at=office.portal.at)
    for day, login, hinted in (("2026-11-21", "ada", False), ("2026-11-20", "mia_acme", True)):
        sent = send(office, text="icla/2.1/en", signed_on=day, login=login)
        assert sent.status_code == 302
        page = office.root.get(sent.location).text
        assert ("This version was released here on 2026-11-21 UTC, after it was signed." in page) is hinted


def mine_of(office, account_id):
    """What that account signed."""
    with office.portal.services.sessions() as session:
        return signatures.mine(session, account_id)


@pytest.mark.parametrize(
    ("language", "declared"), [("en", "I have seen the signed agreement."), ("zh", "我已亲自查看")]
)
def test_the_recorders_statement_is_kept_in_the_language_of_the_form(office, language, declared):
    form = office.root.get(f"/admin/papers?lang={language}").text
    assert [words in form for words in RECORDED.values()] == [code == language for code in RECORDED]
    assert f'name="declared" value="{language}"' in form
    office.root.get("/admin?lang=en")
    receipt = send(office, text="icla/2.0/en", declared=language).location.rpartition("/")[2]
    statement = office.portal.signed_in().get(f"/receipts/{receipt}.json").json["statement"]

    assert statement["text"].startswith(declared)
    assert (statement["id"], statement["sha256"]) == ("recorded-1", sha256(statement["text"].encode()).hexdigest())
    assert declared in office.root.get(f"/admin/signatures/{receipt}?lang=en").text
    assert declared in office.portal.signed_in().get(f"/receipts/{receipt}?lang=en").text


def test_the_recorder_is_named_in_words_on_pages_and_by_keys_in_the_json(office):
    page = send(office).location
    receipt, ada = page.rpartition("/")[2], office.portal.signed_in()
    for language, lines in (
        ("en", [("Recorded by", "root"), ("Recorded by account number", "90"), ("How it was signed", "On paper")]),
        ("zh", [("登记人", "root"), ("登记人的账号编号", "90"), ("签署方式", "纸质")]),
    ):
        for shown in (
            ada.get(f"/receipts/{receipt}?lang={language}").text,
            office.root.get(f"{page}?lang={language}").text,
        ):
            assert all(f"<dt>{label}</dt><dd>{value}</dd>" in shown for label, value in lines)
            assert "<dt>recorde" not in shown
            assert "<dt>service" not in shown
    fields = ada.get(f"/receipts/{receipt}.json").json["fields"]
    assert fields == {"recorded-by": "90", "recorder": "root", "service": "paper"}


def test_the_file_of_an_agreement_is_a_download_for_administrators_and_auditors(office):
    send(office)
    (file,) = kept(office)
    for browser in (office.root, office.eye):
        answer = browser.get(f"/admin/papers/{file.id}")
        assert (answer.data, answer.mimetype) == (PDF, "application/pdf")
        assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"].startswith("sandbox")
        assert answer.headers["Cache-Control"] == "no-store"
    assert office.portal.signed_in().get(f"/admin/papers/{file.id}").status_code == 404
    assert office.root.get("/admin/papers/gone").status_code == 404
    assert len(office.entries()) == 1


def test_a_companys_agreement_is_recorded_and_waits_for_the_countersignature(office):
    office.reach()
    answer = send(
        office, whom="company", login=None, company="Huawei", first="ada", second="@Bob", text="ccla/2.0/en", email=""
    )

    with office.portal.services.sessions() as session:
        (waits,) = company_requests.pending(session, accepted=(), at=office.portal.at)
    assert answer.location == f"/admin/companies/{waits.id}"
    assert (waits.name, waits.state) == ("Huawei", "requested")
    assert office.outbox_emails() == []
    (entry,) = office.entries()
    assert (entry.kind, entry.subject_kind, entry.subject_id) == ("signature.recorded", "company", waits.id)
    page = office.root.get(f"/admin/companies/{waits.id}").text
    assert "Ada&#39;s agreement.exe" in page
    assert re.search(r"<dd>\s*90\s*</dd>", page), "who recorded it"


def test_a_companys_page_takes_one_more_file(office):
    company_id = office.company()
    at = f"/admin/companies/{company_id}"
    assert send(office, at=f"{at}/files").location == at
    assert office.entries()[0].kind == "document.kept"
    assert send(office, at="/admin/companies/gone/files").status_code == 404
    wrong = send(office, at=f"{at}/files", file=None, service=None)
    assert (wrong.status_code, "<h1>Huawei</h1>" in wrong.text) == (400, True)
    for field in ("file", "service"):
        assert f'href="#{field}"' in wrong.text
        assert f'id="{field}-error"' in wrong.text


COMPANY = {"whom": "company", "first": "ada", "second": "bob", "text": "ccla/2.0/en"}
WRONG = [
    ({"login": ""}, "login", "Enter the GitHub login of a person."),
    ({"login": "robot[bot]"}, "login", "This account does not belong to a person."),
    ({"login": "nobody"}, "login", "There is no GitHub account with this login."),
    ({"signer": " "}, "signer", "Enter the name of the signer"),
    ({"signer": "x\u202ey"}, "signer", "Enter the name of the signer"),
    ({"signer": "\u3164\u115f"}, "signer", "Enter the name of the signer"),
    ({**COMPANY, "company": "\u3164"}, "company", "Enter the company"),
    ({**COMPANY, "company": "\u2800 -"}, "company", "Enter the company"),
    ({"email": "no address"}, "email", "Enter a valid e-mail address, or leave this empty"),
    ({"text": "ccla/2.0/en"}, "text", "Choose which agreement was signed."),
    ({"text": "icla/9.9/en"}, "text", "Choose which agreement was signed."),
    ({"signed_on": "2023-02-29"}, "signed_on", "Enter the date of the signature"),
    ({"signed_on": "2026-11-22"}, "signed_on", "Enter the date of the signature"),
    ({"service": "pigeon"}, "service", "Choose how it was signed."),
    ({"agree": None}, "agree", "Tick the box"),
    ({"file": None}, "file", "Choose the file"),
    ({"file": (b"", "a.pdf")}, "file", "Choose the file"),
    ({"file": (b"MZ\x90\0", "agreement.pdf")}, "file", "The file must be a PDF, PNG or JPEG"),
    ({"file": (b"<html>", "agreement.pdf")}, "file", "The file must be a PDF, PNG or JPEG"),
]


@pytest.mark.slow
def test_mistakes_are_shown_at_their_field_and_nothing_is_recorded(office):
    office.portal.services.hub.logins["robot[bot]"] = 5
    for changed, field, said in WRONG:
        answer = send(office, **changed)
        assert answer.status_code == 400, changed
        assert f'<a href="#{field}">{said[:10]}' in answer.text, changed
        assert said in answer.text
        assert f'id="{field}-error"' in answer.text, changed
    office.portal.services.hub.away = True
    assert "GitHub is not responding right now." in send(office).text
    assert (office.entries(), kept(office)) == ((), ())


def test_each_missing_manager_is_named(office):
    page = send(office, **COMPANY | {"company": "One", "first": "", "second": ""}).text
    assert '<a href="#first">Enter the GitHub login of the first manager.' in page
    assert '<a href="#second">Enter the GitHub login of a second manager.' in page


def test_a_signed_text_is_not_recorded_again_and_two_managers_are_two_people(office):
    assert send(office).status_code == 302
    answer = send(office)
    assert (answer.status_code, "has already signed this text" in answer.text) == (409, True)
    company = {"whom": "company", "company": "One", "text": "ccla/2.0/en"}
    answer = send(office, **company, first="ada", second="ADA")
    assert (answer.status_code, "two different managers" in answer.text) == (409, True)
    assert len(office.entries()) == 1


def test_an_administrator_does_not_record_their_own_agreement(office):
    office.portal.pull(7, of=(ADMINISTRATOR,))
    jobs = len(office.portal.engine._committed)
    answer = send(office, login="Root")

    assert answer.status_code == 409
    assert '<a href="#login">You cannot record your own agreement. Another administrator can.' in answer.text
    assert (office.entries(), kept(office), mine_of(office, ADMINISTRATOR)) == ((), (), ())
    assert len(office.portal.engine._committed) == jobs


@pytest.mark.parametrize(
    ("size", "status"),
    [(documents.MAX_DOCUMENT_BYTES, 302), (documents.MAX_DOCUMENT_BYTES + 1, 400), (MAX_PAPER_FORM_BYTES + 1, 413)],
)
def test_the_form_takes_a_file_of_ten_megabytes_and_no_more(office, size, status):
    assert send(office, file=(PDF.ljust(size, b"x"), "a.pdf")).status_code == status


def test_other_forms_take_64_kb_and_only_administrators_send_this_one(office):
    big = {"csrf_token": office.portal.proof(office.root), "wanted": "x" * 70_000}
    assert office.root.post("/admin/search", data=big).status_code == 413
    assert send(office, office.eye).status_code == 404
    assert send(office, office.portal.signed_in()).status_code == 404


NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("C:\\Users\\ada\\signed.pdf", "signed.pdf"), ("/home/ada/签名.PDF", "签名.PDF"), ("../../etc/passwd", "passwd.pdf"),
        ("a\u202efdp.exe", "afdp.exe.pdf"), ("x" * 300, "x" * 196 + ".pdf"), ("..", "agreement.pdf"), ("a\r\nb.pdf", "a b.pdf"),
        ("x" * 300 + ".pdf", "x" * 196 + ".pdf"), ("scan.jpg", "scan.jpg.pdf"), ("", "agreement.pdf"),
    ],
)  # fmt: skip
def test_a_files_name_has_no_path_is_short_and_ends_as_its_content_says(sent, kept):
    assert papers._name(FileStorage(filename=sent), "application/pdf") == kept


@pytest.mark.parametrize(("kind", "name"), [("image/jpeg", "a.jpeg"), ("image/jpeg", "a.jpg"), ("image/png", "a.png")])
def test_a_file_whose_ending_fits_its_content_keeps_its_name(kind, name):
    assert papers._name(FileStorage(filename=name), kind) == name
    assert papers._name(FileStorage(filename="a.pdf"), kind).startswith("a.pdf.")


def test_a_form_with_errors_gives_no_paper(portal):
    with portal.app.test_request_context("/", method="POST", data={}):
        filled = papers.read_form("person", {}, NOW, ())

    assert set(filled.errors) == {"login", "signer", "text", "party", "signed_on", "service", "file", "agree"}
    with pytest.raises(ValueError, match="errors"):
        filled.paper(Account(90, "root"))


def test_the_statement_stands_in_both_languages_with_a_hash_each():
    assert set(RECORDED) == {"en", "zh"}
    assert len(set(RECORDED.values())) == 2
