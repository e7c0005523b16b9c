"""A list of people is read in many spellings, each line has its own fault, and its preview is signed."""

import pytest

from agreements.github_server import GITHUB_COM, github_server
from bot.portal.company import people_list
from bot.portal.company.people_list import UNREADABLE, PeopleListLine, address_origin
from bot.portal.forms.form_action import FormRefused


def said(text):
    """What each line says, without how it is shown."""
    return [
        (
            list_line.number,
            list_line.fault
            or (list_line.login, list_line.account_id, list_line.address, list_line.since, list_line.until),
        )
        for list_line in people_list.read(text)
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
def test_one_person_is_read_from_many_spellings_of_a_line(text):
    assert said(text) == ONE


def test_a_heading_names_the_columns_in_any_order_and_case():
    text = "Until;E-Mail;GitHub;ID\n\n2026-12-31;;carol;13\n;a@huawei.com;;\n"
    assert said(text) == [(3, ("carol", 13, "", "", "2026-12-31")), (4, ("", None, "a@huawei.com", "", ""))]


def test_an_unclear_line_is_refused_and_the_others_are_read():
    text = "carol\na b c,,\n,2026-12-01\ndan,2026-02-30\n-x-\n5,dan\neve,,,2026-12-01,2026-12-02,x\n0\na@x.org,dan"
    assert [fault if isinstance(fault, str) else "" for _, fault in said(text)] == [
        "", "login", "nobody", "day", "login", "", "columns", "login", "several",
    ]  # fmt: skip


def test_a_line_that_is_longer_than_any_is_refused_and_the_others_are_read():
    # A file of another kind, uploaded by mistake, may be one line.
    assert said(f"carol,2026-12-01\nbob,{'x' * 200_000}") == [
        (1, ("carol", None, "", "2026-12-01", "")),
        (2, "columns"),
    ]


def test_an_uploaded_file_is_read_in_the_encodings_that_spreadsheets_write():
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "gb18030"):
        assert people_list.decode("用户@例子.公司".encode(encoding)) == "用户@例子.公司"
    with pytest.raises(FormRefused) as refused:
        people_list.decode(b"\xff\xff\xff")
    assert refused.value.errors["list"] is UNREADABLE["encoding"]


def test_a_list_has_at_most_two_thousand_people_and_at_least_one():
    people = "\n".join(str(number) for number in range(1, 2001))
    assert len(people_list.read(people)) == len(people_list.read(f"id\n{people}")) == people_list.MAX_LINES
    for text, reason in ((f"{people}\n2001", "long"), (" \n", "empty"), ("login,id", "empty")):
        with pytest.raises(FormRefused) as refused:
            people_list.read(text)
        assert refused.value.errors["list"] is UNREADABLE[reason]


def test_the_repr_of_a_line_hides_its_address():
    assert "huawei" not in repr(PeopleListLine(1, address="a@huawei.com", shown="a@huawei.com"))


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("ada@huawei.com", "own"),
        ("ada@rd.huawei.com", "own"),
        ("ada@huawel.com", "look-alike"),
        ("ada@rd.huawel.com", "look-alike"),
        ("ada@partner.org", "foreign"),
        ("ada@evilhuawei.com", "foreign"),
    ],
)
def test_an_address_is_foreign_or_a_look_alike_by_whole_labels(address, found):
    assert address_origin(address, ("huawei.com", "hisilicon.com"), GITHUB_COM) == found
    assert address_origin(address, (), GITHUB_COM) == "foreign"


def test_a_no_reply_address_of_the_server_is_foreign_below_the_companys_domain():
    server = github_server("ghe.huawei.com")
    assert address_origin(f"5+ada@{server.noreply_domain}", ("huawei.com",), server) == "foreign"
