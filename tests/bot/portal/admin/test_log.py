"""The log as pages: newest first, filtered, one entry opened."""

import re

import pytest

from agreements.store import companies, ledger
from agreements.store.companies import CompanyDraft
from agreements.store.ledger import SERVER, Change


@pytest.fixture(name="log")
def _log(office):
    """A company that asks (entry 0) for a domain (entry 1), a day later a revocation (entry 2)."""
    company_id = office.company()
    office.claim(company_id)
    office.signed()
    office.later(1)
    browser = office.portal.signed_in(id=90, login="root")
    office.post("/admin/signatures/AAAA-BBBB-CCCC-DDDD-EEEE/revoke", browser, reason="Stolen")
    office.browser = browser
    office.company_id = company_id
    return office


def shown(log, query=""):
    """Numbers of the entries on the page."""
    return re.findall(r'<a href="/admin/log/(\d+)">', log.browser.get(f"/admin/log{query}").text)


def test_filters(log):
    """What can't be read is no filter."""
    for query, numbers in (
        ("", ["2", "1", "0"]), ("?kind=company.requested", ["0"]), ("?subject=11", ["2"]), ("?subject=12", []),
        ("?from=2026-11-22", ["2"]), ("?to=2026-11-21", ["1", "0"]), ("?from=2026-11-21&to=2026-11-22", ["2", "1", "0"]),
        ("?from=tomorrow&page=0", ["2", "1", "0"]), ("?page=2", []), (f"?subject={log.company_id}", ["1", "0"]),
    ):  # fmt: skip
        assert shown(log, query) == numbers, query


def test_an_entry_is_opened(log):
    """What it told, and which rows it wrote."""
    page = log.browser.get("/admin/log/2").text

    assert "<h1>signature.revoked</h1>" in page
    assert "Stolen" in page
    assert "<td>withdrawal</td>" in page
    assert "<dd>a person <code>" in page
    for gone in ("3", str(2**70), "x"):
        assert log.browser.get(f"/admin/log/{gone}").status_code == 404


def test_a_long_log_has_pages_that_keep_the_filter(office):
    """Fifty entries a page, each page well below 60 kB."""
    given = office.portal.parts
    with given.sessions() as session:
        for number in range(51):
            draft = CompanyDraft(name=f"Company {number:03}", agreement="ccla", version="2.0", signed_at=given.clock())
            companies.add(session, given.vault, draft, new_id=given.new_id())
            change = Change(kind="company.requested", actor_id=11, subject=SERVER)
            ledger.append(session, given.vault, change, at=given.clock(), new_id=given.new_id())
    page = office.root.get("/admin/log?kind=company.requested").text

    assert page.count('<a href="/admin/log/') == 50
    assert "page=2" in page
    assert "kind=company.requested" in page.replace("&amp;", "&")
    assert len(page.encode()) < 60_000
    assert len(office.root.get("/admin/companies").text.encode()) < 60_000
