"""Whom a company touches: everybody whom any entry of any time could mean."""

from datetime import timedelta

import pytest

from agreements.facts import Entry
from agreements.github_server import GITHUB_COM, github_server
from agreements.store.companies import companies, company_reach
from agreements.store.companies.companies import CompanyDraft


@pytest.fixture(name="reach")
def _reach(session, vault, at, fresh):
    """A company that names one domain, one address, one account, and excluded another once."""
    draft = CompanyDraft(party="The CANN Authors", name="Huawei", agreement="ccla", version="2.0", signed_at=at)
    company = companies.add(session, vault, draft, new_id="c1")
    for entry in (Entry(domain="huawei.com"), Entry(email="bo@partner.org"), Entry(account_id=77, until=at)):
        companies.add_entry(session, vault, company, entry, at=at, new_id=fresh())
    gone = Entry(account_id=78, since=at + timedelta(days=99))
    companies.add_entry(session, vault, company, gone, at=at, new_id=fresh(), excluded=True)
    return company_reach.of(session, vault, "c1")


@pytest.mark.parametrize(
    ("accounts", "addresses", "touched"),
    [
        ([77], [], True),
        ([1, 78], [], True),
        ([1], ["BO@Partner.org."], True),
        ([], ["a@rd.huawei.com"], True),
        ([79], ["x@partner.org", "a@evilhuawei.com", "", "huawei.com", "a@@huawei.com"], False),
        ([], [], False),
    ],
)
def test_whom_it_touches(reach, accounts, addresses, touched):
    """By account, by address in any spelling, from below a domain; entries that are over or not yet count as well."""
    assert reach.touches(accounts, addresses, GITHUB_COM) is touched


def test_an_unknown_company_touches_nobody(session, vault):
    """Its job has come too late, or is a mistake."""
    reach = company_reach.of(session, vault, "c2")
    assert not reach.touches([77], ["a@huawei.com"], GITHUB_COM)


@pytest.mark.parametrize("host", ["huawei.com", "ghe.huawei.com", "ghe.rd.huawei.com"])
def test_nobody_by_the_no_reply_addresses_of_the_server(reach, host):
    """They may lie below the company's own domain, and everybody has one; a number that is named is another thing."""
    server = github_server(host)
    assert not reach.touches([], [f"5+eve@{server.noreply_domain}", f"eve@{server.noreply_domain}"], server)
    assert reach.touches([], [f"5+eve@{server.noreply_domain}"], GITHUB_COM)
    assert reach.touches([77], [], server)
