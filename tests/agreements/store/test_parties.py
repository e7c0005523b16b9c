"""An agreement of an unknown party does not count until its party is decided once and logged."""

import pytest
from sqlalchemy import text
from sqlmodel import select

from agreements import ledger
from agreements.facts import Account, Entry
from agreements.store import parties
from agreements.store.companies import companies, company_agreements
from agreements.store.ledger import stored_ledger
from agreements.store.people import person_rows, signatures
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import PartyRecord
from tests.agreements.store.company import add_company
from tests.logged import log_rows
from tests.within import within

CATALOG = [("icla", "2.0", "en", "a" * 64)]


@pytest.fixture(name="sign")
def _sign(session, vault, at, draft, fresh):
    """Has an account sign; as an earlier release did it unless a party is named."""

    def sign(account_id, *, party=None, **changes):
        person = person_rows.ensure(within(session, vault, at, fresh), Account(account_id, f"u{account_id}"))
        made = draft(party=party, **changes)
        return signatures.add(within(session, vault, at, fresh), person, made, receipt=f"R{account_id}-{fresh()}")

    return sign


@pytest.fixture(name="context")
def _context(session, vault, at, fresh):
    """Who changes the records: the account with that number, or no account."""
    return lambda by=None: within(session, vault, at, fresh, by=by)


def counting(session, *accounts):
    """What counts of these accounts: account and party."""
    return [(signature.account_id, signature.party) for signature in signatures.of(session, accounts, accepted=CATALOG)]


def test_a_record_without_a_party_counts_only_after_its_party_is_decided(session, sign, context):
    signed = sign(11)
    assert counting(session, 11) == []
    assert parties.count(session) == 1
    (found,) = parties.groups(session)

    assert parties.decide(context(), found.group, " The  CANN Authors ") == [11]
    assert counting(session, 11) == [(11, "The CANN Authors")]
    assert (parties.count(session), parties.groups(session)) == (0, ())
    assert [signature.party for signature in signatures.mine(session, 11)] == ["The CANN Authors"]
    row = session.exec(select(PartyRecord)).one()
    assert (row.signature_id, row.how, row.by_account_id) == (signed.row.id, "derived", None)


def test_a_party_is_decided_and_logged_once(session, sign, context):
    sign(11)
    (found,) = parties.groups(session)
    parties.decide(context(), found.group, "One")
    assert parties.decide(context(90), found.group, "Two") == []
    assert counting(session, 11) == [(11, "One")]
    assert [entry.kind for entry in session.exec(select(LedgerEntry))] == ["party.derived"]


def test_the_same_text_with_another_party_is_another_signature(session, vault, sign):
    assert sign(11, party="One").new
    assert sign(11, party="Two").new
    log_rows(session, vault)
    assert not sign(11, party=" One ").new
    assert sign(12).new
    assert sign(12, party="One").new
    assert counting(session, 11, 12) == [(11, "One"), (11, "Two"), (12, "One")]


def test_records_made_in_the_same_way_are_decided_together(session, sign, context, monkeypatch):
    monkeypatch.setattr(parties, "BATCH_DECISIONS", 2)
    for account_id in (1, 2, 3):
        sign(account_id)
    other = sign(4, shown_sha256="f" * 64).row
    first, second = parties.groups(session)
    assert [(bundle.count, bundle.group.shown_sha256[0]) for bundle in (first, second)] == [(3, "b"), (1, "f")]

    assert len(parties.decide(context(90), first.group, "One")) == 2
    assert len(parties.decide(context(90), first.group, "One")) == 1
    assert parties.decide(context(90), first.group, "One") == []
    assert parties.decide(context(90), second.group, "One", receipts=["another"]) == []
    assert parties.decide(context(90), second.group, "Two", receipts=[other.receipt]) == [4]
    assert counting(session, 1, 2, 3, 4) == [(1, "One"), (2, "One"), (3, "One"), (4, "Two")]
    assert parties.counts(session) == {"One": 3, "Two": 1}
    assert parties.known(session) == ("One", "Two")


def test_the_first_undecided_signatures_of_each_group_are_listed(session, sign, context):
    rows = [sign(account_id).row for account_id in (1, 2, 3)]
    other, decided = sign(4, shown_sha256="f" * 64).row, sign(5, shown_sha256="e" * 64).row
    groups = {group.group.shown_sha256[0]: group.group for group in parties.groups(session)}
    parties.decide(context(90), groups.pop("e"), "One", receipts=[decided.receipt])
    first = sorted(rows, key=lambda row: row.id)[:2]

    assert parties.first_of_each(session, most=2) == {
        groups["b"]: [(row.receipt, row.account_id, row.signed_at) for row in first],
        groups["f"]: [(other.receipt, 4, other.signed_at)],
    }


def test_no_administrator_decides_about_their_own_record(session, sign, context):
    sign(90)
    (found,) = parties.groups(session)
    assert parties.decide(context(90), found.group, "One") == []
    assert parties.decide(context(91), found.group, "One") == [90]


def test_a_company_has_the_party_of_its_signature_or_a_decision_of_its_own(session, vault, at, asking, context, draft):
    asking("c1", party="One")
    asking("c2", name="Other", party=None)
    add_company(session, vault, at, "c3", party=None, name="Imported", countersigned_at=None)
    assert [company_agreements.party(session, key) for key in ("c1", "c2", "c3")] == ["One", None, None]
    assert [company.id for company in parties.companies(session)] == ["c3"]

    assert parties.decide_company(context(90), "c3", "Two")
    assert not parties.decide_company(context(90), "c3", "Three")
    assert not parties.decide_company(context(90), "c1", "Three")
    (found,) = parties.groups(session)
    parties.decide(context(), found.group, "Four")
    assert [company_agreements.party(session, key) for key in ("c1", "c2", "c3")] == ["One", "Four", "Two"]


def test_a_company_without_a_party_covers_no_person_and_keeps_its_domain(session, vault, at, context):
    add_company(session, vault, at, "c1", Entry(account_id=11), party=None)
    assert company_agreements.relevant(session, vault, [11], (), accepted=CATALOG) == ()

    parties.decide_company(context(90), "c1", "One")
    (found,) = company_agreements.relevant(session, vault, [11], (), accepted=CATALOG)
    assert found.party == "One"


def test_a_domain_may_be_held_once_with_each_party(session, vault, at):
    made = []
    for key, party in (("c1", "One"), ("c2", "Two"), ("c3", "One")):
        made.append(add_company(session, vault, at, key, party=party))
    companies.add_entry(within(session, vault, at, "e1"), made[0], Entry(domain="huawei.com"))

    assert not companies.taken(session, made[1], "huawei.com", at, subdomains=True)
    assert companies.taken(session, made[2], "huawei.com", at, subdomains=True)
    assert not companies.taken(session, None, "huawei.com", at, subdomains=True, with_whom="Two")
    assert companies.taken(session, None, "huawei.com", at, subdomains=True, with_whom="One")
    assert companies.taken(session, None, "huawei.com", at, subdomains=True)


def test_rows_of_the_release_before_keep_their_hashes_without_the_party(session, sign):
    row = sign(11).row
    before = {name: value for name, value in row.model_dump().items() if name != "party"}

    assert stored_ledger.written(row).sha256 == ledger.row_hash(before)
    assert stored_ledger.written(type(row)(**{**before, "party": "One"})).sha256 != ledger.row_hash(before)


@pytest.mark.parametrize("statement", ["UPDATE agreement_party SET party = 'Two'", "DELETE FROM agreement_party"])
def test_the_database_refuses_to_change_a_decision(session, sign, context, statement):
    sign(11)
    (found,) = parties.groups(session)
    parties.decide(context(), found.group, "One")
    with pytest.raises(Exception, match="never change"):
        session.execute(text(statement))
    session.rollback()
