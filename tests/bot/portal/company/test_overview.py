"""A company's managers see how its agreement stands and choose how addresses count; nobody else sees anything."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agreements.rulebook.rules import People
from agreements.store.companies import company_requests
from agreements.store.people import people
from agreements.store.record_context import RecordContext
from tests.bot.portal.company import office
from tests.bot.portal.company.test_removal import judged
from tests.bot.portal.sentences import without_times


def test_whose_companies(requested):
    """Listed for both managers; for somebody else there is none, and its pages do not exist, for administrators either."""
    home = f"/company/{requested.company_id}"
    for who, sees in ({"id": 11}, True), ({"id": 12, "login": "bob"}, True), ({"id": 13, "login": "carol"}, False), ({"id": 90, "login": "root"}, False):  # fmt: skip
        browser = requested.sit(**who)
        assert ("Huawei Technologies" in browser.get("/company").text) is sees
        for page in ("", "/domains", "/people", "/managers"):
            assert browser.get(home + page).status_code == (200 if sees else 404), (who, page)


def test_what_is_missing(requested):
    """Before the countersignature: a domain; afterwards the state and the day of the yearly look."""
    page = requested.ada.get(f"/company/{requested.company_id}").text
    assert "Waiting for countersignature" in page
    assert "Verify one of your domains" in page
    assert "Add a second manager" not in page
    assert "9144-0300" in page
    requested.countersign()
    page = requested.ada.get(f"/company/{requested.company_id}").text
    assert "in force since" in page
    assert "2027-11-21" in page


def test_a_refusal_is_read(requested):
    """With its reason, and the way to ask again."""
    services = requested.portal.services
    with services.sessions() as session:
        company_requests.refuse(RecordContext(session, services.vault, 90, requested.portal.at, services.new_id), requested.company_id, reason="Not <known>")  # fmt: skip
    page = requested.ada.get(f"/company/{requested.company_id}").text
    assert "Not &lt;known&gt;" in page
    assert "Ask again" in page


@pytest.mark.parametrize("page", ["", "/roster", "/coverage", "/people", "/invitations", "/simulate", "/renewal"])
def test_a_text_that_is_not_in_the_catalog(portal, page):
    """Each of the company's pages says that it covers nobody and what to do; none says that it is in force."""
    office.company(portal)
    browser = portal.signed_in(**office.MANAGER)
    sentence = (
        "covers nobody, because the text that was signed is not in the catalog of agreements. Ask the administrators"
    )
    assert sentence not in browser.get(f"/company/c1{page}").text
    office.lose_text(portal)

    found = browser.get(f"/company/c1{page}").text
    assert sentence in found
    assert "has been in force" not in found
    assert "此协议不涵盖任何人" in browser.get(f"/company/c1{page}?lang=zh").text


def test_what_is_left_to_do_without_the_text(portal):
    """The list of companies says it too; the agreement can be ended, and people excluded, as before."""
    office.company(portal)
    office.lose_text(portal)
    browser = portal.signed_in(**office.MANAGER)

    assert "Covers nobody" in browser.get("/company").text
    assert "/company/c1/end" in browser.get("/company/c1").text
    assert 'action="/company/c1/people' in browser.get("/company/c1/people").text


def test_how_addresses_count(requested):
    """Enrolled or linked, not weaker than the rulebook; open pull requests are looked at again."""
    sent = requested.send(requested.ada, "/mode", "", mode="enrolled")
    assert sent.status_code == 302
    assert requested.jobs == [0]
    assert office.log(requested.portal)[-1][0] == "company.changed"
    requested.portal.rules = replace(requested.portal.rules, people=People(domains="enrolled"))
    assert requested.send(requested.ada, "/mode", "", mode="linked").status_code == 409
    assert requested.send(requested.ada, "/mode", "", mode="other").status_code == 400


def test_the_same_choice_again_changes_nothing(requested):
    """No entry, no row that is written anew, nothing looked at again; and it says so."""
    requested.send(requested.ada, "/mode", "", mode="enrolled")
    before = office.log(requested.portal), requested.jobs
    again = requested.send(requested.ada, "/mode", "", mode="enrolled")

    assert again.status_code == 302
    assert (office.log(requested.portal), requested.jobs) == before
    assert (
        "Nothing changed. This was already the setting." in requested.ada.get(f"/company/{requested.company_id}").text
    )


def test_the_end_is_announced(requested):
    """With a tick, thirty days ahead, once; the managers are told, and pull requests looked at now and then."""
    assert requested.send(requested.ada, "/end", "", sure="y").status_code == 409
    requested.countersign()
    assert requested.send(requested.ada, "/end", "").status_code == 400
    assert requested.send(requested.ada, "/end", "", sure="y").status_code == 302
    assert requested.jobs == [0, 30]
    assert "It ends on 2026-12-21" in without_times(requested.ada.get(f"/company/{requested.company_id}").text)
    email = office.outbox_emails(requested.portal)[-1]
    assert (email.kind, email.values["time"]) == ("company-leaves", "2026-12-21 12:00")
    requested.portal.later(days=31)
    assert "This agreement ended on" in requested.sit().get(f"/company/{requested.company_id}").text


def test_the_end_by_an_administrator_says_why(requested):
    """Beside the date, before and after it; an end by the company itself has no reason."""
    requested.countersign()
    services = requested.portal.services

    def end(days, reason):
        with services.sessions() as session:
            until = requested.portal.at + timedelta(days=days)
            company_requests.end(RecordContext(session, services.vault, 90, requested.portal.at, services.new_id), requested.company_id, until=until, reason=reason)  # fmt: skip
        return requested.ada.get(f"/company/{requested.company_id}").text

    page = end(60, "Merged <with> another")
    assert "It ends on 2027-01-20 12:00:00 UTC. Reason: Merged &lt;with&gt; another" in without_times(page)
    requested.portal.later(days=61)
    page = requested.sit().get(f"/company/{requested.company_id}").text
    assert "This agreement ended on" in page
    assert "Reason: Merged &lt;with&gt; another" in without_times(page)
    requested.portal.at -= timedelta(days=61)
    assert "Reason:" not in end(30, "")


def test_whom_no_email_reaches_is_told_so(requested):
    """That manager alone, on both pages, with the way to prove an address; whoever is known reads nothing of it."""
    bob = requested.sit(id=12, login="bob")
    for page in ("", "/managers"):
        shown = bob.get(f"/company/{requested.company_id}{page}").text
        assert "You do not receive e-mails about this company. We have no e-mail address for you," in shown
        assert 'href="/me/emails"' in shown
        assert (
            "You do not receive e-mails about this company"
            not in requested.ada.get(f"/company/{requested.company_id}{page}").text
        )
    assert "We then send you an e-mail." in requested.ada.get(f"/company/{requested.company_id}").text
    assert "We then send you an e-mail." not in bob.get(f"/company/{requested.company_id}").text
    office.known(requested.portal, 12, "bob", "bob@home.example")
    assert "You do not receive e-mails about this company" not in bob.get(f"/company/{requested.company_id}").text


@pytest.mark.parametrize("path", ["/mode", "/end"])
def test_others_change_nothing(requested, path):
    """Not with a form of their own either."""
    eve = requested.sit(id=13, login="carol")
    data = {"csrf_token": requested.portal.proof(eve), "mode": "enrolled", "sure": "y"}
    assert eve.post(f"/company/{requested.company_id}{path}", data=data).status_code == 404


def test_who_loses_cover_is_shown_before_it_is_saved(portal):
    """Whom GitHub alone links, and their pull requests, with the link to enrol; a second click saves, and says so."""
    office.company(portal)
    judged(portal, 1, 17, "gus@rd.huawei.com")
    judged(portal, 2, 17, "gus@rd.huawei.com", private=True)
    browser = portal.signed_in(**office.MANAGER)

    def save(**more):
        data = {"csrf_token": portal.proof(browser, "/company/c1"), "mode": "enrolled", **more}
        return browser.post("/company/c1/mode", data=data, follow_redirects=True).text

    page = save()
    for words in ("Nothing has been saved yet", "until they enrol: 1", "gus ", ">cann/ops-math#1<", "would fail: 2"):
        assert words in page, words
    assert 'href="http://localhost/company/c1/enrol"' in page
    assert "Saved." not in page
    assert "Saved." in save(sure="y")


def test_who_signed_and_is_restricted_is_not_shown(requested):
    """Nobody opens what is kept for a dispute alone; here it would not even be logged."""
    page = f"/company/{requested.company_id}"
    browser = requested.sit(id=12, login="bob")
    assert "· ada" in browser.get(page).text
    with requested.portal.services.sessions() as session:
        people.find(session, 11).restricted_at = requested.portal.at
    assert "· ada" not in browser.get(page).text
