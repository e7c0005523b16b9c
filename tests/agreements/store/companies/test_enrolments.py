"""Enrolments with a company: the domain of the address, a year for each code, and the end."""

from datetime import timedelta

import pytest

from agreements.facts import Entry
from agreements.github_server import GITHUB_COM, github_server
from agreements.store.companies import enrolments
from agreements.store.people import emails, person_rows
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.company_records import DomainClaim, Enrolment
from tests.agreements.store.company import add_company
from tests.within import within

WORK = "ada@rd.huawei.com"
YEAR = timedelta(days=365)
DAY = timedelta(days=1)
HUAWEI = (Entry(domain="huawei.com"),)


@pytest.fixture(name="company")
def _company(session, vault, at):
    """A maker of countersigned companies: c1 of huawei.com unless told otherwise."""

    def company(name="c1", covers=HUAWEI, excludes=(), **changes):
        return add_company(session, vault, at, name, *covers, excludes=excludes, **changes)

    return company


@pytest.fixture(name="enrol")
def _enrol(session, vault, person, fresh):
    """Ada answers the code mailed to her work address."""

    def enrol(at, address=WORK):
        employer = enrolments.EmployerSearch(session, vault, GITHUB_COM, (), at).employers(person.account_id, address)[
            0
        ]
        return enrolments.add(within(session, vault, at, fresh, by=person.account_id), person, employer, address)

    return enrol


def domains_for(session, vault, at, address=WORK):
    """Whose address that is, for account 11."""
    return [
        (employer.company_id, employer.domain)
        for employer in enrolments.EmployerSearch(session, vault, GITHUB_COM, (), at).employers(11, address)
    ]


MATCHES = {
    "ada@huawei.com": True, "ADA@RD.Huawei.com": True, "ada@huawei.com.cn": False, "ada@evilhuawei.com": False,
    "11+ada@users.noreply.github.com": False, "no address": False,
}  # fmt: skip


def test_an_address_belongs_to_a_domain_by_whole_labels(session, vault, company, at):
    company()
    for address, found in MATCHES.items():
        assert domains_for(session, vault, at, address) == ([("c1", "huawei.com")] if found else []), address


def test_people_cannot_enrol_without_agreement_proven_domain_or_consent_of_the_company(session, vault, company, at):
    company("waiting", [Entry(domain="a.example.com")], countersigned_at=None)
    company("ended", [Entry(domain="b.example.com")], ended_at=at)
    company("itself", [Entry(domain="c.example.com", subdomains=False)])
    company("over", [Entry(domain="d.example.com", until=at)])
    company("named", [Entry(email="ada@x.e.example.com"), Entry(account_id=11)])
    company("account", [Entry(domain="f.example.com")], [Entry(account_id=11)])
    company("address", [Entry(domain="g.example.com")], [Entry(email="ada@x.g.example.com")])
    company("lost", [Entry(domain="i.example.com")])
    gone = {"token": "t", "subdomains": True, "claimed_at": at, "claimed_by": 1, "expires_at": at, "proven_at": at}
    claim = DomainClaim(id="d", company_id="lost", domain="i.example.com", how="dns", **gone)
    claim.missing_since = at - timedelta(days=14)
    session.add(claim)
    company("good", [Entry(domain="h.example.com")])

    found = {name: domains_for(session, vault, at, f"ada@x.{name}.example.com") for name in "abcdefghi"}
    assert [name for name, employers in found.items() if employers] == ["h"]


def test_a_code_gives_an_enrolment_and_a_proof_that_end_together_after_a_year(session, vault, company, enrol, at):
    company()
    made = enrol(at)

    assert (made.new, made.enrolment.until, made.proof.until, made.proof.how) == (
        True, at + YEAR, at + YEAR, "mailed-code",
    )  # fmt: skip
    assert emails.proven(session, vault, [11], at + YEAR - timedelta(1), how=("mailed-code",)) == {11: (WORK,)}
    assert emails.proven(session, vault, [11], at + YEAR) == {}
    [(row, login, address)] = enrolments.of_company(session, vault, "c1")
    assert (login, row.domain, address, row.ended_at) == ("ada", "huawei.com", WORK, None)
    assert list(enrolments.running(session, "c1", at=at)) == [11]
    assert enrolments.running(session, "c1", at=at + YEAR) == {}


def test_a_new_code_prolongs_a_running_enrolment_and_replaces_a_lapsed_one(session, vault, company, enrol, at):
    company()
    first = enrol(at)
    again = enrol(at + timedelta(days=340))
    assert (again.new, again.enrolment.id, again.enrolment.until) == (
        False, first.enrolment.id, at + timedelta(days=340) + YEAR,
    )  # fmt: skip

    late = at + timedelta(days=340) + YEAR + timedelta(1)
    assert enrol(late).new
    assert [
        (enrolment.running, enrolment.until) for enrolment in enrolments.of_account(session, 11, accepted=(), at=late)
    ] == [
        (True, late + YEAR),
        (False, at + timedelta(days=340) + YEAR),
    ]


def test_a_running_enrolment_covers_no_person_after_the_company_s_end(session, vault, company, enrol, at):
    row = company()
    enrol(at)
    row.ended_at = at + timedelta(days=1)
    session.flush()
    days = [enrolments.of_account(session, 11, accepted=(), at=at + timedelta(days=day))[0] for day in (0, 1)]
    assert [(day.running, day.in_force) for day in days] == [(True, True), (True, False)]


def test_an_ended_enrolment_ends_its_proof_once(session, vault, company, enrol, at):
    company()
    made = enrol(at)
    other = ProvenAddress(address="ada@home.example", how="mailed-code", at=at)
    made_for = enrolments.find(session, made.enrolment.id)
    emails.prove(within(session, vault, new_id="other"), person_rows.find(session, 11), other)
    later = at + timedelta(days=9)
    ended = enrolments.end(session, made.enrolment.id, at=later)

    assert made_for == ("c1", 11)
    assert (ended.enrolment.ended_at, ended.proof.until) == (later, later)
    assert emails.proven(session, vault, [11], later) == {11: ("ada@home.example",)}
    assert enrolments.end(session, made.enrolment.id, at=later) is None
    assert enrolments.end(session, "unknown", at=later) is None
    assert enrolments.find(session, "unknown") is None


def test_the_proof_ends_with_the_last_enrolment_that_rests_on_it(session, vault, company, enrol, at):
    """Two companies may hold the domain, with agreements of different parties."""
    company()
    other = company("c2", covers=(Entry(domain="example.org"),))
    first = enrol(at)
    row = session.get(Enrolment, first.enrolment.id)
    second = Enrolment(
        **row.model_dump(exclude={"id", "company_id", "since"}), id="e2", company_id="c2", since=at + DAY
    )
    session.add(second)
    session.flush()
    assert enrolments.end(session, row.id, at=at + 2 * DAY).proof is None
    assert emails.proven(session, vault, [11], at + 3 * DAY) == {11: (WORK,)}
    assert enrolments.end(session, "e2", at=at + 3 * DAY).proof.until == at + 3 * DAY
    assert emails.proven(session, vault, [11], at + 3 * DAY) == {}
    assert other.ended_at is None


def test_an_enrolment_at_a_company_that_ended_keeps_no_proof(session, vault, company, enrol, at):
    company()
    other = company("c2", covers=(Entry(domain="example.org"),))
    first = enrol(at).enrolment
    values = first.model_dump(exclude={"id", "company_id"})
    session.add(Enrolment(**values, id="e2", company_id="c2"))
    other.ended_at = at + DAY
    session.flush()
    assert enrolments.end(session, first.id, at=at + DAY).proof.until == at + DAY


def test_a_proof_given_before_the_enrolment_stays_after_its_end(session, vault, person, company, enrol, at):
    """The person proved it on their own page, where the company has no say."""
    company()
    emails.prove(
        within(session, vault, new_id="own"),
        person,
        ProvenAddress(address=WORK, how="mailed-code", at=at, until=at + YEAR),
    )
    made = enrol(at + timedelta(days=1))
    ended = enrolments.end(session, made.enrolment.id, at=at + timedelta(days=2))

    assert ended.proof is None
    assert emails.proven(session, vault, [11], at + timedelta(days=3)) == {11: (WORK,)}


def test_reminders_come_a_month_and_a_week_before_the_end_once_each(session, vault, company, enrol, at):
    row, day = company(), timedelta(days=1)
    made = enrol(at).enrolment
    end = at + YEAR

    def due_at(when):
        return [
            (enrolment.company, enrolment.address, enrolment.before.days)
            for enrolment in enrolments.expiring(session, vault, at=when)
        ]

    assert due_at(end - 31 * day) == []
    assert due_at(end - 30 * day) == [("c1", WORK, 30)]
    enrolments.reminded(session, made.id, at=end - 30 * day)
    session.refresh(made)
    assert due_at(end - 8 * day) == []
    assert due_at(end - 7 * day) == [("c1", WORK, 7)]
    assert due_at(end) == []
    row.ended_at = at + day
    session.add(row)
    session.flush()
    assert due_at(end - 7 * day) == []


def test_a_roster_lists_only_the_company_s_own_enrolments(session, vault, company, enrol, at):
    company()
    company("c2", covers=(Entry(domain="example.org"),))
    enrol(at)
    enrol(at, "ada@example.org")

    found = {company_id: enrolments.running(session, company_id, at=at) for company_id in ("c1", "c2", "c3")}
    assert {company_id: [row.company_id for row in rows.values()] for company_id, rows in found.items()} == {
        "c1": ["c1"], "c2": ["c2"], "c3": [],
    }  # fmt: skip


def test_an_address_is_found_on_the_roster_of_its_own_company_alone(session, vault, company, enrol, at):
    company()
    company("c2", covers=(Entry(domain="example.org"),))
    enrol(at)
    enrol(at, "ada@example.org")

    def found(company_id, address, when=at):
        return enrolments.by_address(session, vault, company_id, address, at=when)

    assert (found("c1", "ADA@RD.Huawei.com"), found("c2", "ada@example.org")) == ({11}, {11})
    assert (found("c1", "ada@example.org"), found("c2", WORK), found("c3", WORK)) == (set(), set(), set())
    assert found("c1", WORK, at + YEAR) == set()


@pytest.mark.parametrize("host", ["huawei.com", "ghe.huawei.com"])
def test_a_noreply_address_cannot_enrol(session, vault, company, at, host):
    """It may lie below the company's own domain, and every guest of the server has one."""
    company()
    server = github_server(host)
    for address in (f"11+ada@{server.noreply_domain}", f"ada@{server.noreply_domain}"):
        assert enrolments.EmployerSearch(session, vault, server, (), at).employers(11, address) == ()
    found = enrolments.EmployerSearch(session, vault, server, (), at).employers(11, WORK)
    assert [employer.company_id for employer in found] == ["c1"]
