"""Before signing, the pages know what covers the visitor already and what the pull request waits for."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agreements.facts import Account
from agreements.rulebook.rules import AcceptedVersions, AgreementRef, RepositoryRule, Rules
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.emails import ProvenAddress
from bot.portal.contributor import coverage_status
from bot.portal.contributor.coverage_status import CoverageStatus
from bot.portal.session.visitor import Visitor, wanted_pull
from bot.store.records import VerdictRecord
from tests.logged import log_rows
from tests.within import within

ADA = Visitor(Account(11, "ada"), ("ada@huawei.com",))
RED = "failure"


def stands(portal, who=ADA, **choices) -> CoverageStatus:
    """How that visitor stands."""
    rules = replace(portal.rules, **choices)
    with portal.services.sessions() as session:
        return coverage_status.of(session, portal.services, who, rules, owner=None, without=choices.get("without", ""))


def prove(portal, address="ada@huawei.com"):
    """As by a mailed code."""
    with portal.services.sessions() as session:
        ada = person_rows.ensure(within(session, portal.services.vault, portal.at, "p1"), ADA.account)
        emails.prove(
            within(session, portal.services.vault, new_id="e1"),
            ada,
            ProvenAddress(address=address, how="mailed-code", at=portal.at),
        )
        log_rows(session, portal.services.vault)


def test_a_visitor_without_signature_and_company_is_not_covered(portal):
    assert stands(portal) == CoverageStatus(own=False)
    assert not stands(portal).covered


def test_a_company_covers_surely_by_account_or_proven_address_and_else_by_a_link(portal, covered):
    covered(domain="huawei.com")
    linked = stands(portal)
    enrolled = stands(portal, people=replace(portal.rules.people, domains="enrolled"))
    prove(portal)
    sure = stands(portal)

    assert (linked.company, linked.linked, linked.covered) == ("Huawei", True, False)
    assert (enrolled.company, enrolled.covered) == ("", False)
    assert (sure.company, sure.linked, sure.covered) == ("Huawei", False, True)


def test_with_sign_too_both_the_company_and_the_signature_are_needed(portal, covered):
    covered(account=11)
    status = stands(portal, employees="sign-too")
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))

    assert (status.too, status.own, status.company, status.covered) == (True, False, "Huawei", False)
    assert stands(portal, employees="sign-too").covered
    assert not stands(portal, Visitor(Account(12, "bob"), ()), employees="sign-too").covered


def test_an_older_version_counts_until_its_day_and_not_after_a_withdrawal(portal, covered):
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    until = portal.at + timedelta(days=30)
    with portal.services.sessions() as session:
        receipt = signatures.mine(session, 11)[0].receipt
        after = coverage_status.of(session, portal.services, ADA, portal.rules, owner=None, without=receipt)
    newer = {"individual": AgreementRef("icla", "3.0")}
    accept = {"icla": (AcceptedVersions("3.0"), AcceptedVersions("2.x", until))}

    assert stands(portal).own
    assert not after.own
    assert stands(portal, **newer, accept=accept).grace == until
    assert not stands(portal, **newer).own


def test_a_company_in_its_grace_period_is_named(portal, covered):
    """The verdict does not say which company it is then."""
    covered(account=11, version="1.0")
    until = datetime(2027, 1, 1, tzinfo=UTC)

    assert (
        stands(portal, accept={"ccla": (AcceptedVersions("2.0"), AcceptedVersions("1.x", until))}).company == "Huawei"
    )


def judged(portal, pull_id, *codes, conclusion=RED):
    """Store a verdict with these codes: (code, account)."""
    problems = [{"check": "CLA", "code": code, "account": account, "sha": "a" * 40} for code, account in codes]
    with portal.services.sessions() as session:
        session.add(
            VerdictRecord(
                pull_id=pull_id, head_sha="a" * 40, judged_at=portal.at, conclusion=conclusion, codes=problems
            )
        )


def need(portal, rules: Rules | None = None):
    """What the page would say of pull request 7 to ada."""
    with portal.app.test_request_context("/sign/icla?pr=cann/ops-math/7"):
        pull = wanted_pull()
        with portal.services.sessions() as session:
            return coverage_status.missing(session, pull, 11, rules or portal.rules, "en")


def test_the_missing_coverage_counts_the_visitors_own_agreement_others_addresses_and_sign_offs(portal):
    pull_id = portal.pull(7)
    first = need(portal)
    judged(
        portal,
        pull_id,
        ("cla/unsigned", 11),
        ("cla/withdrawn", 12),
        ("cla/unlinked-email", None),
        ("dco/missing", None),
    )

    assert first is None
    assert need(portal) == coverage_status.MissingCoverage(mine=True, others=1, unlinked=True, sign_off=True)


def test_a_repository_that_takes_either_does_not_miss_sign_offs(portal):
    judged(portal, portal.pull(7), ("cla/unsigned", 11), ("dco/missing", None))
    either = replace(portal.rules, repositories=(RepositoryRule(("*",), "either"),))

    assert need(portal, either) == coverage_status.MissingCoverage(mine=True)


@pytest.mark.parametrize("conclusion", ["success", "neutral"])
def test_a_passed_or_neutral_pull_request_with_findings_misses_nothing(portal, conclusion):
    judged(portal, portal.pull(7), ("cla/unsigned", 11), conclusion=conclusion)

    assert need(portal).nothing
