"""A list of people is read forgivingly: separators, headings, spaces and spellings of days; each line has its own fault."""

from datetime import timedelta

import pytest
from flask import session

from agreements.github_server import GITHUB_COM, github_server
from bot import clock
from bot.portal.company import people_list
from bot.portal.company.people_list import UNREADABLE, PeopleListLine, doubt
from bot.portal.forms.form_action import FormRefused


def said(text):
    """What each line says, without how it is shown."""
    return [
        (one.number, one.fault or (one.login, one.account_id, one.address, one.since, one.until))
        for one in people_list.read(text)
    ]


ONE = [(1, ("carol", None, "", "2026-12-01", "2027-01-31"))]

SAME = [
    "carol,2026-12-01,2027-01-31",
    " @carol ; 2026/12/1 ; 2027.1.31 ;",
    "carol\t2026-12-01\t2027-01-31",
    "carol   2026-12-01 2027-01-31",
    '"carol","2026-12-01","2027-01-31"',
    "carol,,,2026-12-01,2027-01-31",
    "\ufeffcarol,2026-12-01,2027-01-31\r\n\r\n",
]


@pytest.mark.parametrize("text", SAME)
def test_one_person_in_many_spellings(text):
    """Commas, semicolons, tabs, spaces, quotes, five columns, a mark at the beginning."""
    assert said(text) == ONE


def test_a_heading_names_the_columns():
    """In any order and case; blank lines keep the numbers of the others right."""
    text = "Until;E-Mail;GitHub;ID\n\n2026-12-31;;carol;13\n;a@huawei.com;;\n"
    assert said(text) == [(3, ("carol", 13, "", "", "2026-12-31")), (4, ("", None, "a@huawei.com", "", ""))]


def test_a_line_that_says_nothing_clear_is_refused_by_itself():
    """The others are read all the same."""
    text = "carol\na b c,,\n,2026-12-01\ndan,2026-02-30\n-x-\n5,dan\neve,,,2026-12-01,2026-12-02,x\n0\na@x.org,dan"
    assert [fault if isinstance(fault, str) else "" for _, fault in said(text)] == [
        "", "login", "nobody", "day", "login", "", "columns", "login", "several",
    ]  # fmt: skip


def test_an_uploaded_file():
    """UTF-8 with or without its mark, UTF-16 and GB 18030, as spreadsheets write them; bytes of none are refused."""
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "gb18030"):
        assert people_list.decode("用户@例子.公司".encode(encoding)) == "用户@例子.公司"
    with pytest.raises(FormRefused) as refused:
        people_list.decode(b"\xff\xff\xff")
    assert refused.value.errors["list"] is UNREADABLE["encoding"]


def test_the_longest_list():
    """Two thousand people and a heading, not one more; and nothing is no list."""
    people = "\n".join(str(number) for number in range(1, 2001))
    assert len(people_list.read(people)) == len(people_list.read(f"id\n{people}")) == people_list.MAX_LINES
    for text, reason in ((f"{people}\n2001", "long"), (" \n", "empty"), ("login,id", "empty")):
        with pytest.raises(FormRefused) as refused:
            people_list.read(text)
        assert refused.value.errors["list"] is UNREADABLE[reason]


def test_an_address_is_not_shown_in_a_trace():
    """Of a line only its number and its account are printed."""
    assert "huawei" not in repr(PeopleListLine(1, address="a@huawei.com", shown="a@huawei.com"))


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("ada@huawei.com", None),
        ("ada@rd.huawei.com", None),
        ("ada@huawel.com", "look-alike"),
        ("ada@rd.huawel.com", "look-alike"),
        ("ada@partner.org", "foreign"),
        ("ada@evilhuawei.com", "foreign"),
    ],
)
def test_what_speaks_against_an_address(address, found):
    """By whole labels; without domains every address is foreign."""
    assert doubt(address, ("huawei.com", "hisilicon.com"), GITHUB_COM) == found
    assert doubt(address, (), GITHUB_COM) == "foreign"


def test_a_no_reply_address_of_the_server():
    """It is foreign also below the company's own domain."""
    server = github_server("ghe.huawei.com")
    assert doubt(f"5+ada@{server.noreply_domain}", ("huawei.com",), server) == "foreign"


KEPT = ["ada@example.com"]


@pytest.fixture(name="ask")
def _ask(portal):
    """A function of the module, asked in a request of somebody who is signed in."""

    def ask(function, *words, account=11):
        with portal.app.test_request_context("/"):
            session["account"] = {"id": account, "login": "somebody"}
            return function(*words)

    return ask


def test_it_comes_back_as_it_was(ask):
    """Whatever can be written as JSON."""
    word = ask(people_list.sign_preview, "invite", "c1", KEPT)
    assert ask(people_list.read_preview, "invite", "c1", word) == KEPT


@pytest.mark.parametrize(
    ("purpose", "company", "account"), [("people", "c1", 11), ("invite", "c2", 11), ("invite", "c1", 12)]
)
def test_it_is_good_for_nothing_else(ask, purpose, company, account):
    """Not for another purpose, company or person; and not after a change."""
    word = ask(people_list.sign_preview, "invite", "c1", KEPT)
    assert ask(people_list.read_preview, purpose, company, word, account=account) is None
    assert ask(people_list.read_preview, "invite", "c1", f"x{word}") is None


def test_half_an_hour_by_the_clock_that_counts(portal, ask):
    """This machine's own clock, far from that one here, is not asked."""
    assert abs(portal.at - clock.now()) > timedelta(hours=1)
    word = ask(people_list.sign_preview, "invite", "c1", KEPT)
    portal.later(minutes=30)
    assert ask(people_list.read_preview, "invite", "c1", word) == KEPT
    portal.later(seconds=1)
    assert ask(people_list.read_preview, "invite", "c1", word) is None
