"""A person's own pages: their records, the export soon after signing in, and the request to erase them."""

import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlmodel import select
from structlog.testing import capture_logs

from agreements.facts import Account, Entry
from agreements.rulebook.rules import AgreementRef
from agreements.store.companies import companies
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.company_records import CompanyManager
from agreements.store.tables.records import Erasure
from agreements.vault import place
from bot.store.pulls import cover_choices
from bot.store.records import PullRecord
from tests.bot.portal.admin.conftest import Office
from tests.bot.portal.company import office
from tests.bot.portal.sentences import without_times
from tests.drafts import company_draft
from tests.logged import log_rows
from tests.within import within


def download(portal, browser, page="/me/export"):
    """Press the button."""
    return browser.post("/me/export.json", data={"csrf_token": portal.proof(browser, page)})


def test_the_export_holds_signatures_log_entries_pull_requests_and_visits(portal):
    browser = portal.signed_in()
    receipt = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"].rpartition("/")[2]
    portal.pull(7)
    answer = download(portal, browser)
    exported = answer.json

    assert answer.headers["Content-Disposition"] == 'attachment; filename="countersign-my-data.json"'
    assert answer.headers["Cache-Control"] == "no-store"
    assert exported["format"] == "countersign/personal/1"
    assert exported["account"] == {"id": 11, "login": "ada"}
    assert exported["signatures"][0]["receipt"] == receipt
    assert exported["signatures"][0]["evidence"]["name"] == "Ada Lovelace"
    assert [address["address"] for address in exported["proven_addresses"]] == ["ada@example.com"]
    assert [entry["kind"] for entry in exported["log"]] == ["signature.added"]
    assert [pull["pull_request"] for pull in exported["pull_requests"]] == ["cann/ops-math#7"]
    assert len(exported["visits"]) == 1
    assert list(exported.items())[-1] == ("complete", True)


def test_the_export_of_a_person_who_never_signed_holds_no_other_persons_data(portal):
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    exported = download(portal, portal.signed_in(id=12, login="bob"))

    assert exported.json["signatures"] == []
    assert exported.json["person"] is None
    assert "ada" not in json.dumps(exported.json).lower()


def test_the_export_needs_a_sign_in_within_ten_minutes(portal):
    browser = portal.signed_in()
    word = portal.proof(browser, "/me/export")
    portal.later(minutes=10)
    page = browser.get("/me/export").text
    refused = browser.post("/me/export.json", data={"csrf_token": word})

    assert 'action="/me/export.json"' not in page
    assert 'href="/login?next=%2Fme%2Fexport"' in page
    assert refused.status_code == 403
    assert "Sign in with GitHub again" in refused.text
    assert download(portal, portal.sign_in("/me/export")).status_code == 200


def test_an_export_is_in_the_servers_log_with_the_accounts_number(portal):
    browser = portal.signed_in()
    with capture_logs() as lines:
        download(portal, browser)
    assert lines == [{"event": "export.made", "log_level": "info", "account": 11, "what": "personal", "subject": 11}]


def ask(portal, browser, **form):
    """Press the button."""
    return browser.post("/me/erasure", data={"csrf_token": portal.proof(browser), "sure": "y", **form})


def kinds(portal) -> list:
    """The kinds of all entries of the log."""
    with portal.database.connect() as connection:
        return [row.kind for row in connection.execute(text("SELECT kind FROM ledger_entry ORDER BY number"))]


def test_the_erasure_page_tells_a_signer_what_is_kept_and_why(portal):
    browser = portal.signed_in()
    before = browser.get("/me/erasure").text
    browser.post("/sign/icla", data=portal.form(browser))
    after = browser.get("/me/erasure").text

    assert "Everything, because you have not signed an agreement here." in before
    assert "Everything, because you" not in after
    assert "Article 17(3)(e)" in after


def test_the_erasure_page_promises_no_deletion_to_a_person_who_chose_for_whom_they_contribute(portal):
    services, browser = portal.services, portal.signed_in()
    portal.pull(7)
    with services.sessions() as session:
        pull_id = session.exec(select(PullRecord.id)).one()
        context = within(session, services.vault, services.clock(), services.new_id, by=11)
        assert cover_choices.add(context, pull_id, None)
    page = browser.get("/me/erasure").text

    assert "Everything, because you" not in page
    assert "your choices for whom you contribute" in page


def test_one_erasure_request_waits_at_a_time_and_needs_the_tick(portal):
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    refused = ask(portal, browser, sure="")
    answers = [ask(portal, browser) for _press in range(2)]
    page = browser.get("/me/erasure").text

    assert refused.status_code == 400
    assert "Tick the box to request erasure." in refused.text
    assert [answer.status_code for answer in answers] == [302, 302]
    assert kinds(portal) == ["signature.added", "erasure.asked"]
    assert "Your request is waiting for a decision" in page
    assert 'name="sure"' not in page
    assert "It is waiting for a decision" in browser.get("/me").text


def test_an_undecided_erasure_request_is_withdrawn_and_can_be_made_again(portal):
    browser = portal.signed_in()
    ask(portal, browser)
    pages = [browser.get(page).text for page in ("/me", "/me/erasure")]
    form = {"csrf_token": portal.proof(browser)}
    unproven = browser.post("/me/erasure/withdraw", data={})
    taken = browser.post("/me/erasure/withdraw", data=form)
    after = browser.get("/me/erasure").text
    twice = browser.post("/me/erasure/withdraw", data=form)
    none = portal.signed_in(id=13, login="carol")
    refused = none.post("/me/erasure/withdraw", data={"csrf_token": portal.proof(none)})

    assert all('action="/me/erasure/withdraw"' in page for page in pages)
    assert (unproven.status_code, taken.status_code, taken.headers["Location"]) == (400, 302, "/me/erasure")
    assert kinds(portal) == ["erasure.asked", "erasure.withdrawn"]
    assert "You withdrew your request" in after
    assert "Withdrawn on 2026-11-21 12:00:00 UTC." in without_times(after)
    assert 'name="sure"' in after
    assert "It is waiting for a decision" not in browser.get("/me").text
    assert (twice.status_code, twice.headers["Location"]) == (302, "/me/erasure")
    assert refused.status_code == 409
    assert "You have no request to withdraw" in refused.text


def test_an_erasure_opened_by_an_administrator_cannot_be_withdrawn_by_the_person(portal):
    Office(portal).post("/admin/erasures", account="11", reason="a court")
    browser = portal.signed_in()
    page = browser.get("/me/erasure").text

    assert "An administrator is reviewing whether to erase your data" in page
    assert "/me/erasure/withdraw" not in page + browser.get("/me").text
    assert browser.post("/me/erasure/withdraw", data={"csrf_token": portal.proof(browser)}).status_code == 409


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"state": "refused"}, "Your request was declined"),
        ({"state": "restricted", "due": True}, "Your data is restricted until it is erased"),
        ({"state": "done", "done": True}, "Your data was erased"),
        ({"state": "anything"}, "Your request was decided"),
    ],
)
def test_a_decision_is_shown_with_its_time_and_reason(portal, changed, says):
    browser = portal.signed_in()
    ask(portal, browser)
    about = place("erasure", "reason", "e1")
    with portal.services.sessions() as session:
        row = session.exec(select(Erasure)).one()
        row.state, row.decided_at, row.decided_by = changed["state"], portal.at, 90
        row.reason = portal.services.vault.encrypt_for_server(b"It is needed.", about.replace("e1", row.id))
        row.due_at = portal.at if changed.get("due") else None
        row.done_at = portal.at if changed.get("done") else None
    page = browser.get("/me/erasure").text

    assert says in page
    assert ("will be erased on <time" in page) == ("at the earliest." in page) == bool(changed.get("due"))
    assert "Reason: It is needed." in page
    assert 'name="sure"' in page


def test_the_pages_say_for_how_many_years_evidence_is_kept(portal):
    browser = portal.signed_in()
    for years, said in ((10, "ends 10 years after"), (1, "ends 1 year after")):
        object.__setattr__(portal.services, "settings", replace(portal.services.settings, retention_years=years))
        assert said in browser.get("/me/erasure?lang=en").text
        assert said in portal.browser().get("/faq").text
        assert f"保留期为 {years} 年" in browser.get("/me/erasure?lang=zh").text


def test_the_persons_page_lists_signatures_addresses_companies_and_data(portal):
    browser = portal.signed_in()
    empty = browser.get("/me").text
    receipt = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"]
    with portal.services.sessions() as session:
        draft = company_draft("Huawei & Co", portal.at)
        companies.add(within(session, portal.services.vault, new_id="c1"), draft)
        session.add(CompanyManager(id="m1", company_id="c1", account_id=11, login="ada", since=portal.at, added_by=90))
        log_rows(session, portal.services.vault)
    page = without_times(browser.get("/me").text)

    assert "You have not signed anything here yet" in empty
    for shown in (
        f'href="{receipt}"', f'href="{receipt}/withdraw"', "ada@example.com · verified by GitHub", "until 2027-11-21",
        'href="/me/emails"', 'href="/me/enrolments"', '<a href="/company/c1">Huawei &amp; Co</a>',
        'href="/me/export"', 'href="/me/erasure"',
    ):  # fmt: skip
        assert shown in page
    assert "Huawei" not in portal.signed_in(id=12, login="bob").get("/me").text


def test_a_person_covered_by_a_company_reads_its_name_and_is_asked_for_nothing(portal, covered):
    covered(account=11)
    page = portal.signed_in().get("/me").text

    assert "<strong>Huawei</strong> covers you under its company agreement." in page
    assert "you do not need to at the moment" in page
    assert "/sign/icla" not in page
    assert "Huawei" not in portal.signed_in(id=12, login="bob").get("/me").text


def test_an_erased_signature_is_listed_without_a_name_and_can_be_given_again(portal):
    browser = portal.signed_in()
    receipt = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"]
    portal.later(days=1)
    with portal.services.sessions() as session:
        person = person_rows.find(session, 11)
        person.wrapped_key, person.erased_at = b"", portal.at
    portal.later(days=1)
    browser = portal.signed_in()
    page, old = browser.get("/me").text, browser.get(receipt).text
    before = browser.get("/sign/icla").text
    again = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"]

    assert "· erased" in page
    assert "The version that you signed is still accepted." in before
    assert "nobody can read them any more" in old
    assert "Lovelace" not in old
    assert again != receipt
    assert "Ada Lovelace" in browser.get(again).text


def test_an_expired_address_is_listed_with_its_last_day(portal):
    with portal.services.sessions() as session:
        ada = person_rows.ensure(within(session, portal.services.vault, portal.at, "p1"), Account(11, "ada"))
        old = ProvenAddress(
            address="a@old.org", how="mailed-code", at=portal.at - timedelta(9), until=portal.at - timedelta(1)
        )
        emails.prove(within(session, portal.services.vault, new_id="e1"), ada, old)

    assert "a@old.org · verified with a code by e-mail · expired on 2026-11-20" in without_times(
        portal.signed_in().get("/me").text
    )


def test_a_signature_whose_text_is_in_no_catalog_is_named_by_its_short_name(portal):
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    with portal.services.sessions() as session:
        signature = signatures.mine(session, 11)[0]

    assert signature.agreement == AgreementRef("icla", "2.0").text
    assert "Individual Contributor License Agreement" in browser.get("/me").text


@pytest.mark.slow
def test_a_person_with_both_covers_is_told_that_one_is_enough_and_leaves_either_in_one_step(portal):
    office.company(portal, domains="enrolled")
    browser = office.enrolled(portal)
    form = portal.form(browser, email=office.WORK)
    receipt = browser.post("/sign/icla", data=form).headers["Location"]
    page = browser.get("/me").text

    assert "One of them is enough." in page
    assert f'href="{receipt}/withdraw">Withdraw my own signature' in page
    end = re.search(r'action="(/me/enrolments/[^"]*/end)"', page)[1]
    browser.post(end, data={"csrf_token": portal.proof(browser, "/me")})
    after = browser.get("/me").text
    assert "What covers you" not in after
    assert "See whether a company covers you" in after


def test_a_person_covered_by_a_link_enrols_before_withdrawing(portal):
    office.company(portal)
    office.works(portal, office.WORK)
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser, email=office.WORK))
    page = browser.get("/me").text

    assert "also covers your commits from your address there" in page
    assert "enrol there first" in page
    assert 'href="/company/c1/enrol?domain=huawei.com"' in page
    assert "Withdraw my own signature" not in page


def test_a_person_whom_the_company_names_asks_its_managers_to_end_the_cover(portal):
    office.company(portal, Entry(account_id=11))
    browser = portal.signed_in()
    page = browser.get("/me").text
    data = {"csrf_token": portal.proof(browser, "/me"), "company": "c1", "wish": "leave"}
    sent = browser.post("/employer/managers", data=data)

    assert "sign as an individual. Then you can leave the company agreement." in page
    assert sent.headers["Location"] == "/me"
    assert "Your request has been sent to the managers of Huawei." in browser.get("/me").text
    assert [email.kind for email in office.outbox_emails(portal)] == ["cover-removal"]


def test_where_both_are_required_no_switch_is_offered(portal):
    office.company(portal, Entry(account_id=11))
    portal.rules = replace(portal.rules, employees="sign-too")
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    page = browser.get("/me").text

    assert "are both required by these projects" in page
    assert "One of them is enough." not in page
    assert 'value="leave"' not in page


def test_times_are_in_the_time_zone_that_the_person_chose_and_say_utc_when_pointed_at(portal):
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    utc = browser.get("/me").text
    answer = browser.post("/me/time-zone", data={"csrf_token": portal.proof(browser), "zone": "Asia/Shanghai"})
    page, again = browser.get("/me").text, portal.signed_in().get("/me").text
    chosen = (
        '<time datetime="2026-11-21T12:00:00Z" title="2026-11-21 12:00:00 UTC">2026-11-21 20:00:00&nbsp;UTC+8</time>'
    )

    assert answer.headers["Location"] == "/me"
    assert "2026-11-21 12:00:00&nbsp;UTC</time>" in utc
    assert "Saved." in page
    for shown in (page, again):
        assert chosen in shown
        assert '<option value="Asia/Shanghai" selected>' in shown
    assert portal.signed_in(id=12, login="bob").get("/me").text.count("selected") == 1
    assert download(portal, browser).json["settings"] == [{"time_zone": "Asia/Shanghai"}]


def test_an_unknown_time_zone_is_refused_and_the_default_can_be_chosen_again(portal):
    browser = portal.signed_in()
    browser.post("/me/time-zone", data={"csrf_token": portal.proof(browser), "zone": "Asia/Shanghai"})
    refused = browser.post("/me/time-zone", data={"csrf_token": portal.proof(browser), "zone": "Asia/Atlantis"})
    kept = browser.get("/me").text
    browser.post("/me/time-zone", data={"csrf_token": portal.proof(browser), "zone": ""})

    assert refused.status_code == 400
    assert '<a href="#zone">Choose a time zone from the list.</a>' in refused.text
    assert '<option value="Asia/Shanghai" selected>' in kept
    assert '<option value="" selected>Default (UTC)</option>' in browser.get("/me").text
