"""The lists of signatures, people, companies and red pull requests: pages, downloads and their log entries."""

import csv
from io import StringIO

import pytest

from agreements.facts import Account, Check, Conclusion, Note, Problem, Verdict
from agreements.store.people import person_rows
from bot import verdict_codes
from bot.github.ports import RepositoryPlace
from bot.portal.admin import lists
from bot.portal.admin.lists import LISTS
from bot.portal.admin.page_context import PAGE_ROWS
from bot.store.pulls import commit_findings, verdicts
from bot.store.pulls.commit_findings import PushedBranch, UnjudgedCommit
from tests.bot.report.words.test_phrases import PROBLEMS
from tests.within import within


@pytest.mark.slow
def test_each_list_links_to_its_rows_and_says_when_a_filter_finds_none(full):
    root = full.browsers["administrator"]
    for address, shown, empty in (
        ("/admin/signatures", f'<a href="/admin/signatures/{full.ids["receipt"]}">', "?state=ended"),
        ("/admin/people", '<a href="/admin/people/11">ada</a>', "?state=erased"),
        ("/admin/companies", f'<a href="/admin/companies/{full.ids["company_id"]}">Huawei</a>', "?state=refused"),
        ("/admin/pull-requests", "Agreement not signed, Sign-off missing", "?code=dco/mismatch"),
    ):
        assert shown in root.get(address).text, address
        page = root.get(address + empty).text
        assert shown not in page, address
        assert f'Nothing found. <a href="{address}">Show all</a>' in page, address


@pytest.mark.slow
def test_a_person_without_a_github_account_is_listed_as_such_and_not_by_number(full):
    services = full.portal.services
    with services.sessions() as session:
        signer = person_rows.add_without_account(within(session, services.vault, full.portal.at, services.new_id))
        known = Account(77, "gone")
        gone = person_rows.ensure(within(session, services.vault, full.portal.at, services.new_id), known)
        gone.login = ""  # as an erasure leaves it
        number = signer.account_id
    root = full.browsers["administrator"]
    page = root.get("/admin/people").text

    assert f'<a href="/admin/people/{number}">Without a GitHub account</a>' in page
    assert f">{number}<" not in page
    assert '<a href="/admin/people/77">account 77</a>' in page
    assert "<h1>Without a GitHub account</h1>" in root.get(f"/admin/people/{number}").text
    assert "<h1>account 77</h1>" in root.get("/admin/people/77").text


def test_the_next_page_and_the_download_keep_the_filter(full, monkeypatch):
    monkeypatch.setattr("bot.portal.admin.page_context.PAGE_ROWS", 1)
    page = full.browsers["administrator"].get("/admin/people?sort=name&state=nothing").text.replace("&amp;", "&")

    assert "?state=nothing&from=&to=&sort=name&page=2" in page
    assert '<input type="hidden" name="sort" value="name">' in page
    assert PAGE_ROWS == 50


def taken(full, listed, browser="administrator", **filters):
    """The rows of the file."""
    browser = full.browsers[browser]
    data = {"csrf_token": full.portal.proof(browser), **filters}
    answer = browser.post(f"/admin/lists/{listed}", data=data)
    assert answer.status_code == 200
    assert answer.mimetype == "text/csv"
    assert answer.headers["Content-Disposition"].endswith(f'filename="{listed}-2026-11-21.csv"')
    return list(csv.DictReader(StringIO(answer.text.removeprefix("\ufeff"))))


@pytest.mark.slow
def test_a_download_has_all_rows_under_the_filter_and_ends_with_their_number(full):
    rows = taken(full, "people", sort="name")
    assert [row["login"] for row in rows] == ["ada", "dan", "eve", "root", ""]
    assert rows[-1]["account_id"] == "# complete: 4 rows"
    companies = taken(full, "companies", browser="auditor")[:-1]
    assert [company["name"] for company in companies] == ["Huawei", "Nokia", "Other"]
    assert taken(full, "companies", state="requested")[0]["name"] == "Nokia"
    [red, _end] = taken(full, "pull-requests")
    assert (red["repository"], red["number"], red["codes"]) == ("cann/ops-math", "7", "cla/unsigned dco/missing")
    assert [signature["for"] for signature in taken(full, "signatures", sort="oldest")[:-1]].count("company") == 2


@pytest.mark.slow
def test_pull_requests_of_agents_say_who_answers_in_both_languages(full):
    root = full.browsers["administrator"]
    assert "No AI agent takes part in an open pull request." in root.get("/admin/agents").text
    numbers = {
        8: Note(code="cla/vouched", account=Account(11, "ada")),
        9: Problem(code="cla/agent-alone", role="opener"),
    }
    for number, finding in numbers.items():
        pull_id = full.portal.pull(number, of=(11,))
        noted = [Note(code="cla/agent-ignored", account=Account(5), role="opener")]
        notes, problems = ([*noted, finding], []) if isinstance(finding, Note) else (noted, [finding])
        ended = Conclusion.FAILURE if problems else Conclusion.SUCCESS
        check = Check(name="CLA", conclusion=ended, notes=tuple(notes), problems=tuple(problems))
        with full.portal.services.sessions() as session:
            verdicts.add(session, pull_id, "a" * 40, Verdict(conclusion=ended, checks=(check,)), at=full.portal.at)
    page = root.get("/admin/agents").text
    assert '<td data-label="Who answers"><a href="/admin/people/11">ada</a></td>' in page
    assert '<td data-label="The agent">opened the pull request</td><' in page.replace(">\n    <", "><")
    assert "#8<" not in root.get("/admin/agents?answer=none").text
    assert "由谁负责" in root.get("/admin/agents", headers={"Accept-Language": "zh-CN"}).text
    [newest, other, _end] = taken(full, "agents")
    assert (newest["number"], newest["passes"], newest["answering_account_ids"]) == ("9", "no", "")
    assert (other["number"], other["roles"], other["answering_account_ids"]) == ("8", "opener", "11")


@pytest.mark.slow
def test_unchecked_commits_are_listed_in_both_languages(full):
    root = full.browsers["auditor"]
    assert "No unchecked commit was found." in root.get("/admin/commits").text
    place = RepositoryPlace(1, "cann", "ops-math", 11)
    push = PushedBranch(place=place, branch="<main>", base_shas=("b" * 40,))
    found = [UnjudgedCommit("a" * 40, "no-pull-request"), UnjudgedCommit("c" * 40, "lost-signoff", 7, 2)]
    with full.portal.services.sessions() as session:
        commit_findings.record(session, push, found, at=full.portal.at)
    page = root.get("/admin/commits").text
    assert f'/cann/ops-math/commit/{"a" * 40}">cann/ops-math@aaaaaaaaaa</a>' in page
    assert "The squash lost sign-offs: 2" in page
    assert "<main>" not in page.split("<h1>")[1]
    assert "aaaaaaaaaa" not in root.get("/admin/commits?kind=lost-signoff&repository=cann/OPS-math").text
    assert "Nothing found." in root.get("/admin/commits?repository=none").text
    assert "未经检查的提交" in root.get("/admin/commits", headers={"Accept-Language": "zh-CN"}).text
    [row, other, _end] = taken(full, "commits")
    assert (row["commit"], row["branch"], row["finding"], row["number"]) == ("a" * 40, "<main>", "no-pull-request", "")
    assert (other["number"], other["count"]) == ("7", "2")


@pytest.mark.slow
def test_the_log_says_who_downloaded_which_list_and_how_many_rows(full):
    taken(full, "people", browser="auditor")
    page = full.browsers["administrator"].get("/admin/log?kind=list.exported").text
    assert "A list was downloaded" in page
    number = page.split('<a href="/admin/log/')[1].split('"')[0]
    entry = full.browsers["administrator"].get(f"/admin/log/{number}").text
    assert "<dd>people</dd>" in entry
    assert "<dd>4</dd>" in entry, "the person who downloads the list is in it"


def test_a_download_that_was_cut_does_not_end_as_complete(full, monkeypatch):
    monkeypatch.setattr(lists, "MAX_EXPORTED_ROWS", 2)
    assert [person["login"] for person in taken(full, "people", sort="name")] == ["ada", "dan"]


def test_an_unknown_list_is_not_downloaded(full):
    browser = full.browsers["administrator"]
    assert browser.post("/admin/lists/x", data={"csrf_token": full.portal.proof(browser)}).status_code == 404


@pytest.mark.slow
def test_a_filter_with_an_unreadable_day_or_page_shows_all_rows(full):
    for query in ("?from=yesterday", "?from=0001-01-01", "?to=9999-12-31", "?page=-1"):
        assert "/admin/people/11" in full.browsers["administrator"].get(f"/admin/people{query}").text


def test_each_problem_has_its_own_words_in_both_languages():
    assert set(LISTS) == {"signatures", "people", "companies", "agents", "commits", "pull-requests"}
    for language in ("en", "zh"):
        said = verdict_codes.each("short", language)
        assert said.keys() == PROBLEMS.keys()
        assert len(set(said.values())) == len(said)
