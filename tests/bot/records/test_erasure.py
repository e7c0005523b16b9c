"""An erasure deletes a person who never signed, and keeps evidence restricted until its retention ends."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account, Entry
from agreements.store import erasures, public_records
from agreements.store.companies import companies, company_requests, company_rows
from agreements.store.erasures import DELETED, RESTRICTED, SHREDDED, DecidedErasure, ErasureRefused
from agreements.store.integrity.verification import VerificationOptions, verify
from agreements.store.ledger.stored_ledger import SERVER, Change
from agreements.store.people import emails, erasure_requests, person_rows, signatures, withdrawals
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.company_records import CompanyManager
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import Proof, Withdrawal
from bot.records.erasure import ABSENT, DONE, Erasures
from bot.store import outbox
from bot.store.outbox import Mail
from bot.store.portal_sessions import PortalSession
from tests.bot.conftest import ADMINISTRATOR
from tests.bot.jobs.inline import InlineEngine
from tests.bot.portal.company import office
from tests.bot.portal.company.conftest import asked
from tests.drafts import company_draft
from tests.tampering.history import TABLES as LOGGED
from tests.within import within


@pytest.fixture(name="erasing")
def _erasing(portal):
    """Erasing in the portal's records; evidence is kept ten years."""
    services = portal.services
    return Erasures(records=services, engine=InlineEngine(), years=10)  # fmt: skip


def known(portal, *, signs=False):
    """Ada: an address proven, a session, an open pull request; perhaps the ICLA signed. Gives her wish."""
    services = portal.services
    browser = portal.signed_in()
    portal.pull(of=(11,))
    if signs:
        assert browser.post("/sign/icla", data=portal.form(browser)).status_code == 302
    with services.sessions() as session:
        person = person_rows.ensure(within(session, services.vault, portal.at, "p-ada"), Account(11, "ada"))
        proven = ProvenAddress(address="ada@lovelace.org", how="mailed-code", at=portal.at)
        proof = emails.prove(within(session, services.vault, new_id="proof-home"), person, proven)
        logged(portal, session, "address.proven", proof)
    with services.sessions() as session:
        assert erasure_requests.ask(within(session, services.vault, portal.at, "e1", by=11))
    return "e1"


def logged(portal, session, kind, *rows):
    """Write the entry that belongs to a change."""
    change = Change(kind=kind, actor_id=11, subject=SERVER, rows=rows)
    within(session, portal.services.vault, portal.at, portal.services.new_id).append(change)


def withdraw(portal):
    """Ada takes her signature back."""
    with portal.services.sessions() as session:
        (mine,) = signatures.mine(session, 11)
        withdrawals.withdraw(within(session, portal.services.vault, portal.at, by=11), mine.receipt)
        logged(portal, session, "signature.withdrawn", session.exec(select(Withdrawal)).one())


def state(portal, erasure_id="e1"):
    """What became of the wish."""
    with portal.services.sessions() as session:
        return erasures.find(session, erasure_id)


def log(portal):
    """The kinds of the log's entries, of erasures only."""
    with portal.services.sessions() as session:
        entries = session.exec(select(LedgerEntry).order_by(LedgerEntry.number)).all()
        return [entry.kind for entry in entries if entry.kind.startswith("erasure.")]


def verified(portal):
    """The log and every row still fit."""
    with portal.services.sessions() as session:
        verify(session, portal.services.vault, LOGGED, VerificationOptions())


def outbox_emails(portal):
    """Kind and values of the e-mails that wait."""
    with portal.services.sessions() as session:
        rows = session.exec(select(Mail)).all()
        opened = [(row, outbox.opened(portal.services.vault, row)) for row in rows]
        return {row.kind: (row.account_id, email.to, email.values) for row, email in opened if email}


def slow(erasing, at):
    """The same, with a clock that is a second further each time it is read."""
    moments = (at + timedelta(seconds=number) for number in range(99))
    return replace(erasing, records=replace(erasing.records, clock=lambda: next(moments)))


def entry_at(portal, kind):
    """When the only entry of that kind was written."""
    with portal.services.sessions() as session:
        return session.exec(select(LedgerEntry.at).where(LedgerEntry.kind == kind)).one()


def test_a_deletion_has_the_time_of_its_log_entry(portal, erasing):
    slow(erasing, portal.at).delete(known(portal), by=ADMINISTRATOR)

    assert state(portal).decided_at == state(portal).done_at == entry_at(portal, "erasure.deleted")


def test_a_restriction_and_its_end_have_the_times_of_their_log_entries(portal, erasing):
    erasure_id = known(portal, signs=True)
    withdraw(portal)
    slow(erasing, portal.at).restrict(erasure_id, "legal claims", by=ADMINISTRATOR)
    slow(erasing, datetime(2047, 1, 2, tzinfo=UTC)).shred()

    row = state(portal)
    assert row.decided_at == entry_at(portal, "erasure.restricted")
    assert (row.state, row.done_at) == (SHREDDED, entry_at(portal, "erasure.shredded"))


def test_of_a_person_who_never_signed_only_request_and_log_remain(portal, erasing):
    erasure_id = known(portal)
    assert erasing.may_delete(11)
    erasing.delete(erasure_id, by=ADMINISTRATOR)

    with portal.services.sessions() as session:
        assert person_rows.find(session, 11) is None
        assert session.exec(select(Proof)).all() == []
        assert session.exec(select(PortalSession).where(PortalSession.account_id == 11)).all() == []
    row = state(portal)
    assert (row.state, row.decided_by, row.done_at) == ("deleted", ADMINISTRATOR, portal.at)
    assert outbox_emails(portal)["erasure-deleted"] == (None, "ada@lovelace.org", {"site": "http://localhost"})
    assert log(portal) == ["erasure.asked", "erasure.deleted"]
    verified(portal)
    with pytest.raises(ErasureRefused, match="decided"):
        erasing.delete(erasure_id, by=ADMINISTRATOR)


@pytest.mark.parametrize("known_here", [True, False])
def test_a_person_named_by_an_uncountersigned_company_can_be_deleted(portal, erasing, known_here):
    """Anyone can name them in a request."""
    ada = portal.signed_in()
    assert ada.post("/company/request", data=asked(ada, email="ada@example.com")).status_code == 302
    if known_here:
        office.known(portal, 12, "bob", "bob@home.example")
        with portal.services.sessions() as session:
            logged(portal, session, "address.proven", session.exec(select(Proof).where(Proof.account_id == 12)).one())
    erasure_id = erasing.order(12, "Never heard of that company", by=ADMINISTRATOR)
    assert erasing.may_delete(12)
    root = portal.signed_in(id=ADMINISTRATOR, login="root")
    assert "Delete everything" in root.get(f"/admin/erasures/{erasure_id}").text
    erasing.delete(erasure_id, by=ADMINISTRATOR)

    with portal.services.sessions() as session:
        assert [manager.account_id for manager in session.exec(select(CompanyManager))] == [11]
    assert state(portal, erasure_id).state == "deleted"
    assert not erasing.may_delete(11), "who asked has signed"
    verified(portal)


def test_a_countersignature_and_an_erasure_at_the_same_time_do_not_both_succeed(portal, erasing):
    ada = portal.signed_in()
    assert ada.post("/company/request", data=asked(ada, email="ada@example.com")).status_code == 302
    erasure_id = erasing.order(12, "Never heard of that company", by=ADMINISTRATOR)
    refused = []

    def erase():
        with pytest.raises(ErasureRefused, match="kept"):
            erasing.delete(erasure_id, by=ADMINISTRATOR)
        refused.append(True)

    services = portal.services
    with services.sessions() as session:
        company = company_rows.locked(session, session.exec(select(CompanyManager.company_id)).first())
        second = threading.Thread(target=erase)
        second.start()
        second.join(0.3)
        company_requests.countersign(
            within(session, services.vault, portal.at, services.new_id, by=90), company.id, reason="known"
        )
    second.join()
    assert refused == [True]


def test_a_person_who_signed_is_restricted_and_not_deleted(portal, erasing):
    erasure_id = known(portal, signs=True)
    assert not erasing.may_delete(11)
    with pytest.raises(ErasureRefused, match="kept"):
        erasing.delete(erasure_id, by=ADMINISTRATOR)
    erasing.restrict(erasure_id, "legal claims", by=ADMINISTRATOR)

    with portal.services.sessions() as session:
        assert person_rows.find(session, 11).restricted_at == portal.at
        assert session.exec(select(Proof)).all() == [], "no company needs an address"
        assert public_records.listing(session, accepted=(), at=portal.at + timedelta(seconds=1)).individuals == ()
        (mine,) = signatures.mine(session, 11)
        assert mine.withdrawn_at is None, "it goes on counting"
        assert signatures.receipt(session, portal.services.vault, mine.receipt, 11).draft.name == "Ada Lovelace"
    row = state(portal)
    assert (row.state, row.due_at, row.done_at) == ("restricted", datetime(2036, 11, 21, 12, tzinfo=UTC), None)
    with portal.services.sessions() as session:
        (found,) = erasure_requests.of_account(session, portal.services.vault, 11)
    assert found.reason == "legal claims"
    assert outbox_emails(portal)["erasure-restricted"] == (
        None,
        "ada@example.com",
        {"reason": "legal claims", "due": "2036-11-21", "site": "http://localhost"},
    )
    assert log(portal) == ["erasure.asked", "erasure.restricted"]
    verified(portal)


@pytest.mark.slow
def test_the_key_is_destroyed_after_retention_once_no_signature_is_in_force(portal, erasing):
    erasure_id = known(portal, signs=True)
    erasing.restrict(erasure_id, "legal claims", by=ADMINISTRATOR)
    portal.at = datetime(2037, 1, 1, tzinfo=UTC)
    erasing.shred()
    assert state(portal).state == "restricted", "the signature is in force"
    withdraw(portal)
    portal.at = datetime(2046, 12, 31, tzinfo=UTC)
    erasing.shred()
    assert state(portal).state == "restricted", "ten years after the withdrawal"
    portal.at = datetime(2047, 1, 2, tzinfo=UTC)
    erasing.shred()
    erasing.shred()

    row = state(portal)
    assert (row.state, row.done_at, row.reason) == ("shredded", portal.at, None)
    with portal.services.sessions() as session:
        person = person_rows.find(session, 11)
        assert (person.wrapped_key, person.login, person.erased_at) == (b"", "erased", portal.at)
        (mine,) = signatures.mine(session, 11)
        assert mine.erased
        view = signatures.receipt(session, portal.services.vault, mine.receipt, 11)
        assert (view.login, view.draft.name, view.draft.email) == ("", "", "")
    assert log(portal) == ["erasure.asked", "erasure.restricted", "erasure.shredded"]
    verified(portal)


def test_the_second_worker_after_retention_leaves_a_returned_persons_key_alone(portal, erasing):
    erasure_id = known(portal, signs=True)
    erasing.restrict(erasure_id, "legal claims", by=ADMINISTRATOR)
    portal.at = datetime(2060, 1, 1, tzinfo=UTC)
    with portal.services.sessions() as session:
        (mine,) = signatures.mine(session, 11)
        withdrawals.withdraw(
            within(session, portal.services.vault, datetime(2040, 1, 1, tzinfo=UTC), by=11), mine.receipt
        )
    with portal.services.sessions() as session:
        person = person_rows.find(session, 11)
        person_rows.lock(session, person)
        second = threading.Thread(target=erasing.shred)
        second.start()
        second.join(0.3)
        erasures.decide(portal.services.vault, erasures.find(session, erasure_id), SHREDDED, done_at=portal.at)
    second.join()

    with portal.services.sessions() as session:
        assert person_rows.find(session, 11).wrapped_key
    assert log(portal) == ["erasure.asked", "erasure.restricted"]


@pytest.mark.slow
def test_an_erased_person_signs_again_with_a_new_key(portal, erasing):
    erasing.restrict(known(portal, signs=True), "legal claims", by=ADMINISTRATOR)
    withdraw(portal)
    portal.at = datetime(2047, 1, 2, tzinfo=UTC)
    erasing.shred()
    assert state(portal).state == SHREDDED
    portal.later(days=1)
    browser = portal.signed_in()
    assert browser.post("/sign/icla", data=portal.form(browser)).status_code == 302

    with portal.services.sessions() as session:
        new, old = signatures.mine(session, 11)
        assert (new.erased, old.erased) == (False, True)
        assert person_rows.find(session, 11).login == "ada"
        assert public_records.listing(session, accepted=(), at=portal.at + timedelta(seconds=1)).individuals == (
            ("ada", 11),
        )
    verified(portal)
    erasing.shred()
    with portal.services.sessions() as session:
        assert person_rows.find(session, 11).wrapped_key, "one wish destroys one key"


@pytest.mark.slow
def test_an_address_by_which_a_company_covers_stays_during_a_restriction(portal, erasing):
    erasure_id = known(portal, signs=True)
    services = portal.services
    with services.sessions() as session:
        draft = company_draft("Home", portal.at, countersigned=True)
        company = companies.add(within(session, services.vault, new_id="c1"), draft)
        named = Entry(domain="lovelace.org")
        row = companies.add_entry(within(session, services.vault, portal.at, "c1e1"), company, named)
        logged(portal, session, "company.countersigned", company, *companies.party_rows(session, company), row)
    erasing.restrict(erasure_id, "legal claims", by=ADMINISTRATOR)

    with services.sessions() as session:
        assert [row.id for row in session.exec(select(Proof))] == ["proof-home"]
    verified(portal)


def test_an_administrator_orders_an_erasure_by_number_with_a_reason(portal, erasing):
    made = erasing.order(77, "court order", by=ADMINISTRATOR)
    with pytest.raises(ErasureRefused, match="decided"):
        erasing.order(77, "again", by=ADMINISTRATOR)
    with pytest.raises(ErasureRefused, match="nothing"):
        erasing.restrict(made, "why", by=ADMINISTRATOR)
    erasing.delete(made, by=ADMINISTRATOR)

    assert state(portal, made).state == "deleted"
    assert erasure_requests.reason_of(portal.services.vault, state(portal, made)) == "court order"
    assert log(portal) == ["erasure.ordered", "erasure.deleted"]
    with pytest.raises(ErasureRefused, match="unknown"):
        erasing.delete("none", by=ADMINISTRATOR)
    verified(portal)


def decided(portal, state, **words):
    """An entry of a list about Ada, as another database had it; the request that waits here stays as it is."""
    known_as = {
        "id": "e-list",
        "account_id": 11,
        "person_id": "p-ada",
        "asked_at": portal.at,
        "decided_by": ADMINISTRATOR,
        "due_at": None,
    }
    return DecidedErasure(**known_as | {"state": state, "decided_at": portal.at - timedelta(days=3)} | words)


@pytest.mark.parametrize(("signs", "done"), [(False, DELETED), (True, RESTRICTED)])
@pytest.mark.parametrize("state_of_list", [DELETED, RESTRICTED])
def test_a_repeated_erasure_keeps_evidence_held_here_and_sends_no_mail(portal, erasing, signs, done, state_of_list):
    known(portal, signs=signs)
    before = outbox_emails(portal)
    assert erasing.repeat(decided(portal, state_of_list)) == done
    row = state(portal, "e-list")
    assert (row.state, row.decided_at) == (done, portal.at - timedelta(days=3))
    assert [kind for kind in outbox_emails(portal) if kind not in before] == []
    assert log(portal)[-1] == f"erasure.{done}"
    verified(portal)


def test_a_repeated_destruction_withdraws_signatures_and_happens_once(portal, erasing):
    known(portal, signs=True)
    erasure = decided(portal, SHREDDED)
    assert erasing.repeat(erasure) == SHREDDED
    assert erasing.repeat(erasure) == DONE
    with portal.services.sessions() as session:
        (mine,) = signatures.mine(session, 11)
        assert mine.withdrawn_at is not None
        assert person_rows.is_erased(person_rows.find(session, 11))
    assert state(portal, "e-list").reason is None
    verified(portal)


def test_an_erasure_of_an_unknown_account_or_another_request_is_not_repeated(portal, erasing):
    known(portal)
    assert erasing.repeat(decided(portal, RESTRICTED, account_id=4711, person_id=None)) == ABSENT
    with pytest.raises(ErasureRefused, match="decided"):
        erasing.repeat(decided(portal, DELETED, id="e1", account_id=12))
    with portal.services.sessions() as session:
        erasure_requests.take_back(within(session, portal.services.vault, portal.at, "l-back", by=11))
    with pytest.raises(ErasureRefused, match="decided"):
        erasing.repeat(decided(portal, DELETED, id="e1"))
    verified(portal)
