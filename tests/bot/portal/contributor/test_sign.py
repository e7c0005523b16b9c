"""A signed-in person signs exactly the text that was shown to them, once."""

import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from agreements.catalog import AgreementText, Catalog
from agreements.facts import Account
from agreements.rulebook.rules import AcceptedVersions, AgreementRef
from agreements.store.people import emails, person_rows, signatures, withdrawals
from bot.portal.contributor.sign import record_signature
from bot.portal.signing import SignatureForm
from bot.records.agreement_view import show
from bot.store.records import VerdictRecord
from tests.bot.portal.sentences import without_times
from tests.drafts import signature_draft
from tests.within import within

SIGN = "/sign/icla"


def count(portal, table: str) -> int:
    """How many rows a table has."""
    with portal.database.connect() as connection:
        return connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()


def test_a_visitor_reads_the_agreement_without_a_form(portal):
    page = portal.browser().get(SIGN).text

    assert "Individual Contributor License Agreement" in page
    assert "<strong>The CANN Authors</strong>" in page
    assert Catalog.load().get("icla", "2.0", "en").sha256 in page
    assert 'href="/login?next=%2Fsign%2Ficla"' in page
    assert "<form" not in page


def test_a_signer_comes_from_the_pull_request_and_goes_back_to_it(portal):
    pull_id = portal.pull(7)
    portal.pull(8, of=(12,))
    browser = portal.sign_in("/sign/icla?pr=cann/ops-math/7")
    page = browser.get("/sign/icla?pr=cann/ops-math/7").text
    answer = browser.post("/sign/icla?pr=cann/ops-math/7", data=portal.form(browser, name="  李\u3000四䶮 "))
    receipt = without_times(browser.get(answer.headers["Location"].replace("/pull-request?", "?")).text)

    assert "You are signed in as <strong>ada</strong>." in page
    assert re.search(r'Your pull request <a href="[^"]+/cann/ops-math/pull/7">cann/ops-math#7</a> needs', page)
    assert not re.search(r"<input[^>]*checked", page)
    assert answer.status_code == 302
    for shown in (
        "李 四䶮",
        "ada@example.com",
        "2026-11-21 12:00:00 UTC",
        "number 11",
        Catalog.load().get("icla", "2.0", "en").sha256,
    ):
        assert shown in receipt
    assert f'href="{portal.github.url}/cann/ops-math/pull/7"' in receipt
    assert [(job.name, job.ids, job.queue) for job in portal.engine.waiting] == [
        ("review", (pull_id,), "now"),
        ("recheck", (11,), "now"),
    ]


def test_a_signature_is_stored_with_its_hashes_and_sealed_name_and_address(portal):
    browser = portal.signed_in()
    browser.post(SIGN, data=portal.form(browser))
    with portal.services.sessions() as session:
        mine = signatures.mine(session, 11)
        view = signatures.receipt(session, portal.services.vault, mine[0].receipt, 11)
        proven = emails.proven(session, portal.services.vault, [11], portal.at)

    assert len(mine) == 1
    assert view.draft.source_sha256 == Catalog.load().get("icla", "2.0", "en").sha256
    assert re.fullmatch(r"[0-9a-f]{64}", view.draft.shown_sha256)
    assert (view.draft.name, view.draft.email) == ("Ada Lovelace", "ada@example.com")
    assert (view.draft.statement_id, view.draft.identity_proof) == ("agree-1", "github-oauth")
    assert proven == {11: ("ada@example.com",)}


def test_signing_the_same_text_twice_leads_to_the_same_receipt(portal):
    browser = portal.signed_in()
    form = portal.form(browser)
    first = browser.post(SIGN, data=form).headers["Location"]
    again = browser.post(SIGN, data=form)
    other = browser.get(SIGN + "?lang=zh").text

    assert again.headers["Location"] == first
    assert f'href="{first}"' in other
    assert '<form class="sign"' not in other
    assert count(portal, "signature") == 1


def test_a_signature_of_a_text_missing_from_the_catalog_can_be_given_again(portal):
    """No verdict rests on such a signature."""
    browser = portal.signed_in()
    draft = signature_draft(name="Ada", email="ada@example.com")
    with portal.services.sessions() as session:
        ada = Account(11, "ada")
        person = person_rows.ensure(within(session, portal.services.vault, portal.at, "p1"), ada)
        signatures.add(within(session, portal.services.vault, portal.at, "s1"), person, draft, receipt="r1")
        assert len(signatures.mine(session, 11)) == 1

    assert '<form class="sign"' in browser.get(SIGN).text


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"agree": None}, "Tick the box"),
        ({"name": "   "}, "Enter your full name"),
        ({"name": "12 34"}, "Enter your full name"),
        ({"name": "A\u202eda"}, "cannot be displayed"),
        ({"name": "A" * 201}, "at most 200 characters"),
        ({"email": "evil@huawei.com"}, "Choose one of your addresses"),
        ({"email": "ada@example.com\n"}, "Choose one of your addresses"),
        ({"email": "ADA@example.com"}, "Choose one of your addresses"),
        ({"email": None}, "Choose one of your addresses"),
    ],
)
def test_an_incomplete_form_signs_nothing(portal, changed, says):
    browser = portal.signed_in()
    answer = browser.post(SIGN, data=portal.form(browser, **changed))

    assert answer.status_code == 400
    assert says in answer.text
    assert 'role="alert"' in answer.text
    assert count(portal, "signature") == count(portal, "proof") == 0


@pytest.mark.parametrize("seen", ["", "0" * 64, None])
def test_a_tampered_text_hash_signs_nothing(portal, seen):
    browser = portal.signed_in()
    answer = browser.post(SIGN, data=portal.form(browser, seen=seen))

    assert answer.status_code == 409
    assert "The text has changed since you opened this page" in answer.text
    assert not re.search(r'id="agree"[^>]*checked', answer.text)
    assert count(portal, "signature") == 0


def test_a_text_that_this_session_was_not_shown_cannot_be_signed(portal):
    seen = portal.form(portal.signed_in())["seen"]
    browser = portal.signed_in()
    answer = browser.post(SIGN, data={**portal.form(browser, "/me"), "csrf_token": portal.proof(browser), "seen": seen})

    assert answer.status_code == 409
    assert count(portal, "signature") == 0


def test_a_text_that_changed_between_reading_and_signing_is_shown_first(portal):
    browser = portal.signed_in()
    form = portal.form(browser)
    portal.rules = replace(portal.rules, organization="Somebody Else")
    refused = browser.post(SIGN, data=form)
    accepted = browser.post(SIGN, data=portal.form(browser))

    assert refused.status_code == 409
    assert "Somebody Else" in refused.text
    assert accepted.status_code == 302
    assert count(portal, "signature") == 1


def test_the_form_shown_after_a_change_of_text_can_be_sent(portal):
    browser = portal.signed_in()
    refused = browser.post(SIGN, data=portal.form(browser, seen="x"))
    hidden = dict(re.findall(r'name="(csrf_token|seen)" value="([^"]*)"', refused.text))
    answer = browser.post(SIGN, data={**hidden, "name": "Ada Lovelace", "email": "ada@example.com", "agree": "y"})

    assert answer.status_code == 302


def test_a_form_without_its_sessions_csrf_token_is_refused(portal):
    browser = portal.signed_in()
    stolen = portal.form(portal.signed_in())["csrf_token"]

    for word in (None, "", "junk", stolen):
        answer = browser.post(SIGN, data=portal.form(browser, csrf_token=word))
        assert answer.status_code == 400
        assert "This form has expired" in answer.text
    assert count(portal, "signature") == 0


def test_a_form_without_a_session_is_answered_with_403(portal):
    browser = portal.signed_in()
    form = portal.form(browser)
    portal.later(minutes=31)

    for visitor in (browser, portal.browser()):
        answer = visitor.post(SIGN, data=form)
        assert answer.status_code == 403
        assert "Sign in, then send the form again" in answer.text
    assert count(portal, "signature") == 0


def test_a_person_cannot_sign_the_corporate_agreement(portal):
    browser = portal.signed_in()
    page = browser.get("/sign/ccla").text
    answer = browser.post("/sign/ccla", data=portal.form(browser))

    assert "This agreement is signed by a company" in page
    assert '<form class="sign"' not in page
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "path", ["/sign/dco", "/sign/ICLA", "/sign/nothing", "/sign/..%2f..%2fetc", "/receipts/", "/receipts/%20"]
)
def test_an_agreement_that_the_rules_do_not_name_is_not_found(portal, path):
    assert portal.signed_in().get(path).status_code == 404


def test_the_title_of_the_text_is_shown_once(portal):
    page = portal.browser().get(SIGN).text
    with portal.browser().get(re.search(r'href="([^"]+style\.css)"', page)[1]) as answer:
        sheet = answer.text

    assert len(re.findall(r"<h[12]>Individual Contributor License Agreement</h[12]>", page)) == 2
    assert '<section class="paper titled"' in page
    assert ".titled > h2:first-of-type { display: none; }" in sheet


def test_a_withdrawn_agreement_is_listed_and_can_be_signed_again(portal):
    browser = portal.signed_in()
    empty = browser.get("/me").text
    receipt = browser.post(SIGN, data=portal.form(browser)).headers["Location"].rpartition("/")[2]
    with portal.services.sessions() as session:
        withdrawals.withdraw(within(session, portal.services.vault, portal.at, by=11), receipt)
    page = browser.get("/me").text
    answer = browser.post(SIGN, data=portal.form(browser))

    assert "You have not signed anything here yet" in empty
    assert receipt in page
    assert "withdrawn on 2026-11-21 12:00:00 UTC" in without_times(page)
    assert answer.headers["Location"] != f"/receipts/{receipt}"
    assert count(portal, "signature") == 2


def test_a_private_pull_request_is_named_to_its_participants_alone(portal):
    portal.pull(7, private=True, name="secret")
    asked = "/sign/icla?pr=cann/secret/7"

    assert "secret#7" not in portal.browser().get(asked).text
    assert "secret#7" not in portal.signed_in(id=12, login="bob").get(asked).text
    assert "secret#7" in portal.signed_in().get(asked).text


@pytest.mark.parametrize("query", ["pr=cann/ops-math/7", "next=/pr/cann/ops-math/7", "pr=CANN/Ops-Math/7"])
def test_a_pull_request_is_named_by_its_short_name_or_its_page(portal, query):
    portal.pull(7)
    page = portal.browser().get(f"{SIGN}?{query}").text

    assert f'href="{portal.github.url}/cann/ops-math/pull/7"' in page


@pytest.mark.parametrize(
    "query",
    [
        "pr=//evil.example",
        "next=https://evil.example/cann/ops-math/pull/7",
        "next=//evil.example",
        "pr=cann/ops-math/9",
    ],
)
def test_an_unknown_pull_request_gives_no_link_back(portal, query):
    portal.pull(7)
    page = portal.browser().get(f"{SIGN}?{query}").text

    assert "evil.example" not in page
    assert "You came from" not in page


def test_an_account_outside_the_pull_request_is_told_before_signing(portal):
    portal.pull(7, of=(12,))

    assert "This account does not take part in" in portal.signed_in().get(SIGN + "?pr=cann/ops-math/7").text


def test_an_account_without_a_verified_address_cannot_sign(portal):
    portal.github.emails = [{"email": "ada@example.com", "verified": False, "primary": True}]
    browser = portal.signed_in()

    assert "has no verified address" in browser.get(SIGN).text
    assert browser.post(SIGN, data=portal.form(browser)).status_code == 400


def test_a_text_that_is_not_released_in_chinese_is_shown_in_english(portal):
    only = AgreementText("icla", "9.0", "en", "# Ours\n\nfor {organization}", "0" * 64)
    portal.rules = replace(portal.rules, individual=AgreementRef("icla", "9.0"))
    portal.services.catalog._texts[("icla", "9.0", "en")] = only
    page = portal.browser().get(SIGN + "?lang=zh").text

    assert '<section class="paper titled" id="text" aria-label="协议文本" lang="en">' in page


def test_a_person_covered_by_a_company_is_told_and_may_still_sign(portal, covered):
    covered(account=11)
    browser = portal.signed_in()
    page, other = browser.get(SIGN).text, portal.signed_in(id=12, login="bob").get(SIGN).text

    assert "<strong>Huawei</strong> covers you under its company agreement. You do not need to sign." in page
    assert "<details" in page
    assert "Huawei" not in other + portal.browser().get(SIGN).text
    assert "<details" not in other
    assert browser.post(SIGN, data=portal.form(browser)).status_code == 302


def test_with_sign_too_each_page_says_what_is_missing(portal, covered):
    portal.rules = replace(portal.rules, employees="sign-too")
    browser, bob = portal.signed_in(), portal.signed_in(id=12, login="bob")
    neither = browser.get(SIGN).text
    bob.post(SIGN, data=portal.form(bob))
    signed = bob.get(SIGN).text
    covered(account=11)
    company = browser.get(SIGN).text

    assert "These projects require two things" in neither
    assert "These projects also require your company's agreement" in signed
    assert "You do not need to do anything else" not in signed
    assert "also require your own signature. Sign below" in company


def test_an_older_signature_is_shown_with_its_last_day_before_the_new_one(portal):
    browser = portal.signed_in()
    browser.post(SIGN, data=portal.form(browser))
    text = portal.services.catalog.get("icla", "2.0", "en")
    portal.services.catalog._texts[("icla", "3.0", "en")] = replace(text, version="3.0")
    until = portal.at + timedelta(days=30)
    portal.rules = replace(portal.rules, individual=AgreementRef("icla", "3.0"))
    over = browser.get(SIGN).text
    portal.rules = replace(portal.rules, accept={"icla": (AcceptedVersions("3.0"), AcceptedVersions("2.x", until))})
    grace = browser.get(SIGN).text

    assert "You signed version 2.0, which is no longer accepted." in over
    assert "Your signature of version 2.0 is accepted until 2026-12-21 12:00:00 UTC." in without_times(grace)
    assert '<form class="sign"' in over
    assert '<form class="sign"' in grace
    assert 'value="Ada Lovelace"' in over, "what was stated before need not be typed again"
    assert re.search(r'value="ada@example.com" required checked', over)
    assert "checked" not in re.search(r'<input type="checkbox" name="agree"[^>]*>', over)[0]
    portal.github.emails = [{"email": "new@example.org", "verified": True, "primary": True}, {"email": "ada@example.com", "verified": False, "primary": False}]  # fmt: skip
    again = portal.signed_in().get(SIGN).text
    assert 'value="Ada Lovelace"' in again
    assert "ada@example.com" not in again


def test_the_pages_before_and_after_signing_name_what_the_pull_request_still_needs(portal):
    pull_id = portal.pull(7, of=(11, 12))
    codes = [{"check": "CLA", "code": "cla/unsigned", "account": number, "sha": "a" * 40} for number in (11, 12)]
    codes.append({"check": "DCO", "code": "dco/missing", "sha": "a" * 40})
    with portal.services.sessions() as session:
        red = VerdictRecord(pull_id=pull_id, head_sha="a" * 40, judged_at=portal.at, conclusion="failure", codes=codes)
        session.add(red)
    browser, path = portal.signed_in(), SIGN + "?pr=cann/ops-math/7"
    before = browser.get(path).text
    browser.post(SIGN, data=portal.form(browser))
    after = browser.get(path).text

    assert "needs your signature of this agreement" in before
    for page in (before, after):
        assert "one other person who is not covered" in page
        assert "sign-offs in its commits" in page
        assert 'href="/pr/cann/ops-math/7"' in page
    assert "still needs" in after


ADA = Account(11, "ada")


def filled(each_portal, language: str = "en", **changed: str) -> SignatureForm:
    """What ada filled in."""
    return SignatureForm(
        **{
            "paper": show(
                each_portal.services.catalog, each_portal.rules, each_portal.services.owner(None), "icla", language
            ),
            "name": "Ada",
            "email": "ada@example.com",
            **changed,
        }
    )


def counts(each_portal) -> dict[str, int]:
    """How many rows each table has, and how many jobs wait."""
    with each_portal.database.connect() as connection:
        found = {
            t: connection.execute(text(f"SELECT count(*) FROM {t}")).scalar_one()
            for t in ("person", "signature", "proof", "ledger_entry")
        }
    return {**found, "jobs": len(each_portal.engine.waiting)}


def test_a_failed_last_step_leaves_no_row_and_no_job(each_portal):
    each_portal.pull(1)
    each_portal.pull(2)

    class Full:
        """An engine whose second job finds the disk full."""

        calls, now = 0, each_portal.engine.now

        def enqueue(self, session, job):
            self.calls += 1
            if self.calls == 2:
                raise OSError("disk full")
            return each_portal.engine.enqueue(session, job)

        request = enqueue

    with pytest.raises(OSError, match="disk full"):
        record_signature(replace(each_portal.services, engine=Full()), ADA, filled(each_portal))

    assert counts(each_portal) == {"person": 0, "signature": 0, "proof": 0, "ledger_entry": 0, "jobs": 0}


def test_each_open_pull_request_of_the_signer_is_queued_once(each_portal):
    mine = {each_portal.pull(1), each_portal.pull(2, of=(12, 11))}
    each_portal.pull(3, of=(12,))

    record_signature(each_portal.services, ADA, filled(each_portal))

    assert {job.ids[0] for job in each_portal.engine.waiting if job.name == "review"} == mine
    assert [job.ids for job in each_portal.engine.waiting if job.name == "recheck"] == [(ADA.id,)]
    assert {job.queue for job in each_portal.engine.waiting} == {"now"}
    assert counts(each_portal) == {"person": 1, "signature": 1, "proof": 1, "ledger_entry": 1, "jobs": 3}


def test_the_same_signature_again_returns_the_same_receipt(each_portal):
    first = record_signature(each_portal.services, ADA, filled(each_portal))
    second = record_signature(each_portal.services, ADA, filled(each_portal))
    record_signature(each_portal.services, Account(12, "bob"), filled(each_portal, email="not an address"))

    assert first == second
    assert counts(each_portal) == {"person": 2, "signature": 2, "proof": 1, "ledger_entry": 3, "jobs": 3}


def test_each_change_is_one_entry_that_names_its_rows(each_portal):
    record_signature(each_portal.services, ADA, filled(each_portal))
    record_signature(each_portal.services, ADA, filled(each_portal))
    record_signature(each_portal.services, Account(12, "bob"), filled(each_portal, email="not an address"))
    record_signature(each_portal.services, Account(12, "bob"), filled(each_portal, email="not an address"))
    with each_portal.database.connect() as connection:
        found = connection.execute(text("SELECT kind, actor_id, rows FROM ledger_entry ORDER BY number")).all()

    assert [(row.kind, row.actor_id, [name for name, _, _ in json.loads(row.rows)]) for row in found] == [
        ("signature.added", 11, ["signature", "proof", "person", "ledger_entry"]),
        ("address.proven", 11, ["proof"]),
        ("signature.added", 12, ["signature", "person"]),
    ]
