"""Concurrent changes of one company or one domain wait for each other, on both databases."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from itertools import count
from threading import Barrier

import pytest

from agreements.facts import Account, Entry
from agreements.store.companies import companies, company_rows, domain_claims, managers
from agreements.store.companies.companies import DomainRefused
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.tables.company_records import CompanyRecord
from tests.agreements.store.company import add_company
from tests.within import within


@pytest.fixture(name="two")
def _two(sessions, vault, at):
    """Two companies: ada, bob and cy look after the first, dan and eve after the second."""
    with sessions() as session:
        for company_id, people in (("c1", (11, 12, 13)), ("c2", (14, 15))):
            company = add_company(session, vault, at, company_id)
            for number in people:
                account = Account(number, f"p{number}")
                managers.office(within(session, vault, at, f"m{number}".__str__, by=number), company, account)


def at_once(*deeds):
    """Begin all of them together; how many were not refused."""
    ready = Barrier(len(deeds))

    def do(deed):
        ready.wait()
        with suppress(CompanyRefused, DomainRefused):
            deed()
            return 1
        return 0

    with ThreadPoolExecutor(len(deeds)) as pool:
        return sum(pool.map(do, deeds))


def test_of_two_managers_who_leave_at_once_one_must_name_a_successor(sessions, two, vault, at):
    def leaves(account_id):
        def deed():
            with sessions() as session:
                ids = (f"l{account_id}-{number}" for number in count())
                managers.leave(within(session, vault, at, ids.__next__, by=account_id), "c1", account_id)

        return deed

    assert at_once(leaves(11), leaves(12)) == 1
    with sessions() as session:
        assert len(managers.in_office(session, "c1", at=at)) == 2


def test_of_two_companies_that_prove_one_domain_at_once_one_gets_it(sessions, two, vault, at):
    ids = map("x{}".format, count())
    claims = []
    with sessions() as session:
        for company_id, by in (("c1", 11), ("c2", 14)):
            context = within(session, vault, at, ids.__next__, by=by)
            claims.append(domain_claims.claim(context, company_id, "huawei.com", addresses=["a@huawei.com"]))

    def proves(claim_id):
        def deed():
            with sessions() as session:
                mine = (f"{claim_id}-{number}" for number in count())
                domain_claims.prove(within(session, vault, at, mine.__next__, by=11), claim_id)

        return deed

    assert at_once(*map(proves, claims)) == 1
    with sessions() as session:
        assert [domain_claims.held(session, key, at=at) for key in ("c1", "c2")].count(("huawei.com",)) == 1


@pytest.mark.parametrize("look_up", [company_rows.find, company_rows.locked])
def test_an_unknown_company_or_an_empty_id_is_an_error(sessions, look_up):
    with sessions() as session:
        with pytest.raises(LookupError, match="no such company"):
            look_up(session, "nobody")
        with pytest.raises(ValueError, match="key"):
            look_up(session, "")


def test_a_company_is_over_from_the_moment_of_its_end(at):
    company = CompanyRecord(ended_at=at)
    assert company_rows.is_over(company, at)
    assert not company_rows.is_over(company, at - timedelta(microseconds=1))
    assert not company_rows.is_over(CompanyRecord(ended_at=None), at)


@pytest.fixture(name="company")
def _company(session, vault, at):
    """One that was countersigned a day after it was signed."""
    return add_company(session, vault, at, name="Huawei", countersigned_at=at + timedelta(days=1))


def test_a_company_fact_is_in_force_from_the_later_signature_and_sorts_its_entries(session, vault, at, company):
    entries = [
        companies.add_entry(within(session, vault, at, "e1"), company, Entry(email="a@b.org")),
        companies.add_entry(within(session, vault, at, "e2"), company, Entry(account_id=7), excluded=True),
    ]
    fact = company_rows.fact(vault, company, entries, party="The CANN Authors")

    assert fact.party == "The CANN Authors"
    assert fact.signed_at == at + timedelta(days=1)
    assert fact.covers == (Entry(email="a@b.org"),)
    assert fact.excludes == (Entry(account_id=7),)
