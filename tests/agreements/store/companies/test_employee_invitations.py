"""Employees are invited once and reminded twice, until they enrol or the invitation is withdrawn."""

from datetime import timedelta

import pytest

from agreements.facts import Account, Entry
from agreements.github_server import GITHUB_COM, github_server
from agreements.store.companies import companies, employee_invitations, enrolments
from agreements.store.companies.companies import CompanyDraft
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.companies.employee_invitations import REMIND_AFTER
from agreements.store.companies.enrolments import Employer
from agreements.store.ledger import transient_rows
from agreements.store.people import person_rows
from agreements.store.tables.company_records import INVITATION_RETENTION, CompanyRecord, EmployeeInvitation
from tests.within import within


@pytest.fixture(name="context")
def _context(session, vault, at, fresh):
    """Bob, at Huawei, which holds huawei.com and all of rd.huawei.com."""
    draft = CompanyDraft(
        party="The CANN Authors", name="Huawei", agreement="ccla", version="2.0", signed_at=at, countersigned_at=at
    )
    company = companies.add(within(session, vault, new_id="c1"), draft)
    for entry in (Entry(domain="huawei.com", subdomains=False), Entry(domain="hw.cn")):
        companies.add_entry(within(session, vault, at, fresh), company, entry)
    return within(session, vault, at, fresh, by=12)


def invite(context, *addresses):
    """The addresses that were invited."""
    return [
        invitation.address
        for invitation in employee_invitations.invite(context, "c1", addresses, "en", server=GITHUB_COM)
    ]


def due(context, **after):
    """Whom a reminder is due for so long after the start; each is noted."""
    at = context.at + timedelta(**after)
    found = employee_invitations.due(context.session, context.vault, at=at)
    assert {name for _, name in found} <= {"Huawei"}
    return [
        invitation.address
        for invitation, _ in found
        if employee_invitations.reminded(within(context.session, context.vault, at), invitation)
    ]


def test_an_invitation_reaches_each_address_at_a_covered_domain_once(context):
    wanted = ["Ada@huawei.com", "x@rd.huawei.com", "y@rd.hw.cn", "z@gmail.com"]
    found = employee_invitations.judged(context.session, context.vault, "c1", wanted, server=GITHUB_COM, at=context.at)
    assert list(found.values()) == ["invite", "foreign", "invite", "foreign"]
    assert invite(context, *wanted) == ["ada@huawei.com", "y@rd.hw.cn"]
    assert invite(context, *wanted) == []
    found = employee_invitations.judged(
        context.session, context.vault, "c1", wanted[:1], server=GITHUB_COM, at=context.at
    )
    assert found == {"ada@huawei.com": "invited"}


def test_two_reminders_are_sent_seven_days_apart(context):
    invite(context, "ada@huawei.com")
    told = [due(context, days=days) for days in (0, 6, 7, 8, 14, 21, 40)]
    assert [len(addresses) for addresses in told] == [0, 0, 1, 0, 1, 0, 0]


def test_a_reminder_that_two_replicas_found_is_sent_once(context):
    invite(context, "ada@huawei.com")
    at = context.at + REMIND_AFTER
    [(invitation, _)] = employee_invitations.due(context.session, context.vault, at=at)
    sent = [employee_invitations.reminded(within(context.session, context.vault, at), invitation) for _ in range(2)]
    assert sent == [True, False]


def test_a_withdrawn_invitation_has_no_reminder_and_may_begin_anew(context):
    [invitation] = employee_invitations.invite(context, "c1", ["ada@huawei.com"], "en", server=GITHUB_COM)
    employee_invitations.withdraw(context, "c1", invitation.id)
    assert due(context, days=8) == []
    assert invite(context, "ada@huawei.com") == ["ada@huawei.com"]
    assert due(context, days=8) == ["ada@huawei.com"]
    with pytest.raises(LookupError):
        employee_invitations.withdraw(context, "c1", "unknown")


@pytest.mark.parametrize("noted", [True, False])
def test_an_enrolled_person_is_neither_reminded_nor_invited_again(context, noted):
    session, vault, at = context.session, context.vault, context.at
    invite(context, "ada@huawei.com")
    ada = person_rows.ensure(within(session, vault, at, context.new_id), Account(11, "ada"))
    enrolments.add(context, ada, Employer("c1", "Huawei", "huawei.com", None), "ada@huawei.com")
    if noted:
        employee_invitations.enrolled(within(session, vault, at), "c1", "ada@huawei.com")
    assert due(context, days=8) == []
    assert [invitation.state for invitation in employee_invitations.of_company(session, vault, "c1")] == ["enrolled"]
    found = employee_invitations.judged(session, vault, "c1", ["ada@huawei.com"], server=GITHUB_COM, at=at)
    assert found == {"ada@huawei.com": "enrolled"}


def test_an_ended_company_invites_and_reminds_no_person(context):
    invite(context, "ada@huawei.com")
    context.session.get(CompanyRecord, "c1").ended_at = context.at
    context.session.flush()
    assert due(context, days=8) == []
    with pytest.raises(CompanyRefused, match="not-in-force"):
        invite(context, "bo@huawei.com")


def test_invitations_above_the_daily_limit_are_refused(context, monkeypatch):
    monkeypatch.setattr(employee_invitations, "MAX_INVITATIONS_A_DAY", 20)
    assert len(invite(context, *(f"p{number}@huawei.com" for number in range(20)))) == 20
    with pytest.raises(CompanyRefused, match="too-many"):
        invite(context, "one-more@huawei.com")


def test_an_invited_address_is_sealed_and_gone_after_ninety_days(context):
    session = context.session
    [invitation] = employee_invitations.invite(context, "c1", ["ada@huawei.com"], "en", server=GITHUB_COM)
    assert b"ada" not in session.get(EmployeeInvitation, invitation.id).address
    assert transient_rows.purge(session, at=context.at + INVITATION_RETENTION - timedelta(days=1)) == 0
    assert transient_rows.purge(session, at=context.at + INVITATION_RETENTION) == 1


def test_a_noreply_address_is_not_invited(context):
    """It may lie below the company's domain, and no person can enrol with it."""
    server = github_server("y.rd.hw.cn")
    found = employee_invitations.judged(
        context.session, context.vault, "c1", [f"5+a@{server.noreply_domain}"], server=server, at=context.at
    )
    assert list(found.values()) == ["foreign"]
