"""The companies that cover a visitor, or would, are found by the account and by verified addresses alone."""

from datetime import timedelta

import pytest

from agreements.facts import Account, Entry
from bot.portal import employers
from bot.portal.session.visitor import Visitor
from tests.bot.portal.company import office

WORK = "ada@rd.huawei.com"
ADA = Visitor(Account(11, "ada"), (WORK, "ada@home.example"))


def found(portal, who=ADA):
    """The name of each company, how it covers, the domain to enrol at, and whether it lists the address."""
    services = portal.services
    known = employers.records_of(services, who)
    with services.sessions() as session:
        covers = employers.among(session, services, who, portal.rules, known, owner=None)
    return [(cover.name, cover.how, cover.enrol, cover.listed) for cover in covers]


def test_a_domain_covers_linked_commits_and_everything_once_the_address_is_proven(portal):
    office.company(portal, domains="linked")
    linked = found(portal)
    office.known(portal, 11, "ada", WORK)

    assert linked == [("Huawei", "linked", "huawei.com", False)]
    assert found(portal) == [("Huawei", "covered", "", False)]


def test_a_company_that_asks_for_enrolment_is_possible_until_then(portal):
    office.company(portal, domains="enrolled")

    assert found(portal) == [("Huawei", "possible", "huawei.com", False)]


def test_a_listed_address_is_to_be_verified_and_a_listed_account_is_covered(portal):
    office.company(portal, Entry(email=WORK), domains="enrolled")
    office.company(portal, Entry(account_id=11), key="c2", name="Red Hat", managers=())

    assert found(portal) == [("Red Hat", "covered", "", False), ("Huawei", "possible", "", True)]


@pytest.mark.parametrize(
    "emails", [(), ("ada@huawei.com.cn",), ("ada@evilhuawei.com",), ("11+ada@users.noreply.github.com",)]
)
def test_without_a_verified_address_at_the_domain_no_company_is_found(portal, emails):
    office.company(portal)

    assert found(portal, Visitor(Account(11, "ada"), emails)) == []


def test_a_company_that_excludes_the_visitor_or_has_ended_is_not_found(portal):
    office.company(portal, excludes=(Entry(email="ada@home.example"),), domains="enrolled")
    office.company(
        portal, Entry(email=WORK), key="c2", name="Ended", managers=(), ended_at=portal.at + timedelta(hours=1)
    )
    portal.later(hours=2)

    assert found(portal) == []


def test_a_company_whose_agreement_is_outdated_is_not_found(portal):
    office.company(portal, version="1.0")

    assert found(portal) == []
