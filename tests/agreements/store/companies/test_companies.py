"""A company has no gap in its agreement, and names only whom and what it may."""

from datetime import timedelta

import pytest

from agreements.facts import Entry
from agreements.store.companies import companies
from agreements.store.companies.companies import DomainRefused
from tests.agreements.store.company import add_company
from tests.within import within


@pytest.fixture(name="company")
def _company(session, vault, at, fresh):
    """A maker of countersigned companies with entries; the excluded ones come second."""

    def company(name="Huawei", covers=(), excludes=(), **changes):
        return add_company(session, vault, at, fresh(), *covers, name=name, excludes=excludes, **changes)

    return company


@pytest.mark.parametrize(
    "entry",
    [
        Entry(),
        Entry(domain="a.org", email="b@a.org"),
        Entry(domain="a.org", account_id=11),
        Entry(domain=""),
        Entry(domain="a b.org"),
        Entry(email=""),
        Entry(email="no address"),
        Entry(account_id=0),
    ],
)
def test_an_entry_with_no_key_two_keys_or_a_bad_key_is_refused(session, vault, at, company, entry):
    row = company()
    for excluded in (False, True):
        with pytest.raises(ValueError, match=r"needs|names exactly one"):
            companies.add_entry(within(session, vault, at, "e1"), row, entry, excluded=excluded)


@pytest.mark.parametrize(
    ("domain", "reason"),
    [("com.cn", "public-suffix"), ("github.io", "public-suffix"), ("qq.com", "free-mail"), ("www.huawei.com", "www")],
)
def test_public_suffixes_may_be_excluded_but_not_covered(session, vault, at, company, domain, reason):
    row = company()
    with pytest.raises(DomainRefused) as caught:
        companies.add_entry(within(session, vault, at, "e1"), row, Entry(domain=domain))
    assert caught.value.reason == reason
    companies.add_entry(within(session, vault, at, "e2"), row, Entry(domain=domain), excluded=True)


def test_a_domain_belongs_to_one_company_with_everything_below_it_until_it_ends(session, vault, at, company):
    huawei = company("Huawei", [Entry(domain="huawei.com"), Entry(domain="exact.org", subdomains=False)])
    other = company("Other", excludes=[Entry(domain="huawei.com")])

    def hold(row, domain, at=at, since=None):
        return companies.add_entry(
            within(session, vault, at, f"{row.id}{domain}"), row, Entry(domain=domain, since=since)
        )

    for domain in ("huawei.com", "HUAWEI.com.", "rd.huawei.com", "exact.org"):
        with pytest.raises(DomainRefused, match="taken"):
            hold(other, domain)
    assert hold(other, "rd.exact.org").domain == "rd.exact.org"
    assert hold(huawei, "rd.huawei.com").domain == "rd.huawei.com"
    huawei.ended_at = at + timedelta(days=1)
    with pytest.raises(DomainRefused, match="taken"):
        hold(other, "huawei.com")
    assert hold(other, "huawei.com", since=at + timedelta(days=1)).company_id == other.id


@pytest.mark.parametrize("name", ["name", "agreement", "version"])
def test_a_company_with_a_gap_in_its_agreement_is_refused(session, vault, at, name):
    with pytest.raises(ValueError, match="not empty"):
        add_company(session, vault, at, **{name: ""})
