"""A domain of a foreign list becomes a company's record that waits for an administrator."""

import pytest
from sqlmodel import select

from agreements.facts import Entry
from agreements.imports.entries import Domain
from agreements.store.companies import companies, company_agreements, company_requests
from agreements.store.companies.companies import CompanyDraft
from agreements.store.imports import imported_companies
from agreements.store.imports.imported import ImportSource
from agreements.store.tables.ledger_records import LedgerEntry
from tests.within import within

SOURCE = ImportSource(party="The CANN Authors", format="plain", sha256="f" * 64, agreement="icla")


@pytest.fixture(name="take")
def _take(session, vault, at, fresh):
    """Plans domains and writes what is new; what the plan was."""

    def take(*names):
        listed = [Domain(f"d.{number}", name) for number, name in enumerate(names)]
        added, kept = imported_companies.plan(session, listed, party=SOURCE.party, at=at)
        for domain in added:
            imported_companies.add(within(session, vault, at, fresh), domain, SOURCE, ("ccla", "2.0"))
        return [domain.name for domain in added], kept

    return take


def test_an_imported_domain_waits_as_a_company_that_covers_no_person(session, vault, take, at):
    assert take("Huawei.com.")[0] == ["Huawei.com."]

    assert company_agreements.relevant(session, vault, [], ["a@huawei.com"], accepted=()) == ()
    company = session.exec(select(companies.CompanyRecord)).one()
    assert (company.name, company.requested_by, company.countersigned_at) == ("huawei.com", None, None)
    company.countersigned_at = at
    assert [
        company.name for company in company_agreements.relevant(session, vault, [], ["a@huawei.com"], accepted=())
    ] == ["huawei.com"]
    assert session.exec(select(LedgerEntry.kind)).all() == ["company.imported"]


def test_a_company_that_an_administrator_turned_down_frees_its_domain_for_good(session, vault, take, at, fresh):
    take("huawei.com")
    (waiting,) = company_requests.pending(session, accepted=(), at=at)
    assert (waiting.name, waiting.requested_by) == ("huawei.com", None)
    company_requests.refuse(within(session, vault, at, fresh, by=90), waiting.id, reason="not ours")
    assert company_requests.pending(session, accepted=(), at=at) == ()

    row = companies.add(
        within(session, vault, new_id="c9"),
        CompanyDraft(party="The CANN Authors", name="H", agreement="ccla", version="2.0", signed_at=at),
    )
    companies.add_entry(within(session, vault, at, "e9"), row, Entry(domain="huawei.com"))
    assert take("huawei.com")[0] == []


def test_a_domain_below_a_listed_domain_is_not_imported_again(take):
    take("rd.huawei.com", "huawei.com")
    added, kept = take("huawei.com", "rd.huawei.com")

    assert (added, [why for _, why in kept.unchanged]) == ([], ["imported before"] * 2)


@pytest.mark.parametrize(
    "name", ["gmail.com", "com.cn", "vip.qq.com", "localhost", "1.2.3.4", "*.x.org", "", "github.io", "\ud800.org"]
)
def test_a_domain_that_no_company_may_hold_is_refused_with_a_reason(take, name):
    added, kept = take(name)
    assert (added, len(kept.refused), bool(kept.refused[0].reason)) == ([], 1, True)


def test_a_domain_that_another_company_holds_is_not_imported(session, vault, take, at):
    row = companies.add(
        within(session, vault, new_id="c9"),
        CompanyDraft(party="The CANN Authors", name="H", agreement="ccla", version="2.0", signed_at=at),
    )
    companies.add_entry(within(session, vault, at, "e9"), row, Entry(domain="huawei.com"))
    row.requested_by = 12
    session.add(row)

    companies.add_entry(within(session, vault, at, "e8"), row, Entry(domain="x.below.com"))
    added, kept = take("rd.huawei.com", "other.com", "below.com")
    assert (added, [refusal.reason for refusal in kept.refused]) == (["other.com"], ["another company holds it"] * 2)
