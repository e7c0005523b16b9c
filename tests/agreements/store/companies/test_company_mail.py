"""E-mails about a company: the signing address, its own domains, the person's choice, never another company's address."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account, Entry
from agreements.github_server import GITHUB_COM, github_server
from agreements.store import erasures
from agreements.store.companies import companies, company_mail, company_requests
from agreements.store.companies.company_requests import Request
from agreements.store.ledger import row_check
from agreements.store.people import emails, person_rows
from agreements.store.people.emails import ProvenAddress
from agreements.store.people.signatures import SignatureDraft
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import PersonRecord
from tests.agreements.store.behind import behind
from tests.agreements.store.company import add_company
from tests.within import within

AT = datetime(2026, 1, 1, tzinfo=UTC)
LATER = AT + timedelta(days=1)
ANN = 7
WORDS = ("agreement", "version", "language", "source_sha256", "shown_sha256", "statement_id", "statement_sha256")


@pytest.fixture(name="ann")
def _ann(sessions, vault):
    """A maker of what is known of ann: companies with entries, proofs with the days that they last, companies that she signed for."""

    def make(*, held=(), proven=(), signed=(), chosen=""):
        with sessions() as session:
            person = person_rows.ensure(within(session, vault, AT, "p"), Account(ANN, "ann"))
            for company, entry in held:
                row = session.get(CompanyRecord, company)
                if row is None:
                    row = add_company(session, vault, AT, company, countersigned_at=None)
                companies.add_entry(within(session, vault, AT, f"{company}{entry}"[:60]), row, entry)
            for number, (address, days) in enumerate(proven):
                until = None if days is None else AT + timedelta(days=days)
                proven_address = ProvenAddress(address=address, how="mailed-code", at=AT, until=until)
                emails.prove(within(session, vault, new_id=f"proof{number}"), person, proven_address)
                if address == chosen:
                    assert company_mail.choose(changing(session, vault), ANN, f"proof{number}")
            for company, address in signed:
                signs(session, vault, person, company, address)

    return make


def changing(session, vault):
    """Ann's change of her records."""
    return within(session, vault, AT, lambda: f"{len(session.exec(select(LedgerEntry)).all()):032x}", by=ANN)


def signs(session, vault, person, company, address):
    """Ann asks for that company's agreement, with that address."""
    draft = SignatureDraft(
        party="The CANN Authors", **dict.fromkeys(WORDS, company), identity_proof="x", name="Ann", email=address
    )
    request = Request(name=company, draft=draft, second=Account(8, "bob"))
    numbers = iter(range(100))
    company_requests.ask(within(session, vault, AT, lambda: f"{company}{next(numbers)}", by=person.account_id), person, request, company_id=company, receipt=company)  # fmt: skip


def written(sessions, vault, *whom, server=GITHUB_COM):
    """Where ann is written to about each of these companies, asked one by one and together."""
    with sessions() as session:
        found = [company_mail.addresses(session, vault, company, [ANN], server=server).get(ANN) for company in whom]
        together = company_mail.of_companies(session, vault, whom, [ANN], server=server)
    assert found == [together[company].get(ANN) for company in whom]
    return found


A, B = ("a", Entry(domain="alpha-works.com")), ("b", Entry(domain="beta-works.com"))
AT_A, AT_B, HOME = ("ann@alpha-works.com", 30), ("ann@beta-works.com", 300), ("ann@home.example", 100)


@pytest.mark.slow
def test_the_address_that_a_person_signed_with_is_used_for_that_company(ann, sessions, vault):
    ann(
        proven=[AT_A, AT_B, ("ann@free.example", None)],
        signed=[("a", "Ann@Alpha-Works.com"), ("b", "ann@beta-works.com")],
    )

    assert written(sessions, vault, "a", "b") == ["ann@alpha-works.com", "ann@beta-works.com"]


def test_an_address_at_the_company_s_domains_or_named_by_it_is_used(ann, sessions, vault):
    rd, c = ("ann@rd.beta-works.com", 10), ("c", Entry(email="ann@free.example"))
    ann(held=[A, B, c], proven=[AT_A, rd, ("ann@free.example", 500)])

    assert written(sessions, vault, "a", "b", "c") == [
        "ann@alpha-works.com",
        "ann@rd.beta-works.com",
        "ann@free.example",
    ]


def test_the_chosen_address_is_used_if_the_company_has_none_of_its_own(ann, sessions, vault):
    ann(held=[A, B], proven=[AT_A, HOME, ("ann@free.example", None)], chosen="ann@home.example")
    assert written(sessions, vault, "a", "b", "other") == [
        "ann@alpha-works.com",
        "ann@home.example",
        "ann@home.example",
    ]

    with sessions() as session:
        assert company_mail.choose(changing(session, vault), ANN, "proof0")
    assert written(sessions, vault, "b") == ["ann@free.example"]
    with sessions() as session:
        assert not company_mail.choose(changing(session, vault), 8, "proof0")
        assert not company_mail.choose(changing(session, vault), ANN, "nothing")


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("second", ["choose", "rename", "erase"])
def test_of_two_changes_of_a_person_at_once_the_log_names_what_both_left(ann, sessions, vault, order, second):
    ann(proven=[HOME])
    changes = {
        "choose": lambda session: company_mail.choose(changing(session, vault), ANN, "proof0"),
        "rename": lambda session: person_rows.ensure(changing(session, vault), Account(ANN, "anna")) and session.flush(),
        "follow": lambda session: person_rows.follow_login(changing(session, vault), Account(ANN, "ann-b")) and session.flush(),
        "erase": lambda session: erase(session, vault),
    }  # fmt: skip
    behind(sessions, *[changes[name] for name in ("follow", second)][::order]).result()
    with sessions() as session:
        person = person_rows.find(session, ANN)
        assert row_check.unlogged(session, vault, PersonRecord, [person.id]) == frozenset()
        assert person.login in {"choose": {"ann-b"}, "rename": {"anna", "ann-b"}, "erase": {"erased"}}[second]


def erase(session, vault):
    """Ann is erased."""
    person = person_rows.find_locked(session, ANN)
    changes = erasures.shred(session, person, at=AT)
    changing(session, vault).log("person.erased", rows=changes.rows, deleted=changes.deleted)


def test_the_longest_lasting_proof_is_used_if_none_was_chosen(ann, sessions, vault):
    ann(proven=[AT_A, AT_B, HOME], signed=[("b", "ann@beta-works.com")])

    assert written(sessions, vault, "a", "b") == ["ann@home.example", "ann@beta-works.com"]


@pytest.mark.parametrize(
    "entry", [Entry(domain="beta-works.com"), Entry(email="ann@rd.beta-works.com"), Entry(domain="beta-works.com", until=LATER)]
)  # fmt: skip
def test_an_address_at_another_company_s_domain_is_never_used(ann, sessions, vault, entry):
    ann(held=[A, ("b", entry)], proven=[("ann@rd.beta-works.com", 300)], chosen="ann@rd.beta-works.com")

    assert written(sessions, vault, "a") == [None]


def test_a_company_that_gave_up_a_domain_gets_no_mail_to_its_addresses(ann, sessions, vault):
    ann(held=[A, ("b", Entry(domain="beta-works.com", until=AT))], proven=[AT_B])
    with sessions() as session:
        row = session.get(CompanyRecord, "a")
        companies.add_entry(within(session, vault, LATER, "moved"), row, Entry(domain="beta-works.com"))

    assert written(sessions, vault, "a", "b") == ["ann@beta-works.com", None]


def test_a_removed_address_is_not_used_even_if_it_was_signed_with(ann, sessions, vault):
    ann(proven=[AT_A, HOME], signed=[("a", "ann@alpha-works.com")])
    with sessions() as session:
        emails.remove(session, ANN, "proof0", AT)

    assert written(sessions, vault, "a") == ["ann@home.example"]


def test_a_person_without_an_address_gets_no_mail(ann, sessions, vault):
    ann()

    assert written(sessions, vault, "a") == [None]


def test_a_noreply_address_below_a_company_s_domain_is_not_used(ann, sessions, vault):
    """No mail arrives at a no-reply address."""
    server = github_server("ghe.alpha-works.com")
    ann(held=[A], proven=[(f"5+ann@{server.noreply_domain}", None), ("ann@alpha-works.com", 1)])
    assert written(sessions, vault, "a", server=server) == ["ann@alpha-works.com"]
