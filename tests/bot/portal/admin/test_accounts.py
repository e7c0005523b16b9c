"""The administration's pages of one account: its records, search, sessions and the revocation of a signature."""

import re

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.store.ledger import log_subjects
from agreements.store.people import documents, person_rows, withdrawals
from agreements.store.people.documents import DocumentDraft
from agreements.store.tables.records import SignatureRecord
from tests.within import within

RECEIPT = "AAAA-BBBB-CCCC-DDDD-EEEE"


def test_the_page_of_a_person_shows_what_is_kept_of_them_with_addresses_masked(office):
    office.signed()
    office.company()
    office.portal.pull(7)
    page = office.eye.get("/admin/people/11").text

    assert f'href="/admin/signatures/{RECEIPT}"' in page
    assert "for Huawei" in page
    assert ">Huawei</a>" in page
    assert "cann/ops-math#7" in page
    assert "ada@example.com" not in page
    for gone in ("0", str(2**70)):
        assert office.root.get(f"/admin/people/{gone}").status_code == 404


def test_the_page_of_a_person_says_that_there_are_more_open_pull_requests_than_it_names(office):
    office.signed()
    for number in range(1, 51):
        office.portal.pull(number)
    assert "and others" not in office.eye.get("/admin/people/11").text

    office.portal.pull(51)
    page = office.eye.get("/admin/people/11").text
    assert ("cann/ops-math#50" in page, "cann/ops-math#51" in page, "and others" in page) == (True, False, True)


def test_the_page_of_an_account_that_only_signed_in_says_that_nothing_is_kept(office):
    office.portal.signed_in(id=99, login="eve")
    assert '<a href="/admin/people/99">eve</a>' in office.eye.get("/admin/sessions").text
    page = office.eye.get("/admin/people/99").text

    assert "We store nothing about this account" in page
    assert '<a href="/admin/sessions">1 session</a>' in page
    assert 'href="/admin/log?subject=99"' in page


def test_an_auditor_is_shown_no_link_to_the_export(office):
    assert 'href="/admin/export"' in office.root.get("/admin").text
    assert 'href="/admin/export"' not in office.eye.get("/admin").text


def test_auditors_read_a_signature_and_only_administrators_get_the_form_that_revokes_it(office):
    office.signed()
    mine, theirs = (browser.get(f"/admin/signatures/{RECEIPT}").text for browser in (office.root, office.eye))

    assert "Ada 爱达" in theirs
    assert "ada@example.com" in theirs
    assert "/revoke" in mine
    assert "<form" not in theirs.split("<main")[1]
    for gone in ("AAAA-BBBB-CCCC-DDDD-FFFF", "x"):
        assert office.root.get(f"/admin/signatures/{gone}").status_code == 404


def test_revoking_a_signature_sends_an_email_rechecks_and_is_one_entry_of_the_log(office):
    office.signed()
    pull_id = office.portal.pull(7)
    answer = office.post(f"/admin/signatures/{RECEIPT}/revoke", reason="  The account\nwas stolen ")

    assert (answer.status_code, answer.location) == (302, f"/admin/signatures/{RECEIPT}")
    with office.portal.services.sessions() as session:
        found = withdrawals.find(session, office.portal.services.vault, RECEIPT)
    assert (found.ended.kind, found.ended.by_account_id, found.reason) == ("revocation", 90, "The account was stolen")
    (entry,) = office.entries()
    assert (entry.kind, entry.actor_id, [row.table for row in entry.rows]) == ("signature.revoked", 90, ["withdrawal"])
    ((kind, to, values),) = office.outbox_emails()
    assert (kind, to, values["receipt"], values["reason"]) == (
        "revoked",
        "ada@example.com",
        RECEIPT,
        "The account was stolen",
    )
    jobs = {job.ids for job in office.portal.engine.waiting}
    assert (pull_id,) in jobs
    page = office.root.get(f"/admin/signatures/{RECEIPT}").text
    assert "Revoked" in page
    assert "/revoke" not in page


def test_a_companys_signature_is_not_revoked_and_its_page_leads_to_the_agreement(office):
    company_id = office.company("Example Co., Ltd.")
    with office.portal.services.sessions() as session:
        receipt = session.exec(select(SignatureRecord.receipt)).one()
    asked = len(office.entries())
    page = office.root.get(f"/admin/signatures/{receipt}").text
    answer = office.post(f"/admin/signatures/{receipt}/revoke", reason="No authority")

    assert "/revoke" not in page
    assert answer.status_code == 409
    for shown in (page, answer.text):
        assert "This signature was given for Example Co., Ltd. It ends with the agreement" in shown
        assert f'<a href="/admin/companies/{company_id}">' in shown
    assert '<a href="#company">' in answer.text
    assert 'id="company"' not in office.eye.get(f"/admin/signatures/{receipt}").text
    assert len(office.entries()) == asked


def test_a_signature_is_not_revoked_without_a_reason_of_a_valid_length(office):
    office.signed()
    for reason in ("", "  ", "x" * 2001):
        answer = office.post(f"/admin/signatures/{RECEIPT}/revoke", reason=reason)
        assert answer.status_code == 400
        assert '<a href="#reason">Enter a reason' in answer.text
    assert office.entries() == ()


def test_a_revoked_signature_is_not_revoked_again(office):
    office.signed()
    for status in (302, 409):
        assert office.post(f"/admin/signatures/{RECEIPT}/revoke", reason="Stolen").status_code == status
    assert len(office.entries()) == 1


@pytest.mark.slow
def test_each_opening_of_a_restricted_persons_signature_or_file_is_logged(office):
    office.signed()
    services = office.portal.services
    with services.sessions() as session:
        row = withdrawals.find(session, services.vault, RECEIPT).row
        subject = log_subjects.subject_of(session, services.vault, 11)
        draft = DocumentDraft(service="paper", name="ada.pdf", media_type="application/pdf", content=b"%PDF-1")
        documents.add(
            within(session, services.vault, services.clock(), "d1", by=90), draft, subject=subject, signature_id=row.id
        )
    assert office.root.get("/admin/papers/d1").status_code == 200
    assert not office.entries()
    with services.sessions() as session:
        person_rows.find(session, 11).restricted_at = services.clock()

    path = f"/admin/signatures/{RECEIPT}"
    closed = [office.eye.get(page).text for page in (path, "/admin/papers", "/admin/papers/d1", "/admin/people/11")]
    closed.append(office.post(f"{path}/revoke", reason=" ").text)
    for word in ("Ada 爱达", "ada@example.com", "ada.pdf", "%PDF"):
        assert word not in "".join(closed), word
    assert 'action="/admin/papers/d1/open"' in closed[2]
    assert not office.entries()
    opened = office.post(f"{path}/open", office.eye).text
    for word in ("Ada 爱达", "ada@example.com", "ada.pdf"):
        assert word in opened, word
    file = office.post("/admin/papers/d1/open")
    assert (file.data, file.headers["Content-Disposition"]) == (b"%PDF-1", "attachment; filename=ada.pdf")
    assert [(entry.kind, entry.actor_id) for entry in office.entries()] == [
        ("document.opened", 90),
        ("signature.opened", 91),
    ]


def found(office, wanted, browser=None):
    """The page with what was found."""
    answer = office.post("/admin/search", browser, page="/admin/search", wanted=wanted)
    assert answer.status_code == 200
    return answer.text


def test_the_search_finds_people_companies_and_receipts_and_links_to_their_pages(office):
    receipt = office.signed()
    company_id = office.company()

    assert '<a href="/admin/people/11">ada</a>' in found(office, "AD")
    assert f'<a href="/admin/companies/{company_id}">Huawei</a>' in found(office, "huaw")
    assert f'<a href="/admin/signatures/{receipt}">{receipt}</a>' in found(office, receipt.lower())
    assert "Nothing was found. Enter domains" in found(office, "nobody")


@pytest.mark.parametrize("count", [50, 51])
def test_a_search_that_finds_more_than_fifty_says_so(office, count):
    services = office.portal.services
    with services.sessions() as session:
        context = within(session, services.vault, services.clock(), services.new_id)
        for number in range(1000, 1000 + count):
            person_rows.ensure(context, Account(number, f"ada{number}"))
    page = found(office, "ada")
    assert page.count('<a href="/admin/people/1') == 50
    assert ("Only the first 50 are listed." in page) == (count > 50)


def test_an_auditor_searches_without_an_entry_in_the_log(office):
    office.signed()
    assert "/admin/people/11" in found(office, "ada", office.eye)
    assert office.entries() == ()


def test_the_searched_words_are_sent_in_the_body_and_a_get_finds_nothing(office):
    """A query in the address would stand in histories and access logs."""
    office.signed()
    page = office.root.get("/admin/search?wanted=ada").text
    assert "/admin/people/11" not in page
    assert 'method="post"' in page


def test_the_searched_words_are_shown_escaped(office):
    assert "<script>" not in found(office, "<script>alert(1)</script>")


def test_a_restricted_person_is_found_by_number_alone_and_shown_without_a_login(office):
    office.signed()
    with office.portal.services.sessions() as session:
        person_rows.find(session, 11).restricted_at = office.portal.at

    assert '<a href="/admin/people/11">account 11</a>' in found(office, "11")
    assert "/admin/people/11" not in found(office, "ada")
    page = office.eye.get("/admin/people/11").text
    assert "<h1>account 11</h1>" in page
    assert ">ada<" not in page
    assert "Has this login since" not in page


@pytest.fixture(name="ada")
def _ada(office):
    """Ada, signed in twice."""
    return [office.portal.signed_in() for _ in range(2)]


def hashes(page):
    """What names the sessions."""
    return re.findall(r'name="session" value="([0-9a-f]{64})" aria-label="End this session of ada"', page)


def test_the_list_of_sessions_names_the_accounts_and_has_no_buttons_for_an_auditor(office, ada):
    mine, theirs = (browser.get("/admin/sessions").text for browser in (office.root, office.eye))

    assert len(hashes(mine)) == 2
    assert theirs.count('<a href="/admin/people/11">ada</a>') == 2
    assert "<button" not in theirs.split("<main")[1]


def test_an_administrator_ends_one_session_and_leaves_the_accounts_other_session(office, ada):
    chosen = hashes(office.root.get("/admin/sessions").text)[0]
    for _ in range(2):
        assert office.post("/admin/sessions", page="/admin/sessions", session=chosen).status_code == 302

    assert sorted(browser.get("/me").status_code for browser in ada) == [200, 302]
    (entry,) = office.entries()
    assert (entry.kind, entry.actor_id, entry.rows) == ("session.ended", 90, ())


def test_an_administrator_ends_all_sessions_of_an_account(office, ada):
    office.signed()
    office.post("/admin/sessions", page="/admin/sessions", account="11")

    assert [browser.get("/me").status_code for browser in ada] == [302, 302]
    (entry,) = office.entries()
    assert entry.subject_kind == "person"
    assert office.root.get("/admin").status_code == 200


@pytest.mark.parametrize("how", ["session", "account"])
def test_ending_the_visitors_own_session_leads_to_the_front_page(office, how):
    """The desk would redirect to GitHub's sign-in page, to which `form-action` lets no form lead."""
    page = office.root.get("/admin/sessions").text
    own = re.search(r'name="session" value="([0-9a-f]{64})" aria-label="End this session of root"', page)[1]
    answer = office.post("/admin/sessions", page="/admin/sessions", **{how: {"session": own, "account": "90"}[how]})

    assert answer.headers["Location"] == "/"
    assert office.root.get("/").status_code == 200
    assert office.root.get("/admin/sessions").headers["Location"].startswith("/login")


def test_an_unreadable_session_or_account_ends_no_session(office):
    for form in (
        {},
        {"session": "x"},
        {"account": "0"},
        {"account": "-1"},
        {"account": "9" * 40},
        {"account": "1" * 5000},
    ):
        assert office.post("/admin/sessions", page="/admin/sessions", **form).status_code == 302
    assert office.entries() == ()


def test_an_auditor_cannot_end_sessions(office, ada):
    assert office.post("/admin/sessions", office.eye, account="11").status_code == 404
    assert ada[0].get("/me").status_code == 200
