"""Many rows decided together: what is selected is shown first, one reason for all, one entry of the log for each."""

from datetime import timedelta

import pytest

from agreements.facts import Account
from agreements.imports.entries import ImportEntry
from agreements.store.companies import domain_states
from agreements.store.imports import import_decisions, imported
from agreements.store.imports.imported import COUNTED, DOUBTFUL, REFUSED, ImportSource
from agreements.store.record_context import RecordContext
from tests.bot.conftest import ADMINISTRATOR

DOMAINS, IMPORTS = "/admin/domains", "/admin/imports"


def send(office, path, page, *chosen, browser=None, **form):
    """The form with these rows ticked, not confirmed unless said so."""
    browser = browser or office.root
    data = {"csrf_token": office.portal.proof(browser, "/me"), "chosen": list(chosen), **form}
    return browser.post(f"{page}/{path}", data=data)


@pytest.fixture(name="claims")
def _claims(office):
    """Two claims of two companies, and one that stays."""
    names = (("Huawei", "huawei.com"), ("Nokia", "nokia.com"), ("IBM", "intel.com"))
    return [office.claim(office.company(name), domain) for name, domain in names]


def waiting(office):
    """The domains that wait."""
    services = office.portal.services
    with services.sessions() as session:
        return [one.domain for one in domain_states.pending(session, services.vault, at=office.portal.at)]


def test_domains(office, claims):
    """First the list, then the reason, then each is approved; the others wait."""
    page = send(office, "approve", DOMAINS, *claims[:2]).text
    assert "huawei.com" in page
    assert "intel.com" not in page
    assert len(waiting(office)) == 3
    assert send(office, "approve", DOMAINS, *claims[:2], confirmed="yes", reason=" ").status_code == 400
    before = len(office.entries())
    done = send(office, "approve", DOMAINS, *claims[:2], confirmed="yes", reason="known")
    assert done.headers["Location"] == DOMAINS
    assert waiting(office) == ["intel.com"]
    assert [one.kind for one in office.entries()][: len(office.entries()) - before] == ["domain.proven"] * 2
    assert "Decided: 2." in office.root.get(DOMAINS).text


def test_a_domain_that_cannot_be(office):
    """Of two claims of one domain the first gets it; the other is left out with the reason."""
    claims = [office.claim(office.company(name), "huawei.com") for name in ("One", "Other")]
    send(office, "approve", DOMAINS, *claims, confirmed="yes", reason="known")
    page = office.root.get(DOMAINS).text
    assert "Decided: 1." in page
    assert "Left out: huawei.com: Another company has this domain" in page


@pytest.fixture(name="entries")
def _entries(office):
    """Three entries to decide: bob's and carol's, and the administrator's own."""
    portal, source = (
        office.portal,
        ImportSource(party="The CANN Authors", format="plain", sha256="f" * 64, agreement="icla"),
    )
    context = {"at": portal.at - timedelta(days=10)}
    people = (("bob", 12), ("carol", 13), ("root", ADMINISTRATOR))
    with portal.services.sessions() as session:
        wanted = [
            ImportEntry(
                where=f"individuals.{number}", login=login, account_id=None, signed_at=context["at"], version="1.0"
            )
            for number, (login, _) in enumerate(people)
        ]
        rows = imported.add(RecordContext(session, portal.services.vault, None, portal.at, portal.services.new_id), wanted, source)  # fmt: skip
        ids = [row.id for row in rows]
    for entry_id, (login, number) in zip(ids, people, strict=True):
        with portal.services.sessions() as session:
            made = RecordContext(session, portal.services.vault, None, portal.at, portal.services.new_id)
            import_decisions.settle(made, entry_id, Account(number, login), portal.at)
    return ids


def counts(office):
    """How many entries are in each state."""
    with office.portal.services.sessions() as session:
        return dict(import_decisions.counts(session))


def test_entries_that_count(office, entries):
    """For the accounts that were proposed; nobody confirms themselves."""
    page = send(office, "confirm", IMPORTS, *entries).text
    assert "bob (number 12)" in page
    assert f"root (number {ADMINISTRATOR})" not in page
    send(office, "confirm", IMPORTS, *entries, confirmed="yes", reason="They told us")
    assert counts(office) == {COUNTED: 2, DOUBTFUL: 1}
    assert [one.kind for one in office.entries()][:2] == ["login.confirmed"] * 2
    assert "Left out: root" in office.root.get(IMPORTS).text


def test_entries_that_are_refused(office, entries):
    """All of them, each with its entry of the log; twice changes nothing."""
    for _ in range(2):
        send(office, "refuse", IMPORTS, *entries, confirmed="yes", reason="A doubtful list")
    assert counts(office) == {REFUSED: 3}
    assert [one.kind for one in office.entries()][:3] == ["login.refused"] * 3


@pytest.mark.parametrize(("path", "page"), [("approve", DOMAINS), ("confirm", IMPORTS), ("refuse", IMPORTS)])
def test_nothing_selected(office, path, page):
    """The list says so; an auditor finds no such page."""
    assert send(office, path, page, confirmed="yes", reason="x").headers["Location"] == page
    assert "Select at least one entry" in office.root.get(page).text
    assert send(office, path, page, "a1", browser=office.eye).status_code == 404
