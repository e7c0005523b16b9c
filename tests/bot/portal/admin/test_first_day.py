"""The page for the first day counts the organisation's open pull requests and says what can be done, without names."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape

import pytest

from agreements.facts import Account, Check, Conclusion, Note, Problem, Verdict
from agreements.rulebook.rules import RepositoryRule, Rules
from agreements.store.people import person_rows, signatures
from agreements.vault import WrappedKey
from bot.rulebook import effective
from bot.store import owners
from bot.store.pulls import stored_facts, verdicts
from bot.store.pulls.stored_facts import EncryptedFacts
from bot.store.records import PullRecord
from tests.bot.portal.populated import SHA
from tests.within import within

CLA = RepositoryRule(("core-*", 'a"b'), "cla")


def judged(portal, number, verdict, of=(11,)):
    """An open pull request with that verdict."""
    pull_id = portal.pull(number, of=of)
    with portal.services.sessions() as session:
        verdicts.add(session, pull_id, SHA, verdict, at=portal.at)
    return pull_id


def red(*codes):
    """A verdict with these problems."""
    problems = tuple(Problem(code=code, account=Account(11, "ada")) for code in codes)
    return Verdict(
        conclusion=Conclusion.FAILURE, checks=(Check(name="CLA", conclusion=Conclusion.FAILURE, problems=problems),)
    )


def facts(page):
    """The numbers of the page by their names."""
    found = re.findall(r"<div><dt>(.*?)</dt><dd>(.*?)</dd></div>", page)
    return {re.sub("<.*?>", "", unescape(name)): int(number) for name, number in found}


@pytest.fixture(name="opened")
def _opened(office):
    """Three are red, one passes as it is old, one is not checked; ada has signed, bo and dan have not."""
    portal = office.portal
    portal.rules = replace(portal.rules, repositories=(CLA,))
    office.signed()
    first = judged(portal, 1, red("cla/unsigned", "dco/missing"), of=(11, 12))
    judged(portal, 2, red("cla/unsigned"), of=(12,))
    judged(portal, 3, red("dco/missing"), of=(14,))
    old = Check(name="CLA", conclusion=Conclusion.NEUTRAL, notes=(Note(code="rules/before-since"),))
    judged(portal, 4, Verdict(conclusion=Conclusion.NEUTRAL, checks=(old,)))
    portal.pull(5)
    with portal.services.sessions() as session:
        stored_facts.keep(session, first, SHA, EncryptedFacts(b"x", WrappedKey("k1", b"x")), at=portal.at)
    return office


def test_open_pull_requests_and_their_people_are_counted(opened):
    page = opened.root.get("/admin/first-day").text

    assert facts(page) == {
        "Open pull requests that we know": 5, "Red": 3, "Passing": 1, "Passing because they were opened before since": 1,
        "Not checked yet": 1, "People who take part in them": 3, "Of these, people who have signed": 1,
    }  # fmt: skip
    assert (
        '<a href="/admin/pull-requests?code=cla/unsigned">Agreement not signed</a></td><td data-label="Pull requests">2<'
        in page
    )
    assert "Pull requests whose facts are stored: 1 of 5. For the others, run <code>countersign recheck" in page


def test_the_numbers_are_the_same_on_each_database(each_portal):
    judged(each_portal, 1, red("cla/unsigned"), of=(11, 12))
    judged(each_portal, 2, Verdict(conclusion=Conclusion.SUCCESS, checks=()), of=(11,))
    each_portal.pull(3)
    page = each_portal.signed_in(id=90, login="root").get("/admin/first-day").text

    assert [*facts(page).values()] == [3, 1, 1, 0, 1, 2]


def test_the_page_names_no_person_and_no_repository(opened):
    page = opened.eye.get("/admin/first-day").text.partition("<main")[2]

    assert [word for word in ("ada", "Ada", "ops-math", "cann", "example.com") if word in page] == []
    assert opened.root.get("/admin").text.count('href="/admin/first-day"') == 3


def test_since_is_proposed_as_the_next_day_and_shown_where_it_is_set(opened):
    page = opened.root.get("/admin/first-day").text
    opened.portal.rules = replace(opened.portal.rules, since=datetime(2026, 1, 2, tzinfo=UTC))
    with_since = opened.root.get("/admin/first-day").text

    assert ">since: 2026-11-22</pre>" in page
    assert "Open now: 5." in page
    assert "opened before <time" in with_since
    assert "since: 2026-11-22" not in with_since


@pytest.mark.parametrize("others", [(), (RepositoryRule(("*",), "none"),)])
def test_the_lines_for_shadow_mode_are_the_rulebooks_own_and_valid(opened, others):
    opened.portal.rules = replace(opened.portal.rules, repositories=(CLA, *others))
    page = unescape(opened.root.get("/admin/first-day").text)
    lines = re.search(r">(since: .*?)</pre>.*?>(repositories:\n.*?)</pre>", page, re.DOTALL)
    rules = effective.parse_rulebook(f"version: 1\norganization: O\n{lines[1]}\n{lines[2]}\n").rules

    last = RepositoryRule(("*",), "none" if others else "dco", "shadow")
    assert rules.repositories == (replace(CLA, mode="shadow"), last)


def test_a_campaign_is_for_people_who_signed_an_older_version_only(opened):
    none = opened.root.get("/admin/first-day").text
    services = opened.portal.services
    with services.sessions() as session:
        bo = person_rows.ensure(within(session, services.vault, opened.portal.at, services.new_id), Account(12, "bo"))
        context = within(session, services.vault, opened.portal.at, services.new_id)
        signatures.add(context, bo, opened.draft(version="1.0"), receipt="BBBB-BBBB-CCCC-DDDD-EEEE")
    page = opened.root.get("/admin/first-day").text

    assert "There are none now." in none
    assert '1 person signed only an older version of the agreement. A <a href="/admin/campaigns">campaign</a>' in page
    assert facts(page)["Of these, people who have signed"] == 2


def test_without_a_cla_no_signature_is_counted(opened):
    opened.portal.rules = Rules(organization="O", repositories=(RepositoryRule(("*",), "dco"),))
    page = opened.root.get("/admin/first-day").text

    assert "people who have signed" not in page
    assert "only a company covers" not in page


def test_an_empty_server_has_a_page_without_reasons(office):
    page = office.root.get("/admin/first-day").text

    assert facts(page)["Open pull requests that we know"] == 0
    assert "Why pull requests are red" not in page.partition("<main")[2]


def test_several_organisations_have_numbers_of_their_own(tmp_path, make_portal, github):
    portal = make_portal(f"sqlite:///{tmp_path / 'p.db'}", github, accounts=("cann", "beta"))
    judged(portal, 1, red("cla/unsigned"))
    other = judged(portal, 2, red("dco/missing"), of=(12, 13))
    with portal.services.sessions() as session:
        session.get(PullRecord, other).owner_id = 4
        session.get(PullRecord, other).owner = "beta"
        for number, login in ((3, "cann"), (4, "beta")):
            owners.remember_login(session, login, number)
            owners.remember_rules(session, number, "version: 1", valid=True, at=portal.at)
    root = portal.signed_in(id=90, login="root")
    pages = {name: root.get(f"/admin/first-day?organization={name}").text for name in ("cann", "beta")}
    portal.database.dispose()

    assert [facts(page)["People who take part in them"] for page in pages.values()] == [1, 2]
    assert [("Sign-off missing" in page, "Agreement not signed" in page) for page in pages.values()] == [
        (False, True),
        (True, False),
    ]


def test_the_page_is_shown_in_chinese(opened):
    page = opened.root.get("/admin/first-day?lang=zh").text.partition("<main")[2]

    assert "<h1>上线第一天</h1>" in page
    assert re.findall(r"<(?:p|h2|dt)[^>]*>[A-Z][a-z]+ ", page) == []
