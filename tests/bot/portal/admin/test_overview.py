"""The first page of the administration: tasks are counted and linked, and the numbers of twelve months are shown."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest

from agreements.facts import Check, Conclusion, Entry, Problem, Verdict
from agreements.rulebook.rules import RepositoryRule
from bot.portal.admin import overview
from bot.store.pulls import verdicts
from tests.bot.portal.company import office as company_office
from tests.bot.portal.populated import SHA


def folded(page):
    """The tasks that have nothing to do, as the page folds them away."""
    return re.findall("<li>(.*?)</li>", page.partition("Nothing waits here")[2].partition("</details>")[0])


def test_an_overview_without_tasks_folds_all_eleven(office):
    page = office.root.get("/admin").text

    assert len(folded(page)) == 11
    assert "Nothing waits for you." in page
    assert "You have read-only access" not in page
    assert "You have read-only access." in office.eye.get("/admin").text


def test_a_waiting_company_and_a_waiting_domain_are_counted_and_linked(office):
    company_id = office.company()
    office.claim(company_id)
    page = office.root.get("/admin").text

    assert page.count("<p><strong>1</strong></p>") == 2
    assert '<a href="/admin/companies">Companies that request an agreement</a>' in page
    assert '<a href="/admin/domains">Domains requested by companies</a>' in page


@pytest.mark.parametrize(("state", "waits"), [("broken", True), ("outdated", True), ("unread", False)])
def test_a_rulebook_with_mistakes_is_named_as_one_to_correct(office, state, waits):
    office.portal.rules_state = state
    page = unescape(office.root.get("/admin").text)

    assert ("Rulebooks to correct</h3><p><strong>1</strong></p>" in page) is waits
    assert ("Rulebooks to correct" in folded(page)) is not waits
    assert ("A rulebook has errors." in page) is waits


def test_repositories_that_a_rulebook_stops_are_counted_once_each(office):
    check = Check(name="Rulebook", conclusion=Conclusion.ACTION_REQUIRED, problems=(Problem(code="rulebook/invalid"),))
    broken = Verdict(conclusion=Conclusion.ACTION_REQUIRED, checks=(check,))
    pulls = [office.portal.pull(number) for number in (8, 9)]
    with office.portal.services.sessions() as session:
        for pull in pulls:
            verdicts.add(session, pull, SHA, broken, at=office.portal.at)
    page = office.root.get("/admin").text

    link = '<a href="/admin/pull-requests?code=rulebook/invalid">'
    assert f"{link}Repositories whose pull requests wait for a rulebook to be corrected</a></h3><p><strong>1<" in page
    assert office.root.get("/admin/pull-requests?code=rulebook/invalid").status_code == 200


def test_texts_that_a_lawyer_has_to_review_are_counted_while_they_are_required(office):
    assert "Agreement texts that a lawyer has to review" in folded(office.root.get("/admin").text)
    office.portal.rules = replace(office.portal.rules, repositories=(RepositoryRule(("*",), "cla"),))
    page = office.root.get("/admin").text

    assert '<a href="/admin/texts">Agreement texts that a lawyer has to review</a></h3><p><strong>4<' in page


def test_companies_whose_text_is_not_in_the_catalog_are_counted_while_in_force(office):
    company_office.company(office.portal)
    company_office.company(office.portal, Entry(domain="ended.org"), key="c2", name="Ended", ended_at=office.portal.at)
    for key in ("c1", "c2"):
        company_office.lose_text(office.portal, key)
    page = office.root.get("/admin").text
    there = "/admin/companies?state=text+missing"

    assert f'<a href="{there}">Company agreements whose text is not in the catalog</a></h3><p><strong>1<' in page
    found = office.root.get(there).text
    assert "Huawei" in found
    assert "Ended" not in found.partition("<tbody")[2]
    assert "Huawei" not in office.root.get("/admin/companies?state=in+force").text


def test_the_overview_is_shown_in_chinese(office):
    page = office.root.get("/admin?lang=zh").text

    assert "<h1>管理</h1>" in page
    assert "To do" not in page


def months(page):
    """The table's rows."""
    found = re.findall(r'<tr><td data-label="Month">(.*?)</tr>', page.partition("Why pull requests")[0])
    return [re.sub(r"<[^>]+>", "|", row).replace("||", "|").strip("|").split("|") for row in found]


@pytest.mark.slow
def test_the_numbers_cover_twelve_months_as_charts_and_a_table(full):
    full.portal.at += timedelta(hours=3)
    with full.portal.services.sessions() as session:
        green = Verdict(conclusion=Conclusion.SUCCESS, checks=())
        other = full.portal.pull(8)
        verdicts.add(session, other, SHA, Verdict(conclusion=Conclusion.FAILURE, checks=()), at=full.portal.at)
        verdicts.add(session, other, SHA, green, at=full.portal.at + timedelta(minutes=90))
    full.portal.at += timedelta(hours=2)
    page = full.portal.signed_in(id=91, login="eye").get("/admin/numbers").text
    found = months(page)

    assert [row[0] for row in found][:: len(found) - 1] == ["2025-12", "2026-11"]
    assert found[-1] == ["2026-11", "3", "4", "1.5 h"]
    assert found[0] == ["2025-12", "0", "0", "–"]
    assert page.partition("Why pull requests")[0].count("<svg viewBox") == 3
    assert "<text" in page
    assert "style=" not in page


def test_reasons_for_red_are_counted_once_for_each_month_and_pull_request(full):
    services, at = full.portal.services, full.portal.at
    rows = {number: full.portal.pull(number) for number in (8, 9)}
    with services.sessions() as session:
        for number, day, code in (
            (8, 0, "dco/missing"), (8, 0, "dco/mismatch"), (8, 1, "dco/missing"), (9, 40, "dco/missing"), (9, 500, "dco/missing"),
        ):  # fmt: skip
            check = Check(name="DCO", conclusion=Conclusion.FAILURE, problems=(Problem(code=code),))
            red = Verdict(conclusion=Conclusion.FAILURE, checks=(check,))
            verdicts.add(session, rows[number], SHA, red, at=at - timedelta(days=day))
    page = full.browsers["administrator"].get("/admin/numbers").text.partition("Why pull requests were red</h2>")[2]
    told = page.partition("Why pull requests are red now")[0]
    assert told.count("<svg viewBox") == 3
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", match) for match in re.findall("<tr>(.*?)</tr>", told)]
    assert re.findall("<figcaption>(.*?)</figcaption>", told)[0] == "Sign-off missing"
    assert [row[:2] for row in rows if row and row[1] != "0"] == [["2026-10", "1"], ["2026-11", "2"]]


@pytest.mark.slow
def test_each_reason_for_red_links_to_its_pull_requests(full):
    page = full.browsers["administrator"].get("/admin/numbers").text

    assert (
        '<a href="/admin/pull-requests?code=cla/unsigned">Agreement not signed</a></td><td data-label="Pull requests">1</td>'
        in page
    )
    assert "Of 1 red pull request" in page


def test_reasons_are_of_the_newest_red_pull_requests_up_to_a_limit(full, monkeypatch):
    check = Check(name="DCO", conclusion=Conclusion.FAILURE, problems=(Problem(code="dco/missing"),))
    other = full.portal.pull(8)
    with full.portal.services.sessions() as session:
        verdicts.add(session, other, SHA, Verdict(conclusion=Conclusion.FAILURE, checks=(check,)), at=full.portal.at)
    monkeypatch.setattr(overview, "MAX_RED_PULLS", 1)
    page = full.browsers["administrator"].get("/admin/numbers").text

    assert "Of the 1 newest red pull requests." in page


def test_months_begin_on_their_first_day_across_a_turn_of_the_year():
    begins = overview.month_starts(datetime(2027, 1, 31, 23, 59, tzinfo=UTC))
    assert [time.isoformat()[:16] for time in (begins[0], begins[-2], begins[-1])] == [
        "2026-02-01T00:00", "2026-12-01T00:00", "2027-01-01T00:00",
    ]  # fmt: skip
    assert len(begins) == 12
