"""What the record tests share: a vault, a moment, and people in a database of each kind."""

from datetime import UTC, datetime
from itertools import count

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.store.companies import company_requests
from agreements.store.companies.company_requests import Request
from agreements.store.people import person_rows
from agreements.store.people.signatures import SignatureDraft
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.vault import KeyRing, Vault
from tests.within import within

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(name="at")
def _at():
    return AT


@pytest.fixture(name="vault")
def _vault():
    return Vault(KeyRing.parse(KeyRing.generate("k1")))


@pytest.fixture(name="session")
def _session(sessions):
    """One open session; what it wrote is committed at the end."""
    with sessions() as session:
        yield session


@pytest.fixture(name="fresh")
def _fresh():
    """A maker of ids, each used once."""
    numbers = count(1)
    return lambda: f"r{next(numbers)}"


@pytest.fixture(name="person")
def _person(session, vault, at):
    return person_rows.ensure(within(session, vault, at, "p11"), Account(11, "ada"))


@pytest.fixture(name="draft")
def _draft():
    """A maker of drafts: an ICLA in English unless told otherwise."""

    def draft(**changes):
        fields = {
            "agreement": "icla",
            "version": "2.0",
            "language": "en",
            "source_sha256": "a" * 64,
            "shown_sha256": "b" * 64,
            "statement_id": "agree-1",
            "statement_sha256": "c" * 64,
            "identity_proof": "github-oauth",
            "name": "Ada 爱达 𠮷",
            "email": "ada@huawei.com",
            "fields": {"country": "CN"},
        }
        return SignatureDraft(**({"party": "The CANN Authors"} | fields | changes))

    return draft


@pytest.fixture(name="asking")
def _asking(session, vault, at, draft, fresh, person):
    """A maker of companies that ada (11) has asked for, with bob (12) as the second manager."""

    def asking(company_id="c1", name="Huawei", second=None, **changes):
        fields = {"agreement": "ccla", "fields": {"legal-name": name, "registration": "9144", "title": "Head of OSS"}}
        request = Request(name=name, draft=draft(**(fields | changes)), second=second or Account(12, "bob"))
        return company_requests.ask(
            within(session, vault, at, fresh, by=person.account_id),
            person,
            request,
            company_id=company_id,
            receipt=f"R-{fresh()}",
        )

    return asking


@pytest.fixture(name="logged")
def _logged(session):
    """The kinds of the log's entries so far, each with whom it is about; what changes the records adds exactly one."""
    return lambda: [
        (row.kind, row.subject_kind) for row in session.exec(select(LedgerEntry).order_by(LedgerEntry.number))
    ]
