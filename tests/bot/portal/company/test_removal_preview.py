"""The page of a tried removal explains its input or refuses it in one line, and leads to the removal itself."""

import re

import pytest

from agreements.facts import Entry
from bot.portal.contributor.sign import record_signature
from bot.portal.signing import SignatureForm
from bot.records import agreement_view
from tests.bot.portal.company import office
from tests.bot.portal.company.office import MANAGER

PAGE = "/company/c1/simulate"


@pytest.fixture(name="ask")
def _ask(portal):
    """Asks at Huawei: a domain, account 15 by its login, an address; ada has both the address and the domain."""
    office.company(portal, Entry(domain="huawei.com"), Entry(account_id=15), Entry(email="ada@partner.org"))
    office.known(portal, 11, "ada", "ada@huawei.com", "ada@partner.org")
    office.known(portal, 15, "eve")
    portal.services.hub.logins["eve"] = 15
    browser = portal.signed_in(**MANAGER)

    def ask(whom, how="end", day="2026-11-21"):
        form = {"csrf_token": portal.proof(browser, PAGE), "whom": whom, "how": how, "day": day}
        answer = browser.post(PAGE, data=form)
        return answer.status_code, answer.text

    return ask


REMOVED = [
    ("Huawei.com", "end", 0, 1, "people/c1e0"),
    ("ADA@partner.org", "end", 0, 1, "people/c1e2"),
    ("15", "end", 1, 0, "people/c1e1"),
    ("@eve", "end", 1, 0, "people/c1e1"),
    ("ada", "exclude", 1, 0, ""),
    ("ada@huawei.com", "exclude", 1, 0, ""),
    ("carol", "exclude", 0, 0, ""),
]

REFUSED = [
    ("redhat.com", "end", "2026-11-21", "You have no entry for this"),
    ("huawei.com", "exclude", "2026-11-21", "A domain can only be ended"),
    ("a@b", "end", "2026-11-21", "Enter a valid e-mail address"),
    ("nobody", "end", "2026-11-21", "There is no GitHub account with this login"),
    ("", "end", "2026-11-21", "Enter a login, an account number"),
    ("15", "end", "2026-11-20", "The day is in the past"),
    ("15", "end", "tomorrow", "Enter the date as year-month-day"),
]


@pytest.mark.slow
def test_a_domain_an_address_and_an_account_can_be_tried(ask):
    for whom, how, lost, kept, then in REMOVED:
        status, page = ask(whom, how)
        assert status == 200, whom
        assert f"No longer covered: {lost}" in page, whom
        assert f"Still covered by another entry of yours: {kept}" in page, whom
        assert not then or f'href="/company/c1/{then}">Continue' in page, whom


@pytest.mark.slow
def test_the_preview_leads_to_the_entrys_page_with_the_last_day_filled_in(ask, portal):
    browser, before = portal.signed_in(**MANAGER), office.log(portal)
    for day, query, last in (("2026-11-21", "", ""), ("2026-12-01", "?until=2026-11-30", "2026-11-30")):
        page = ask("Huawei.com", day=day)[1]
        assert f'href="/company/c1/people/c1e0{query}">Continue' in page
        form = browser.get(f"/company/c1/people/c1e0{query}").text
        assert f'name="until" type="date" maxlength="10" value="{last}"' in form
    assert office.log(portal) == before


@pytest.mark.slow
def test_the_preview_leads_to_the_exclusion_form_without_naming_the_person_in_its_address(ask, portal):
    browser = portal.signed_in(**MANAGER)
    token = portal.proof(browser, PAGE)
    for whom, who in (("ada", "ada"), ("ada@huawei.com", "ada@huawei.com"), ("11", "ada"), ("999", "")):
        page = ask(whom, "exclude", "2026-12-01")[1].partition('id="effect"')[2].partition("</section>")[0]
        action = re.search('action="([^"]*)"', page)[1]
        sent = dict(re.findall('name="(who|what|since)" value="([^"]*)"', page))
        assert (action, sent) == (
            "/company/c1/people/search#who",
            {"who": who, "what": "exclude", "since": "2026-12-01"},
        ), whom
        form = browser.post(action.partition("#")[0], data={**sent, "csrf_token": token}).text
        assert f'name="who" type="text" maxlength="254" value="{who}"' in form
        assert 'value="exclude" checked' in form
        assert 'name="since" type="date" maxlength="10" value="2026-12-01"' in form


def test_a_refused_input_is_explained_in_one_line_at_its_field(ask):
    for whom, how, day, said in REFUSED:
        status, page = ask(whom, how, day)
        assert status == 400, whom
        assert said in page, whom
        assert 'aria-invalid="true"' in page, whom


def test_while_github_is_away_only_a_number_can_be_tried(ask, portal):
    portal.services.hub.away = True
    assert "GitHub is not responding" in ask("carol", "exclude")[1]
    assert ask("13", "exclude")[0] == 200


def test_a_leaver_who_signed_is_counted_as_covered_otherwise_without_saying_how(ask, portal):
    paper = agreement_view.show(portal.services.catalog, portal.rules, portal.services.owner(None), "icla", "en")
    record_signature(
        portal.services, office.Account(11, "ada"), SignatureForm(paper=paper, name="Ada", email="ada@home.example")
    )
    before = office.log(portal)
    page = ask("ada", "exclude")[1]
    assert "but covered otherwise: 1" in page
    assert "individual" not in page.partition('id="effect"')[2].partition("</section>")[0]
    assert office.log(portal) == before


def several(portal, browser, path, *accounts):
    """The roster's form with these people ticked, sent to that path."""
    data = {
        "csrf_token": portal.proof(browser, "/company/c1/roster"),
        "account": [str(account) for account in accounts],
    }
    return browser.post(f"/company/c1/roster/{path}", data=data)


def test_several_people_are_previewed_and_then_excluded_in_one_log_entry(ask, portal):
    browser, before = portal.signed_in(**MANAGER), office.log(portal)
    page = several(portal, browser, "remove", 11, 15, 11).text
    assert "No longer covered: 2" in page
    assert "Remove 2 people now" in page
    assert office.log(portal) == before
    done = several(portal, browser, "exclude", 11, 15)
    assert done.headers["Location"] == "/company/c1/roster"
    assert "People excluded: 2" in browser.get("/company/c1/roster").text
    assert office.log(portal)[len(before) :] == [
        ("entries.added", 12, "company", ["company_entry", "company_entry"]),
    ]  # fmt: skip
    assert 'scope="row"' not in browser.get("/company/c1/roster").text


def test_people_who_are_excluded_already_are_skipped_and_counted(ask, portal):
    browser = portal.signed_in(**MANAGER)
    several(portal, browser, "exclude", 11)
    several(portal, browser, "exclude", 11, 15)
    page = browser.get("/company/c1/roster").text
    assert "People excluded: 1" in page
    assert "Skipped, because the records have changed since the preview: 1" in page


def test_a_removal_of_no_selected_person_asks_to_select_one(ask, portal):
    browser = portal.signed_in(**MANAGER)
    for path in ("remove", "exclude"):
        assert several(portal, browser, path).headers["Location"] == "/company/c1/roster"
    assert "Select at least one person" in browser.get("/company/c1/roster").text
