"""The CSV: readable by every spreadsheet, dangerous in none, one company's alone, and in the log."""

import csv
from io import StringIO

import pytest
from structlog.testing import capture_logs

from agreements.facts import Entry
from bot import spreadsheet
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
        ("# complete: 4 rows", "", ""),
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


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\uff1d1", "x;=1", "x\n=1"])
def test_no_cell_is_a_formula(cell):
    """What a spreadsheet would calculate begins with an apostrophe; tests/bot/test_spreadsheet.py has every way."""
    _, (found,), _ = csv.reader(StringIO(table(["a"], [[cell]]).removeprefix("\ufeff"), newline=""))
    assert found == spreadsheet.escape(cell) != cell


def test_quotes_line_ends_and_the_end():
    """RFC 4180; the last line is as wide as the others."""
    assert table(["x", "y", "z"], [['a"b', "c,d", "e\nf"]]) == (
        '\ufeffx,y,z\r\n"a""b","c,d","e\nf"\r\n# complete: 1 row,,\r\n'
    )


def test_it_is_in_the_log_of_the_server(portal):
    """By ids."""
    office.company(portal)
    browser = portal.signed_in(**MANAGER)
    word = portal.proof(browser, "/company/c1/export")
    with capture_logs() as lines:
        browser.post("/company/c1/export.csv", data={"csrf_token": word})
    assert lines == [{"event": "export.made", "log_level": "info", "account": 12, "what": "company", "subject": "c1"}]
