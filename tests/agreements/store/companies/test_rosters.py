"""The roster of a company lists the people whom coverage would find, entry by entry."""

from datetime import timedelta

import pytest

from agreements.facts import Account, Entry
from agreements.github_server import GITHUB_COM, github_server
from agreements.rulebook.rules import Rules
from agreements.store.companies import companies, enrolments, rosters
from agreements.store.companies.companies import CompanyDraft
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.company_records import CompanyManager
from tests.within import within

RULES = Rules()


@pytest.fixture(name="known")
def _known(session, vault, at):
    """A maker of people with addresses proven by code."""

    def known(account_id, login, *addresses, how="mailed-code"):
        row = person_rows.ensure(within(session, vault, at, f"p{account_id}"), Account(account_id, login))
        for number, address in enumerate(addresses):
            proven = ProvenAddress(address=address, how=how, at=at, until=at + timedelta(days=365))
            emails.prove(within(session, vault, new_id=f"a{account_id}-{number}"), row, proven)

    return known


@pytest.fixture(name="company")
def _company(session, vault, at, known):
    """c1 holds huawei.com, names an address and two accounts, and excludes one of those at its domain."""
    known(11, "ada", "ada@rd.huawei.com", "ada@partner.org")
    known(12, "Bob", "bob@huawei.com")
    known(13, "cyd", "cyd@partner.org")
    known(14, "dan", "dan@huawei.com", how="github-verified")
    known(15, "eve", "eve@evilhuawei.com")
    known(16, "fay", "fay@huawei.com")
    row = _draft(session, vault, at, "c1")
    for number, entry in enumerate([
        Entry(domain="huawei.com"), Entry(email="ada@partner.org"), Entry(account_id=13), Entry(account_id=99),
        Entry(account_id=14, since=at + timedelta(days=9)), Entry(account_id=15, until=at + timedelta(days=5)),
    ]):  # fmt: skip
        companies.add_entry(within(session, vault, at, f"e{number}"), row, entry)
    companies.add_entry(within(session, vault, at, "out"), row, Entry(account_id=16), excluded=True)
    return row


def _draft(session, vault, at, name, **changes):
    fields = {"agreement": "ccla", "version": "2.0", "signed_at": at, "countersigned_at": at} | changes
    return companies.add(
        within(session, vault, new_id=name), CompanyDraft(party="The CANN Authors", name=name, **fields)
    )


def lines(session, vault, at, rules=RULES, accepted=()):
    """The login, the account and the covering entries of each person on the roster."""
    found = rosters.covered(
        session, vault, rosters.roster(session, vault, "c1", accepted=accepted), rules, server=GITHUB_COM, at=at
    )
    return [(person.login, person.account_id, [entry.id for entry in person.by]) for person in found]


def test_the_roster_lists_covered_people_by_login_with_all_entries_that_name_them(session, vault, company, at):
    first = [("", 99, ["e3"]), ("ada", 11, ["e0", "e1"]), ("Bob", 12, ["e0"]), ("cyd", 13, ["e2"])]
    assert lines(session, vault, at) == [*first, ("eve", 15, ["e5"])]
    later = [line for line in lines(session, vault, at + timedelta(days=9)) if line[0] in ("dan", "eve")]
    assert later == [("dan", 14, ["e4"])]
    assert [line for line in lines(session, vault, at + timedelta(days=5)) if line[0] == "eve"] == []


def test_the_roster_is_empty_while_the_agreement_is_not_in_force(session, vault, company, at):
    assert lines(session, vault, at, Rules(accept={"ccla": ()})) == []
    company.ended_at = at
    session.add(company)
    session.flush()
    assert lines(session, vault, at) == []
    waiting = _draft(session, vault, at, "c2", countersigned_at=None)
    companies.add_entry(within(session, vault, at, "w"), waiting, Entry(account_id=11))
    assert (
        rosters.covered(
            session, vault, rosters.roster(session, vault, "c2", accepted=()), RULES, server=GITHUB_COM, at=at
        )
        == ()
    )
    with pytest.raises(LookupError):
        rosters.roster(session, vault, "c3", accepted=())


def test_the_roster_is_empty_while_the_catalog_lacks_the_text(session, vault, company, draft, at):
    """The check of a pull request does the same."""
    signer, signed = person_rows.find(session, 11), draft(agreement="ccla")
    proof = signatures.add(within(session, vault, at, "s1"), signer, signed, receipt="R-1", anew=True).row
    company.signature_id = proof.id
    session.flush()
    assert lines(session, vault, at) == []
    assert lines(session, vault, at, accepted=[("ccla", "2.0", "en", "a" * 64)])


def test_the_roster_can_be_asked_for_with_other_entries(session, vault, company, at):
    found = rosters.roster(session, vault, "c1", accepted=())
    without = found.with_entries(tuple(roster_entry for roster_entry in found.named if roster_entry.id != "e0"))
    left = rosters.covered(session, vault, without, RULES, server=GITHUB_COM, at=at)

    assert [person.login for person in left] == ["", "ada", "cyd", "eve"]
    assert [roster_entry.id for roster_entry in found.named] == ["e0", "e1", "e2", "e3", "e4", "e5", "out"]


def test_a_noreply_address_of_the_server_puts_no_person_on_the_roster(session, vault, company, known, at):
    server = github_server("ghe.huawei.com")
    address = f"17+guest@{server.noreply_domain}"
    known(17, "guest", address)
    roster = rosters.roster(session, vault, "c1", accepted=())
    assert 17 not in {
        person.account_id for person in rosters.covered(session, vault, roster, RULES, server=server, at=at)
    }
    assert rosters.CompanyCover(roster, RULES, server, at).by(17, frozenset(), frozenset({address})) == ()


@pytest.fixture(name="reach")
def _reach(session, vault, at, fresh):
    """A company that names one domain, one address, one account, and excluded another once."""
    draft = CompanyDraft(party="The CANN Authors", name="Huawei", agreement="ccla", version="2.0", signed_at=at)
    company = companies.add(within(session, vault, new_id="c1"), draft)
    for entry in (Entry(domain="huawei.com"), Entry(email="bo@partner.org"), Entry(account_id=77, until=at)):
        companies.add_entry(within(session, vault, at, fresh), company, entry)
    gone = Entry(account_id=78, since=at + timedelta(days=99))
    companies.add_entry(within(session, vault, at, fresh), company, gone, excluded=True)
    return rosters.reach_of(session, vault, "c1")


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
def test_an_entry_touches_people_by_account_address_or_domain_even_out_of_its_time(reach, accounts, addresses, touched):
    assert reach.touches(accounts, addresses, GITHUB_COM) is touched


def test_an_unknown_company_touches_no_person(session, vault):
    """The job came too late, or is a mistake."""
    reach = rosters.reach_of(session, vault, "c2")
    assert not reach.touches([77], ["a@huawei.com"], GITHUB_COM)


@pytest.mark.parametrize("host", ["huawei.com", "ghe.huawei.com", "ghe.rd.huawei.com"])
def test_noreply_addresses_of_the_server_are_touched_by_number_alone(reach, host):
    """Everyone on the server has such an address, and it may lie below the company's own domain."""
    server = github_server(host)
    assert not reach.touches([], [f"5+eve@{server.noreply_domain}", f"eve@{server.noreply_domain}"], server)
    assert reach.touches([], [f"5+eve@{server.noreply_domain}"], GITHUB_COM)
    assert reach.touches([77], [], server)


HOME = ("Huawei", "huawei.com"), ("Red Hat", "redhat.com")


def test_every_row_of_one_company_is_read_with_its_dates(session, vault, at, fresh):
    for key, (name, domain) in zip(("c1", "c2"), HOME, strict=True):
        draft = CompanyDraft(
            party="The CANN Authors", name=name, agreement="ccla", version="2.0", signed_at=at, countersigned_at=at
        )
        row = companies.add(within(session, vault, new_id=key), draft)
        entries = [Entry(domain=domain, subdomains=False), Entry(email=f"x@{domain}"), Entry(account_id=99)]
        for entry in entries:
            companies.add_entry(within(session, vault, at, fresh), row, entry)
        out = Entry(account_id=13, since=at + timedelta(days=1))
        companies.add_entry(within(session, vault, at, fresh), row, out, excluded=True)
        person = person_rows.ensure(within(session, vault, at, f"p-{key}"), Account(len(name), f"u-{key}"))
        employer = enrolments.EmployerSearch(session, vault, GITHUB_COM, (), at).employers(len(name), f"me@{domain}")[0]
        made = enrolments.add(within(session, vault, at, fresh, by=len(name)), person, employer, f"me@{domain}")
        enrolments.end(session, made.enrolment.id, at=at + timedelta(days=2))
        session.add(
            CompanyManager(id=f"m-{key}", company_id=key, account_id=12, login="bob", since=at, until=at, added_by=1)
        )
    day = "2026-01-0{}T00:00:00+00:00".format

    assert rosters.export_rows(session, vault, "c1") == (
        ("entry", "huawei.com", "no", "", "", "", "", "", "", day(1)),
        ("entry", "", "", "x@huawei.com", "", "", "", "", "", day(1)),
        ("entry", "", "", "", "", "99", "", "", "", day(1)),
        ("exclusion", "", "", "", "", "13", day(2), "", "", day(1)),
        (
            "enrolment",
            "huawei.com",
            "",
            "me@huawei.com",
            "u-c1",
            "6",
            day(1),
            "2027-01-01T00:00:00+00:00",
            day(3),
            day(1),
        ),
        ("manager", "", "", "", "bob", "12", day(1), day(1), "", day(1)),
    )
    with pytest.raises(LookupError):
        rosters.export_rows(session, vault, "c3")
