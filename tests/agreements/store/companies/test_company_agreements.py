"""A company covers from its countersignature on; a decision reads only the entries that touch its people."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import event
from sqlalchemy.orm import object_session
from sqlmodel import select

from agreements.facts import Entry
from agreements.store.companies import companies, company_agreements
from agreements.store.people import signatures
from agreements.store.people.signatures import EXTERNAL_TEXT
from agreements.store.tables.company_records import CompanyEntry
from agreements.vault import DecryptionFailed, KeyRing, Vault
from tests.agreements.store.company import add_company
from tests.within import within


@pytest.fixture(name="company")
def _company(session, vault, at, fresh):
    """A maker of countersigned companies with entries; the excluded ones come second."""

    def company(name="Huawei", covers=(), excludes=(), **changes):
        return add_company(session, vault, at, fresh(), *covers, name=name, excludes=excludes, **changes)

    return company


@pytest.fixture(name="touched")
def _touched(session, vault):
    """The entries that touch someone, as (company, covers, excludes)."""

    def touched(ids=(), addresses=()):
        return [
            (c.name, c.covers, c.excludes)
            for c in company_agreements.relevant(session, vault, ids, addresses, accepted=())
        ]

    return touched


def test_each_kind_of_entry_is_found_by_account_address_or_domain(company, touched):
    company("Accounts", [Entry(account_id=11), Entry(account_id=12)])
    company("Addresses", [Entry(email="Ada@Partner.org"), Entry(email="bo@partner.org")])
    company("Domains", [Entry(domain="Huawei.com"), Entry(domain="example.net", subdomains=False)])
    assert touched([11]) == [("Accounts", (Entry(account_id=11),), ())]
    assert touched([], ["ADA@partner.org."]) == [("Addresses", (Entry(email="ada@partner.org"),), ())]
    assert touched([], ["a@rd.x.huawei.com"]) == [("Domains", (Entry(domain="huawei.com"),), ())]
    assert touched([], ["a@example.net"]) == [("Domains", (Entry(domain="example.net", subdomains=False),), ())]
    assert touched([12], ["bo@partner.org", "x@huawei.com"]) == [
        ("Accounts", (Entry(account_id=12),), ()),
        ("Addresses", (Entry(email="bo@partner.org"),), ()),
        ("Domains", (Entry(domain="huawei.com"),), ()),
    ]
    assert (
        touched([13], ["eve@partner.org", "a@huawei.com.cn", "a@evilhuawei.com", "a@com", "a@huawei.com.evil.org"])
        == []
    )


def test_invalid_addresses_touch_no_company_and_none_is_an_error(company, touched):
    company("Huawei", [Entry(domain="huawei.com"), Entry(account_id=11), Entry(email="a@b.org")])
    assert touched() == touched([], ["", " ", "a@@huawei.com", '"a"@huawei.com', "huawei.com", "@huawei.com"]) == []
    with pytest.raises(ValueError, match="not None"):
        touched([], [None])
    with pytest.raises(ValueError, match="account id"):
        touched([None])


def test_exclusions_and_periods_of_the_asked_people_are_returned_as_given(company, touched, at):
    until = at + timedelta(days=30)
    company(
        "Huawei",
        [Entry(domain="huawei.com", since=at, until=until), Entry(account_id=99)],
        [
            Entry(account_id=11, since=until),
            Entry(email="eve@huawei.com"),
            Entry(account_id=98),
            Entry(domain="qq.com"),
        ],
    )
    assert touched([11], ["eve@huawei.com"]) == [
        (
            "Huawei",
            (Entry(domain="huawei.com", since=at, until=until),),
            (Entry(account_id=11, since=until), Entry(email="eve@huawei.com")),
        )
    ]


def test_a_company_counts_from_the_later_of_the_two_signatures(session, vault, at, company, touched):
    row = company("Huawei", [Entry(account_id=11)], countersigned_at=None, domains="enrolled")
    assert touched([11]) == []
    later = at + timedelta(days=9)
    row.countersigned_at = later
    (found,) = company_agreements.relevant(session, vault, [11], [], accepted=())
    assert (found.name, found.agreement, found.version, found.signed_at) == ("Huawei", "ccla", "2.0", later)
    assert (found.ended_at, found.domains) == (None, "enrolled")


@pytest.mark.parametrize(
    ("signed", "counts"),
    [
        ({}, True),
        ({"source_sha256": "b" * 64}, False),
        ({"language": "zh"}, False),
        ({"source_sha256": EXTERNAL_TEXT, "language": "und", "identity_proof": "administrator"}, True),
        ({"source_sha256": EXTERNAL_TEXT, "language": "und", "identity_proof": "github-oauth"}, False),
    ],
)
def test_the_signed_text_must_be_in_the_catalog(company, vault, person, draft, signed, counts):
    row = company(covers=[Entry(account_id=11)])
    session, evidence = object_session(row), draft(agreement="ccla", **signed)
    proof = signatures.add(within(session, vault, row.signed_at, "s1"), person, evidence, receipt="R-1", anew=True).row
    row.signature_id, texts = proof.id, [("ccla", "2.0", "en", "a" * 64)]
    for version, expected in (("2.0", counts), ("3.0", counts and "language" in signed)):
        row.version = version
        session.flush()
        found = company_agreements.relevant(session, vault, [11], [], accepted=texts)
        assert [firm.name for firm in found] == ["Huawei"] * expected
        assert company_agreements.without_text(session, accepted=texts) == (set() if expected else {row.id})
        agreed = company_agreements.with_agreement(session, [row.id, "unknown"], accepted=texts)
        assert {key: firm.text_missing for key, firm in agreed.items()} == {row.id: not expected}
    assert company_agreements.relevant(session, vault, [11], [], accepted=None)


def test_an_ended_company_or_entry_is_returned_with_its_end(session, vault, at, company):
    """The judge then says "company ended"."""
    row = company("Huawei", domains="linked")
    entry = companies.add_entry(within(session, vault, at, "e1"), row, Entry(account_id=11))
    row.ended_at = entry.until = at + timedelta(days=3)
    (found,) = company_agreements.relevant(session, vault, [11], [], accepted=())
    assert found.ended_at == found.covers[0].until == at + timedelta(days=3)


def test_an_address_moved_to_another_entry_does_not_open(session, company, touched):
    company("One", [Entry(email="a@b.org"), Entry(email="c@d.org")])
    first, second = session.exec(select(CompanyEntry)).all()
    first.email, second.email = second.email, first.email
    session.flush()
    with pytest.raises(DecryptionFailed):
        touched([], ["a@b.org"])


def test_entries_are_found_while_keys_rotate(session, at):
    old, new = KeyRing.generate("old"), KeyRing.generate("new")
    before, during, after = (Vault(KeyRing.parse(text)) for text in (old, f"{new}\n{old}", new))
    add_company(session, before, at, "c1", Entry(email="a@b.org"))
    assert company_agreements.relevant(session, during, [], ["a@b.org"], accepted=())[0].covers == (
        Entry(email="a@b.org"),
    )
    assert company_agreements.relevant(session, after, [], ["a@b.org"], accepted=()) == ()


def test_no_query_of_a_decision_reads_a_whole_table(engine, session, vault, company, touched):
    company("Huawei", [Entry(domain="huawei.com"), Entry(account_id=11), Entry(email="a@b.org")])
    asked = []
    event.listen(
        engine, "before_cursor_execute", lambda _c, _cur, sql, values, _ctx, _many: asked.append((sql, values))
    )
    touched([11], ["a@b.org", "a@huawei.com"])
    queries = tuple(asked)
    assert len(queries) == 1
    connection = session.connection()
    if engine.dialect.name == "postgresql":
        connection.exec_driver_sql("SET enable_seqscan = off")
    explain = "EXPLAIN QUERY PLAN " if engine.dialect.name == "sqlite" else "EXPLAIN "
    for sql, values in queries:
        plan = " ".join(str(row) for row in connection.exec_driver_sql(explain + sql, values))
        assert len(set(re.findall(r"ix_company_entry_\w+", plan))) == 3
        assert "SCAN company_entry" not in plan
        assert "Seq Scan on company_entry" not in plan
