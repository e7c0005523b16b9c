"""Numbers over time, as pictures and as a table; and why pull requests are red."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from agreements.facts import Check, Conclusion, Problem, Verdict
from bot.portal.admin import numbers
from bot.store.pulls import verdicts
from tests.bot.portal.populated import SHA, populate


@pytest.fixture(name="full")
def _full(portal):
    return populate(portal)


def months(page):
    """The table's rows."""
    found = re.findall(r'<tr><td data-label="Month">(.*?)</tr>', page.partition("Why pull requests")[0])
    return [re.sub(r"<[^>]+>", "|", one).replace("||", "|").strip("|").split("|") for one in found]


def test_twelve_months(full):
    """The present one last; each number in a picture and in the table."""
    full.portal.at += timedelta(hours=3)
    with full.portal.services.sessions() as session:
        green = Verdict(conclusion=Conclusion.SUCCESS, checks=())
        other = full.portal.pull(8)
        verdicts.add(session, other, SHA, Verdict(conclusion=Conclusion.FAILURE, checks=()), at=full.portal.at)
        verdicts.add(session, other, SHA, green, at=full.portal.at + timedelta(minutes=90))
    full.portal.at += timedelta(hours=2)
    page = full.portal.signed_in(id=91, login="eye").get("/admin/numbers").text
    found = months(page)

    assert [one[0] for one in found][:: len(found) - 1] == ["2025-12", "2026-11"]
    assert found[-1] == ["2026-11", "3", "4", "1.5 h"]
    assert found[0] == ["2025-12", "0", "0", "–"]
    assert page.partition("Why pull requests")[0].count("<svg viewBox") == 3
    assert "<text" in page
    assert "style=" not in page


def test_why_they_were_red(full):
    """Each of the most frequent reasons by month, in a picture and in the table; a pull request once a month and reason."""
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
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", one) for one in re.findall("<tr>(.*?)</tr>", told)]
    assert re.findall("<figcaption>(.*?)</figcaption>", told)[0] == "Sign-off missing"
    assert [one[:2] for one in rows if one and one[1] != "0"] == [["2026-10", "1"], ["2026-11", "2"]]


def test_why_they_are_red(full):
    """Each reason with its number and the way to those pull requests."""
    page = full.browsers["administrator"].get("/admin/numbers").text

    assert (
        '<a href="/admin/pull-requests?code=cla/unsigned">Agreement not signed</a></td><td data-label="Pull requests">1</td>'
        in page
    )
    assert "Of 1 red pull request" in page


def test_only_the_newest_are_counted(full, monkeypatch):
    """And the page says so."""
    monkeypatch.setattr(numbers, "MAX_RED_PULLS", 0)
    page = full.browsers["administrator"].get("/admin/numbers").text
    assert "No open pull request is red." in page


def test_months_begin_on_their_first_day():
    """Over the turn of the year, and on the last day of a long month."""
    begins = numbers.month_starts(datetime(2027, 1, 31, 23, 59, tzinfo=UTC))
    assert [one.isoformat()[:16] for one in (begins[0], begins[-2], begins[-1])] == [
        "2026-02-01T00:00", "2026-12-01T00:00", "2027-01-01T00:00",
    ]  # fmt: skip
    assert len(begins) == 12
