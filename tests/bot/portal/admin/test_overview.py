"""The first page: what waits is counted and linked, and an auditor is told that they only read."""

from html import unescape

import pytest

from agreements.facts import Entry
from tests.bot.portal.company import office as company_office


def test_nothing_waits_in_an_empty_house(office):
    """Nine things, none of them; counts of what there is."""
    page = office.root.get("/admin").text

    assert page.count("<p>None</p>") == 9
    assert "You have read-only access" not in page
    assert "You have read-only access." in office.eye.get("/admin").text


def test_what_waits_is_counted_and_linked(office):
    """A request and a claim."""
    company_id = office.company()
    office.claim(company_id)
    page = office.root.get("/admin").text

    assert page.count("<p><strong>1</strong></p>") == 2
    assert '<a href="/admin/companies">Companies that request an agreement</a>' in page
    assert '<a href="/admin/domains">Domains requested by companies</a>' in page


@pytest.mark.parametrize(
    ("state", "said"), [("broken", "<strong>1</strong>"), ("outdated", "<strong>1</strong>"), ("unread", "None")]
)
def test_a_rulebook_to_correct(office, state, said):
    """With mistakes, also while the last one without any counts."""
    office.portal.rules_state = state
    page = unescape(office.root.get("/admin").text)

    assert f"Rulebooks to correct</h3><p>{said}</p>" in page
    assert ("A rulebook has errors." in page) is (state != "unread")


def test_companies_whose_text_is_not_in_the_catalog(office):
    """Counted while the agreement would be in force, with the way to the list of them."""
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


def test_it_speaks_chinese(office):
    """All of it."""
    page = office.root.get("/admin?lang=zh").text

    assert "<h1>管理</h1>" in page
    assert "To do" not in page
