"""The CSV: readable by every spreadsheet, dangerous in none, one company's alone, and in the log."""

import csv
from io import StringIO

import pytest

from agreements.facts import Entry
from bot.portal.company.export import table
from tests.bot.portal.company import office
from tests.bot.portal.company.office import MANAGER, WORK


def test_the_file(portal):
    """UTF-8 with a mark, CRLF, a name without anybody's name; by POST with a proof of the form; one entry in the log."""
    office.company(portal, Entry(domain="huawei.com"), Entry(email="+x@partner.org"))
    office.company(portal, Entry(domain="redhat.com"), key="c2", name="Red Hat", managers=((13, "cyd"),))
    office.enrolled(portal)
    browser = portal.signed_in(**MANAGER)
    sent = browser.post("/company/c1/export.csv", data={"csrf_token": portal.proof(browser, "/company/c1/export")})

    assert sent.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert sent.headers["Content-Disposition"] == 'attachment; filename="company-2026-11-21.csv"'
    assert sent.headers["Cache-Control"] == "no-store"
    assert sent.data.startswith(b"\xef\xbb\xbfrecord,domain,")
    rows = list(csv.DictReader(StringIO(sent.data.decode("utf-8-sig"), newline="")))
    assert [(row["record"], row["address"], row["account_id"]) for row in rows] == [
        ("entry", "", ""), ("entry", "'+x@partner.org", ""), ("enrolment", WORK, "11"), ("manager", "", "12"),
    ]  # fmt: skip
    assert b"redhat" not in sent.data
    assert office.log(portal)[-1] == ("company.exported", 12, "company", [])


def test_only_by_its_own_form(portal):
    """Not by a link, not without the proof, not by another company's manager: nothing is written, nothing handed out."""
    office.company(portal)
    browser = portal.signed_in(**MANAGER)
    assert browser.get("/company/c1/export.csv").status_code == 405
    assert browser.post("/company/c1/export.csv").status_code == 400
    other = portal.signed_in(id=13, login="cyd")
    assert other.post("/company/c1/export.csv", data={"csrf_token": portal.proof(other)}).status_code == 404
    assert office.log(portal) == []


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\uff1d1"])
def test_no_cell_is_a_formula(cell):
    """What a spreadsheet would calculate begins with an apostrophe (OWASP, "CSV injection")."""
    assert next(csv.reader(StringIO(table([[cell]]).removeprefix("\ufeff"), newline=""))) == [f"'{cell}"]


def test_quotes_and_line_ends():
    """RFC 4180."""
    assert table([['a"b', "c,d", "e\nf"]]) == '\ufeff"a""b","c,d","e\nf"\r\n'
