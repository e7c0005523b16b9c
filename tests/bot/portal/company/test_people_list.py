"""A list of people is read forgivingly: separators, headings, spaces and spellings of days; each line has its own fault."""

import pytest

from bot.portal.company import people_list
from bot.portal.company.people_list import PeopleListLine, UnreadableList


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
    with pytest.raises(UnreadableList, match="encoding"):
        people_list.decode(b"\xff\xff\xff")


def test_the_longest_list():
    """Two thousand people and a heading, not one more; and nothing is no list."""
    people = "\n".join(str(number) for number in range(1, 2001))
    assert len(people_list.read(people)) == len(people_list.read(f"id\n{people}")) == people_list.MAX_LINES
    for text, reason in ((f"{people}\n2001", "long"), (" \n", "empty"), ("login,id", "empty")):
        with pytest.raises(UnreadableList, match=reason):
            people_list.read(text)


def test_an_address_is_not_shown_in_a_trace():
    """Of a line only its number and its account are printed."""
    assert "huawei" not in repr(PeopleListLine(1, address="a@huawei.com", shown="a@huawei.com"))
