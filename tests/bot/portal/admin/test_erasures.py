"""An administrator decides on erasure requests and may open one by account number; an auditor only reads."""

import re

import pytest

from agreements.facts import Account
from agreements.store import erasures
from agreements.store.people import emails, erasure_requests, person_rows
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.declarations import declared, table_of
from bot.portal.admin.erasures import GOING
from tests.bot.conftest import ADMINISTRATOR, AUDITOR
from tests.within import within


@pytest.fixture(name="admin")
def _admin(portal):
    """An administrator's browser."""
    return portal.signed_in(id=ADMINISTRATOR, login="root")


def request_erasure(portal, *, signs=False):
    """Ada asks to be erased; perhaps she has signed."""
    if signs:
        ada = portal.signed_in()
        assert ada.post("/sign/icla", data=portal.form(ada)).status_code == 302
    with portal.services.sessions() as session:
        assert erasure_requests.ask(within(session, portal.services.vault, portal.at, "e1", by=11))
    return "/admin/erasures/e1"


def post(portal, browser, path, **values):
    """Send a form."""
    return browser.post(path, data={"csrf_token": portal.proof(browser), **values})


def state(portal, erasure_id="e1"):
    """What became of it."""
    with portal.services.sessions() as session:
        return erasures.find(session, erasure_id).state


def test_an_administrator_deletes_everything_after_ticking_a_box_and_only_once(portal, admin):
    erasure = request_erasure(portal)
    page = admin.get(erasure).text
    assert "Delete everything" in page
    assert "Keep the evidence" not in page

    answer = post(portal, admin, erasure + "/delete")
    assert (answer.status_code, 'href="#sure"' in answer.text, state(portal)) == (400, True, "asked")
    assert post(portal, admin, erasure + "/delete", sure="y").status_code == 302
    assert "everything was deleted" in admin.get(erasure).text
    again = post(portal, admin, erasure + "/delete", sure="y")
    assert (again.status_code, "decided in the meantime" in again.text) == (409, True)


@pytest.mark.slow
def test_an_erasure_request_of_a_signer_restricts_them_and_cannot_delete(portal, admin):
    erasure = request_erasure(portal, signs=True)
    admin = portal.signed_in(id=ADMINISTRATOR, login="root")
    page = admin.get(erasure).text
    assert "Keep the evidence, restricted" in page
    assert "1 (1 in force)" in page
    assert "<li>1 signature</li>" in page.partition("because evidence must be kept:")[2]
    refused = post(portal, admin, erasure + "/delete", sure="y")
    assert (refused.status_code, "must be kept" in refused.text) == (409, True)
    for reason in ("", " ", "x" * 2001):
        assert post(portal, admin, erasure + "/restrict", reason=reason).status_code == 400

    assert post(portal, admin, erasure + "/restrict", reason="legal\r\nclaims").status_code == 302
    page = admin.get(erasure).text
    assert "legal claims" in page
    assert "2036-11-21" in page
    assert "A signature is in force" in page
    assert "restricted" in admin.get("/admin/erasures").text
    with portal.services.sessions() as session:
        assert person_rows.find(session, 11).restricted_at == portal.at


@pytest.mark.slow
def test_an_administrator_opens_a_request_by_number_with_a_reason_and_one_at_a_time(portal, admin):
    for account, reason in (("", "r"), ("ada", "r"), ("0", "r"), ("77", ""), ("1" * 5000, "r"), ("²", "r")):
        assert post(portal, admin, "/admin/erasures", account=account, reason=reason).status_code == 400
    unknown = post(portal, admin, "/admin/erasures", account="7171551630223032780", reason="r")
    assert (unknown.status_code, "There is no GitHub account with this number." in unknown.text) == (400, True)
    answer = post(portal, admin, "/admin/erasures", account="77", reason="court order")
    assert answer.status_code == 302
    assert "court order" in admin.get(answer.headers["Location"]).text
    again = post(portal, admin, "/admin/erasures", account="77", reason="court order")
    assert (again.status_code, "already has an open request" in again.text) == (409, True)
    assert "account 77" in admin.get("/admin/erasures").text


def goes(page):
    """What the page says will be deleted."""
    return re.findall("<li>(.*?)</li>", page.partition("This is deleted now:")[2].partition("</ul>")[0])


def test_the_form_lists_what_will_go(portal, admin):
    with portal.services.sessions() as session:
        context = within(session, portal.services.vault, portal.at, portal.services.new_id)
        person = person_rows.ensure(context, Account(11, "ada"))
        emails.prove(context, person, ProvenAddress(address="ada@example.com", how="github-verified", at=portal.at))
    others = "Sessions, e-mails in the outbox and stored facts of their pull requests"
    erasure = request_erasure(portal)
    assert goes(admin.get(erasure).text) == ["Verified addresses: 1", others]


def test_each_table_that_an_erasure_deletes_from_has_a_name(portal):
    tables = {table_of(model).name for model in declared(lambda said: said.erased == "person")}
    assert set(GOING) == tables | {"company_manager"}


def test_an_account_of_our_records_is_erased_although_github_has_it_no_more(portal, admin):
    with portal.services.sessions() as session:
        person_rows.ensure(within(session, portal.services.vault, portal.at), Account(88, "gone"))
    portal.services.hub.away = True
    assert post(portal, admin, "/admin/erasures", account="88", reason="a letter").status_code == 302


def test_the_list_of_erasure_requests_has_fifty_on_a_page(portal, admin):
    with portal.services.sessions() as session:
        for number in range(1, 52):
            erasures.order(within(session, portal.services.vault, portal.at, f"x{number}"), number, "r")
    assert "/admin/erasures/page/2" in admin.get("/admin/erasures").text
    assert admin.get("/admin/erasures/page/2").text.count("waiting for a decision") == 1
    for path in ("/admin/erasures/page/3", "/admin/erasures/page/0", "/admin/erasures/none"):
        assert admin.get(path).status_code == 404


def test_an_auditor_reads_erasure_requests_and_a_contributor_finds_none(portal):
    erasure = request_erasure(portal)
    auditor = portal.signed_in(id=AUDITOR, login="kim")
    page = auditor.get(erasure)
    assert page.status_code == 200
    assert '<form class="sign"' not in page.text
    assert post(portal, auditor, erasure + "/delete", sure="y").status_code == 404
    assert portal.signed_in().get(erasure).status_code == 404
    assert state(portal) == "asked"
