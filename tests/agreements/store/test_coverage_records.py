"""The records of a decision, read at once, equal the records read one by one."""

from datetime import timedelta

import pytest
from sqlalchemy import event
from sqlmodel import select

from agreements.facts import Account, Entry, Signature
from agreements.store import coverage_records
from agreements.store.companies import company_agreements
from agreements.store.ledger.row_check import RowCheck
from agreements.store.people import emails, person_rows, signatures, withdrawals
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import Withdrawal
from tests.agreements.store.company import add_company
from tests.agreements.store.ledger.test_row_codes import forge
from tests.logged import log_rows
from tests.within import within

CATALOG = {(agreement, "2.0", "en", "a" * 64) for agreement in ("icla", "ccla")}
MAILED = "mailed-code"


@pytest.fixture(name="asked")
def _asked(session, vault, at):
    """Asks about accounts and addresses."""

    def asked(ids, addresses=()):
        log_rows(session, vault)
        return coverage_records.records(
            RowCheck(session.connection(), vault), ids, addresses, accepted=CATALOG, at=at, now=at
        )

    return asked


@pytest.fixture(name="sign")
def _sign(session, vault, at, fresh, draft):
    """Lets people sign, who are known from then on."""

    def sign(*account_ids):
        for account_id in account_ids:
            person_record = person_rows.ensure(within(session, vault, at, fresh), Account(account_id, "x"))
            signatures.add(within(session, vault, at, fresh), person_record, draft(), receipt=f"R-{fresh()}")
        return person_record

    return sign


@pytest.fixture(name="company")
def _company(session, vault, at):
    """A maker of countersigned companies that name by these entries."""

    def company(name, *entries):
        add_company(session, vault, at, name, *entries)

    return company


@pytest.fixture(name="prove")
def _prove(session, vault, at, fresh):
    """Proves an address for a person."""

    def prove(person, address, how=MAILED, until=None):
        proven = ProvenAddress(address=address, how=how, at=at, until=until)
        emails.prove(within(session, vault, new_id=fresh), person, proven)

    return prove


def test_one_query_finds_the_same_as_reading_records_one_by_one(session, vault, sign, asked, company, prove):
    prove(sign(11), "ada@huawei.com")
    prove(sign(12), "bo@historic.org", how="github-verified")
    company("Proven", Entry(domain="huawei.com"))
    company("Linked", Entry(domain="linked.org"), Entry(email="ada@huawei.com"))
    company("Account", Entry(account_id=12))
    company("Historic", Entry(domain="historic.org"))
    company("Nobody", Entry(account_id=99))

    found = asked([12, 11], ["x@Linked.org", "no address"])

    assert found.signatures == signatures.of(session, [11, 12], accepted=CATALOG)
    assert [signature.account_id for signature in found.signatures] == [11, 12]
    assert found.emails == {11: ("ada@huawei.com",)}
    assert found.companies == company_agreements.relevant(
        session, vault, [11, 12], ["x@linked.org", "ada@huawei.com"], accepted=()
    )
    assert [(firm.name, len(firm.covers)) for firm in found.companies] == [("Account", 1), ("Linked", 2), ("Proven", 1)]


def test_a_company_that_signed_another_text_covers_no_person(session, vault, sign, asked, company, draft):
    ada = sign(11)
    company("Huawei", Entry(account_id=11))
    row = session.exec(select(CompanyRecord)).one()
    for key, sha256, found in (("s1", "f" * 64, []), ("s2", "a" * 64, ["Huawei"])):
        other = draft(agreement="ccla", source_sha256=sha256)
        proof = signatures.add(
            within(session, vault, row.signed_at, key), ada, other, receipt=f"R-{key}", anew=True
        ).row
        row.signature_id = proof.id
        session.flush()
        assert [firm.name for firm in asked([11]).companies] == found


def test_a_company_whose_signature_was_revoked_has_ended_and_the_row_is_missed(
    session, vault, at, person, asked, draft
):
    row = add_company(session, vault, at, "Huawei", Entry(account_id=11))
    signed = draft(agreement="ccla")
    row.signature_id = signatures.add(within(session, vault, at, "s"), person, signed, receipt="R-s", anew=True).row.id
    for ended_at, revoked_at, end in ((None, None, None), (None, 2, 2), (3, 2, 2), (1, 2, 1)):
        row.ended_at = ended_at and at + timedelta(days=ended_at)
        if revoked_at and session.get(Withdrawal, row.signature_id) is None:
            moment = at + timedelta(days=revoked_at)
            session.add(Withdrawal(signature_id=row.signature_id, at=moment, by_account_id=90, kind="revocation"))
        found = asked([11])
        assert [firm.ended_at for firm in found.companies] == [end and at + timedelta(days=end)], (ended_at, revoked_at)
        relevant = company_agreements.relevant(session, vault, [11], (), accepted=CATALOG)
        assert [firm.ended_at for firm in relevant] == [firm.ended_at for firm in found.companies]
    assert found.unlogged == ()
    forge(session, vault, "DELETE FROM withdrawal")
    gone = asked([11])
    assert [(firm.name, firm.logged) for firm in gone.companies] == [("Huawei", False)]
    assert gone.unlogged == (("withdrawal", row.signature_id),)


def test_the_database_is_asked_once_or_once_more_for_a_proven_address(engine, session, vault, at, person, prove):
    prove(person, "ada@huawei.com")
    log_rows(session, vault)
    times = []
    event.listen(engine, "before_cursor_execute", lambda *_: times.append(1))
    for addresses, expected in (([], 2), (["ada@huawei.com"], 1), (["ADA@Huawei.com."], 1), (["ada@other.org"], 2)):
        times.clear()
        coverage_records.records(
            RowCheck(session.connection(), vault), [11], addresses, accepted=CATALOG, at=at, now=at
        )

        assert len(times) == expected


def test_more_accounts_and_addresses_than_one_query_takes_are_all_found(at, sign, asked, company):
    sign(3, 700, 1400)
    company("Late", Entry(domain="z1999.org"), Entry(account_id=1499))

    found = asked(range(1, 1501), [f"a@z{number}.org" for number in range(1000, 2000)])

    assert found.signatures == tuple(
        Signature(agreement="icla", version="2.0", account_id=account_id, party="The CANN Authors", signed_at=at)
        for account_id in (3, 700, 1400)
    )
    assert [len(firm.covers) for firm in found.companies] == [2]


def test_no_ids_and_no_addresses_find_nothing(session, at, person, asked, company, prove):
    company("All", Entry(account_id=11), Entry(domain="huawei.com"))
    prove(person, "ada@huawei.com", until=at + timedelta(days=1))
    prove(person, "ada@github.org", how="github-verified")

    assert asked([]) == coverage_records.Records((), {}, ())
    assert asked([], ["ada@huawei.com"]).companies[0].covers == (Entry(domain="huawei.com"),)
    assert asked([11]).emails == {11: ("ada@huawei.com",)}
    for key in (None, 0, True):
        with pytest.raises(ValueError, match="account id"):
            asked([key])
    with pytest.raises(ValueError, match="not None"):
        asked([11], [None])


def test_a_signature_made_after_the_asked_moment_keeps_its_moment(session, vault, at, sign):
    sign(11)
    records = coverage_records.records(
        RowCheck(session.connection(), vault), [11], (), accepted=CATALOG, at=at - timedelta(days=9), now=at
    )
    assert [row.signed_at for row in records.signatures] == [at]


def test_records_by_a_clock_that_was_ahead_count_from_now_on(session, vault, asked, at, fresh, draft):
    late, receipt = at + timedelta(hours=1), f"R-{fresh()}"
    person_record = person_rows.ensure(within(session, vault, late, fresh), Account(11, "x"))
    signatures.add(within(session, vault, late, fresh), person_record, draft(), receipt=receipt)
    assert [(row.signed_at, row.withdrawn_at) for row in asked([11]).signatures] == [(at, None)]

    withdrawals.withdraw(within(session, vault, late, by=11), receipt)
    assert [(row.signed_at, row.withdrawn_at) for row in asked([11]).signatures] == [(at, at)]
