"""The first page: what waits is counted and linked, and an auditor is told that they only read."""

from html import unescape

import pytest

from agreements.facts import Entry
from agreements.rulebook.rules import RepositoryRule, Rules
from tests.bot.portal.company import office as company_office


def test_nothing_waits_in_an_empty_house(office):
    """Eight things, none of them; counts of what there is."""
    page = office.root.get("/admin").text

    assert page.count("<p>None</p>") == 8
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
    ("state", "rules"),
    [
        ("broken", Rules()),
        ("outdated", Rules(organization="O")),
        ("valid", Rules(repositories=(RepositoryRule(("*",), require="cla"),))),
    ],
)
def test_a_rulebook_to_correct(office, state, rules):
    """With mistakes, also while the last one without any counts; or one that asks for an agreement with nobody."""
    office.portal.rules, office.portal.rules_state = rules, state
    page = unescape(office.root.get("/admin").text)

    assert "Rulebooks to correct</h3><p><strong>1</strong>" in page
    assert "A rulebook has errors, or it requires a CLA without naming the organisation." in page


def test_a_rulebook_that_was_never_read(office):
    """Nothing is to be corrected, but nobody can sign."""
    office.portal.rules, office.portal.rules_state = Rules(), "unread"
    page = unescape(office.root.get("/admin").text)

    assert "Rulebooks to correct</h3><p>None</p>" in page
    assert "No rulebook has been read yet, so nobody can sign." in page


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
