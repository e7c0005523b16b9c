"""An administrator decides imported logins with a reason; auditors read; each decision is one entry of the log."""

from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.imports.entries import ImportEntry
from agreements.store.companies import domain_claims
from agreements.store.imports import import_decisions, imported
from agreements.store.imports.imported import COUNTED, DOUBTFUL, REFUSED, ImportSource
from agreements.store.people import person_rows, signatures
from agreements.store.record_context import RecordContext
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import Erasure
from bot.job_queue import Job
from tests.bot.conftest import ADMINISTRATOR

PATH = "/admin/imports"


@pytest.fixture(name="entry")
def _entry(portal):
    """The id of bob's entry, whose account is younger than the signature."""
    services = portal.services
    source = ImportSource(party="The CANN Authors", format="plain", sha256="f" * 64, agreement="icla")
    signed = portal.at - timedelta(days=10)
    with services.sessions() as session:
        import_entry = ImportEntry(
            where="individuals.0", login="bob", account_id=None, name="Bob B", signed_at=signed, version="1.0"
        )
        (row,) = imported.add(
            RecordContext(session, services.vault, None, portal.at, services.new_id), [import_entry], source
        )
    with services.sessions() as session:
        import_decisions.settle(
            RecordContext(session, services.vault, None, portal.at, services.new_id),
            row.id,
            Account(12, "bob"),
            portal.at,
        )
    return row.id


@pytest.fixture(name="root")
def _root(portal):
    """The administrator's browser."""
    return portal.signed_in(id=90, login="root")


def last(portal):
    with portal.services.sessions() as session:
        row = session.exec(select(LedgerEntry).order_by(LedgerEntry.number.desc())).first()
        return row.number, row.kind, row.actor_id


def test_a_confirmed_login_counts_at_once_and_its_pull_requests_are_judged_again(portal, root, entry):
    pull = portal.pull(of=(12,))
    page = root.get(PATH).text
    assert "created after the signature" in page
    assert "Bob B" in page
    form = {"csrf_token": portal.proof(root, PATH), "account_id": "12", "reason": "He told me"}
    assert root.post(f"{PATH}/{entry}/confirm", data=form).status_code == 302

    with portal.services.sessions() as session:
        assert len(signatures.of(session, [12], accepted=[])) == 1
    assert last(portal) == (3, "login.confirmed", 90)
    assert {Job("review", (pull,), "later"), Job("recheck", (12,), "later")} <= set(portal.engine.waiting)
    assert root.post(f"{PATH}/{entry}/confirm", data=form).status_code == 404


def test_an_account_number_that_is_not_the_proposed_one_is_asked_at_github(portal, root, entry):
    form = {"csrf_token": portal.proof(root, PATH), "account_id": "12345", "reason": "He told me"}
    answer = root.post(f"{PATH}/{entry}/confirm", data=form)
    assert (answer.status_code, "There is no GitHub account with this number." in answer.text) == (400, True)
    assert root.post(f"{PATH}/{entry}/confirm", data=form | {"account_id": "13"}).status_code == 302
    with portal.services.sessions() as session:
        assert person_rows.find(session, 13).login == "carol"


def test_the_entry_of_an_erased_person_shows_the_login_without_a_name(portal, root):
    services = portal.services
    source = ImportSource(party="The CANN Authors", format="plain", sha256="f" * 64, agreement="icla")
    with services.sessions() as session:
        session.add(Erasure(id="e1", account_id=1005, asked_at=portal.at, state="deleted"))
        import_entry = ImportEntry(
            where="x", login="lin", account_id=1005, name="Lin L", signed_at=portal.at, version="1.0"
        )
        (row,) = imported.add(
            RecordContext(session, services.vault, None, portal.at, services.new_id), [import_entry], source
        )
        entry = row.id
    page = root.get(PATH).text
    assert "This person had their data erased here." in page
    assert ("<h3>lin</h3>" in page, "Lin L" in page) == (True, False)
    form = {"csrf_token": portal.proof(root, PATH), "reason": "They may sign again"}
    assert root.post(f"{PATH}/{entry}/refuse", data=form).status_code == 302
    assert last(portal)[1:] == ("login.refused", 90)


def test_a_refused_login_is_listed_with_its_reason(portal, root, entry):
    form = {"csrf_token": portal.proof(root, PATH), "reason": "Somebody else"}
    assert root.post(f"{PATH}/{entry}/refuse", data=form).status_code == 302
    assert last(portal) == (3, "login.refused", 90)
    assert "Somebody else" in root.get(f"{PATH}?state=refused").text


@pytest.mark.parametrize(
    ("deed", "changed", "field"),
    [
        ("confirm", {"account_id": ""}, "account-"), ("confirm", {"account_id": "x"}, "account-"),
        ("confirm", {"account_id": "90"}, "account-"), ("confirm", {"reason": " "}, "reason-"),
        ("refuse", {"reason": ""}, "reason-"), ("refuse", {"reason": "x" * 2001}, "reason-"),
    ],
)  # fmt: skip
def test_mistakes_are_shown_at_their_field_and_decide_nothing(portal, root, entry, deed, changed, field):
    form = {"csrf_token": portal.proof(root, PATH), "account_id": "12", "reason": "x"} | changed
    answer = root.post(f"{PATH}/{entry}/{deed}", data=form)
    assert (answer.status_code, f'href="#{field}{entry}"' in answer.text, last(portal)[0]) == (400, True, 2)


def test_an_administrator_asks_github_again_for_all_waiting_logins(portal, root):
    services = portal.services
    source = ImportSource(party="The CANN Authors", format="plain", sha256="f" * 64, agreement="icla")
    with services.sessions() as session:
        import_entry = ImportEntry(where="x", login="eve", account_id=None, signed_at=portal.at, version="1.0")
        (row,) = imported.add(
            RecordContext(session, services.vault, None, portal.at, services.new_id), [import_entry], source
        )
    form = {"csrf_token": portal.proof(root, f"{PATH}?state=waiting")}
    assert root.post(f"{PATH}/ask", data=form).status_code == 302
    assert portal.engine.waiting == (Job("resolve", (row.id,), "later"),)


def test_an_auditor_reads_imports_and_cannot_decide_them(portal, entry):
    auditor = portal.signed_in(id=91, login="olga")
    page = auditor.get(PATH).text
    assert "bob" in page
    assert f'action="{PATH}' not in page
    form = {"csrf_token": portal.proof(auditor, "/me"), "reason": "x", "account_id": "12"}
    assert auditor.post(f"{PATH}/{entry}/refuse", data=form).status_code == 404


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
        return [status.domain for status in domain_claims.pending(session, services.vault, at=office.portal.at)]


@pytest.mark.slow
def test_several_domains_are_approved_after_a_page_that_asks_for_the_reason(office, claims):
    page = send(office, "approve", DOMAINS, *claims[:2]).text
    assert "huawei.com" in page
    assert "intel.com" not in page
    assert len(waiting(office)) == 3
    assert send(office, "approve", DOMAINS, *claims[:2], confirmed="yes", reason=" ").status_code == 400
    before = len(office.entries())
    done = send(office, "approve", DOMAINS, *claims[:2], confirmed="yes", reason="known")
    assert done.headers["Location"] == DOMAINS
    assert waiting(office) == ["intel.com"]
    assert [entry.kind for entry in office.entries()][: len(office.entries()) - before] == ["domain.proven"] * 2
    assert "Decided: 2." in office.root.get(DOMAINS).text


def test_of_two_claims_of_one_domain_the_second_is_left_out_with_its_reason(office):
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


def test_several_logins_are_confirmed_but_not_the_administrators_own(office, entries):
    page = send(office, "confirm", IMPORTS, *entries).text
    assert "bob (number 12)" in page
    assert f"root (number {ADMINISTRATOR})" not in page
    send(office, "confirm", IMPORTS, *entries, confirmed="yes", reason="They told us")
    assert counts(office) == {COUNTED: 2, DOUBTFUL: 1}
    assert [entry.kind for entry in office.entries()][:2] == ["login.confirmed"] * 2
    assert "Left out: root" in office.root.get(IMPORTS).text


def test_several_logins_are_refused_once_each_with_its_entry_of_the_log(office, entries):
    for _ in range(2):
        send(office, "refuse", IMPORTS, *entries, confirmed="yes", reason="A doubtful list")
    assert counts(office) == {REFUSED: 3}
    assert [entry.kind for entry in office.entries()][:3] == ["login.refused"] * 3


@pytest.mark.parametrize(("path", "page"), [("approve", DOMAINS), ("confirm", IMPORTS), ("refuse", IMPORTS)])
def test_a_decision_of_no_entries_asks_to_select_one(office, path, page):
    assert send(office, path, page, confirmed="yes", reason="x").headers["Location"] == page
    assert "Select at least one entry" in office.root.get(page).text
    assert send(office, path, page, "a1", browser=office.eye).status_code == 404
