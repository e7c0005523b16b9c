"""A manager adds many people: a preview of each line first, then all good lines in one transaction."""

import html
import io
import re
from datetime import timedelta

import pytest

from agreements.facts import Entry
from agreements.store.companies import company_entries, rosters
from agreements.store.companies.company_entries import CompanyEntryFilter
from bot.portal.company import people_bulk
from tests.bot.portal.company import office

LIST = """login, id, address, from, until
carol
@Carol
nobody-has-this
, 4242
ada@huawei.com,
,, ada@huawei.com
,, a@huawel.com
,, eve@partner.org, 2026-12-01, 2026-12-31
,, a@@b
,77,, 2026-11-20
bob, 99
"""


@pytest.fixture(name="manned")
def _manned(portal):
    """Huawei with huawei.com, whose manager is bob, and his browser."""
    office.company(portal)
    return portal, portal.signed_in(**office.MANAGER)


def send(portal, browser, path="", **filled):
    """A form of the page of lists."""
    proof = portal.proof(browser, "/company/c1/people/list")
    return browser.post(f"/company/c1/people/list{path}", data={"csrf_token": proof, **filled})


def fates(page):
    """What the preview says of each line; those that are refused come first."""
    rows = re.findall(r"<tr><td[^>]*>(\d+)</td>.*?</th><td[^>]*>(.*?)</td></tr>", page.text)
    refused = [said.startswith("Refused") for _number, said in rows]
    assert refused == sorted(refused, reverse=True)
    return {int(number): html.unescape(said) for number, said in sorted(rows, key=lambda row: int(row[0]))}


def named(portal):
    """How many entries the company has, its domain among them, and how many rows each line in the log wrote of a list."""
    services = portal.services
    with services.sessions() as session:
        found = company_entries.page(session, services.vault, "c1", range(1), at=portal.at)
    return found.total, [len(rows) for kind, _by, _about, rows in office.log(portal) if kind == "entries.added"]


def kept(page, name):
    """What the page keeps for the next one."""
    return re.search(rf'name="{name}" value="([^"]+)"', page.text)[1]


def test_the_preview_shows_what_becomes_of_each_line_and_stores_nothing(manned):
    portal, browser = manned
    page = send(portal, browser, list=LIST)
    said = fates(page)
    assert {number: words.partition(":")[0] for number, words in said.items()} == {
        2: "Will be added", 3: "Refused", 4: "Refused", 5: "Will be added", 6: "Refused", 7: "Will be added",
        8: "Refused", 9: "Outside your domains", 10: "Refused", 11: "Will be added", 12: "Refused",
    }  # fmt: skip
    for number, part in {
        3: "earlier line",
        4: "no GitHub account",
        8: "looks like",
        11: "From now on",
        12: "another account",
    }.items():
        assert part in said[number]
    assert named(portal) == (1, [])


def test_a_day_in_the_past_covers_a_person_from_now_on(manned):
    portal, browser = manned
    good = kept(send(portal, browser, list="carol, 2019-03-01, 2027-03-01"), "good")
    send(portal, browser, "/add", good=good)
    services = portal.services
    with services.sessions() as session:
        found = company_entries.page(
            session, services.vault, "c1", range(9), at=portal.at, only=CompanyEntryFilter(wanted="carol")
        )
    [entry] = found.entries
    assert (entry.since, f"{entry.until:%Y-%m-%d}") == (portal.at, "2027-03-02")


@pytest.mark.parametrize(("ticked", "added"), [({}, 4), ({"foreign": "y"}, 5)])
def test_the_good_lines_are_added_together_and_foreign_addresses_only_if_ticked(manned, ticked, added):
    portal, browser = manned
    good = kept(send(portal, browser, list=LIST), "good")
    assert send(portal, browser, "/add", good=good, **ticked).status_code == 302
    assert f"People added: {added}." in browser.get("/company/c1/people").text
    assert named(portal) == (1 + added, [added])
    assert (
        list(fates(send(portal, browser, list=LIST)).values()).count("Unchanged: There is already an entry for this.")
        == added
    )
    again = send(portal, browser, "/add", good=good, **ticked)
    assert again.status_code == 302
    assert f"since the preview: {added}." in browser.get("/company/c1/people").text
    assert named(portal) == (1 + added, [added])


def test_logins_are_looked_up_until_a_deadline_and_the_next_preview_continues(manned, monkeypatch):
    portal, browser = manned
    monkeypatch.setattr(people_bulk, "LOOKUP_SECONDS", 0.0)
    first = send(portal, browser, list="carol\nnobody-has-this\nbob")
    assert [said.partition(":")[0] for said in fates(first).values()] == [
        "Will be added",
        "Refused",
        "Not looked up yet",
    ]
    second = send(portal, browser, list="carol\nnobody-has-this\nbob", known=kept(first, "known"))
    assert [said.partition(":")[0] for said in fates(second).values()] == ["Will be added", "Refused", "Will be added"]
    assert portal.services.hub.asked == 2


def test_organizations_and_bots_are_refused_on_their_lines(manned):
    portal, browser = manned
    said = fates(send(portal, browser, list="CANN\nhelper\nbob\ndependabot[bot]"))
    assert [words.split(": ")[0] for words in said.values()] == ["Refused", "Refused", "Will be added", "Refused"]
    assert ("organisation" in said[1], "bot" in said[2], "bot" in said[4]) == (True, True, True)


def test_account_numbers_are_asked_at_github_before_they_are_accepted(manned):
    portal, browser = manned
    said = fates(send(portal, browser, list="4242\n42424\n500\n7171551630223032780"))
    assert [words.split(": ")[0] for words in said.values()] == ["Will be added", "Refused", "Refused", "Refused"]
    assert ("no GitHub account with this number" in said[2], "organisation" in said[3]) == (True, True)


def test_while_github_is_away_accounts_wait_and_addresses_are_accepted(manned):
    portal, browser = manned
    portal.services.hub.away = True
    page = send(portal, browser, list="carol\n4242\nada@huawei.com")
    assert list(fates(page).values()) == ["Not looked up yet", "Not looked up yet", "Will be added"]
    assert "GitHub is not responding right now" in page.text


def test_the_refused_lines_are_downloaded_with_their_reasons(manned):
    portal, browser = manned
    page = send(portal, browser, list="bob\nnobody-has-this\n=1+1@huawei.com")
    file = send(portal, browser, "/refused", refused=kept(page, "refused"))
    assert (file.mimetype, file.headers["Content-Disposition"]) == (
        "text/csv",
        'attachment; filename="refused-lines.csv"',
    )
    lines = file.text.removeprefix("\ufeff").splitlines()
    assert lines[0] == "Line,Who,Reason"
    assert lines[1].startswith("2,nobody-has-this,There is no GitHub account with this login.")
    assert not any(cell.startswith("=") for line in lines for cell in line.split(","))
    assert send(portal, browser, "/refused", refused=kept(page, "good")).status_code == 409
    assert 'name="refused"' not in send(portal, browser, list="bob").text


def test_an_uploaded_file_is_read_instead_of_the_box(manned):
    portal, browser = manned
    page = send(portal, browser, list="carol", file=(io.BytesIO(b"\xef\xbb\xbf4242;2026-12-01"), "people.csv"))
    assert fates(page) == {1: "Will be added"}
    assert "4242 2026-12-01" in page.text
    wrong = send(portal, browser, file=(io.BytesIO(b"\xff\xff\xff"), "people.csv"))
    assert (wrong.status_code, "UTF-8" in wrong.text) == (400, True)


def test_a_preview_of_another_company_or_an_altered_one_adds_no_person(manned):
    portal, browser = manned
    office.company(portal, Entry(domain="redhat.com"), key="c2", name="Red Hat", managers=((12, "bob"),))
    good = kept(send(portal, browser, list="4242"), "good")
    altered = good[:20] + ("A" if good[20] != "A" else "B") + good[21:]  # the last sign may hold bits that do not count
    for page, words in (("c2", good), ("c1", altered), ("c1", "")):
        proof = portal.proof(browser, f"/company/{page}/people/list")
        sent = browser.post(f"/company/{page}/people/list/add", data={"csrf_token": proof, "good": words})
        assert (sent.status_code, "Check the list again" in sent.text) == (409, True)
    assert named(portal) == (1, [])


def test_too_many_lines_or_days_are_refused_and_the_list_stays_typed(manned):
    portal, browser = manned
    days = "\n".join(f"{number},{portal.at + timedelta(days=number):%Y-%m-%d}" for number in range(1, 60))
    for text in (days, "7\n" * 2001, ""):
        page = send(portal, browser, list=text)
        assert (page.status_code, page.text.count('href="#list"')) == (400, 1)
        assert text[:20] in page.text


@pytest.mark.slow
def test_a_list_of_five_hundred_people_goes_through_both_pages(manned):
    portal, browser = manned
    portal.services.hub.strangers = set(range(1000, 1500))
    page = send(portal, browser, list="\n".join(str(number) for number in range(1000, 1500)))
    assert len(fates(page)) == 500
    assert send(portal, browser, "/add", good=kept(page, "good")).status_code == 302
    assert named(portal) == (501, [500])
    assert "People added: 500." in browser.get("/company/c1/people").text


@pytest.mark.slow
def test_a_list_of_two_thousand_lines_is_added_in_one_log_entry(each_portal):
    office.company(each_portal)
    each_portal.services.hub.strangers = set(range(5000, 6000))
    browser = each_portal.signed_in(**office.MANAGER)
    days = ("", "2026-12-01")
    lines = [f",,p{number}@huawei.com,{days[number % 2]}," for number in range(1000)]
    lines += [f",{5000 + number},,," for number in range(1000)]
    page = send(each_portal, browser, list="\n".join(lines))
    assert set(fates(page).values()) == {"Will be added"}
    assert len(fates(page)) == 2000
    assert send(each_portal, browser, "/add", good=kept(page, "good")).status_code == 302
    assert named(each_portal) == (2001, [2000])
    with each_portal.services.sessions() as session:
        roster = rosters.roster(session, each_portal.services.vault, "c1", accepted=())
    later = each_portal.at.replace(month=12, day=1, hour=0)
    assert {
        (roster_entry.entry.email, roster_entry.entry.since)
        for roster_entry in roster.named
        if roster_entry.entry.email
    } == {(f"p{number}@huawei.com", later if number % 2 else each_portal.at) for number in range(1000)}
    assert {roster_entry.entry.account_id for roster_entry in roster.named} - {None} == set(range(5000, 6000))
    again = fates(send(each_portal, browser, list="\n".join(lines)))
    assert {said.partition(":")[0] for said in again.values()} == {"Unchanged"}


def test_the_preview_counts_whom_a_domain_covers_already(manned):
    portal, browser = manned
    page = send(portal, browser, list="ada@huawei.com\neve@rd.huawei.com\neve@partner.org\ncarol")
    assert "2 of these are covered by huawei.com already." in page.text
    assert "其中 2 人已按域名 huawei.com 覆盖。" in browser.post(
        "/company/c1/people/list?lang=zh",
        data={"csrf_token": portal.proof(browser, "/company/c1/people/list"), "list": "ada@huawei.com\neve@rd.huawei.com"},
    ).text  # fmt: skip
    assert "covered by" not in send(portal, browser, list="carol\neve@partner.org").text


def test_many_good_lines_are_folded_below_the_lines_that_need_work(manned):
    portal, browser = manned
    page = send(portal, browser, list="\n".join([*(f"p{number}@huawei.com" for number in range(30)), "a@@b"]))
    refused, _, folded = page.text.partition("<details><summary>30 good lines</summary>")
    assert ("a@@b</th>" in refused, "p0@huawei.com</th>" in refused, "p29@huawei.com</th>" in folded) == (
        True,
        False,
        True,
    )
    assert "<details open><summary>One good line</summary>" in send(portal, browser, list="carol").text
