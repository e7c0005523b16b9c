"""Fixtures of the administration's tests: an administrator, an auditor, records to look at and the log."""

from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property

import pytest

from agreements.facts import Account
from agreements.store import log_listing
from agreements.store.companies import company_requests, domain_claims
from agreements.store.companies.company_requests import Request
from agreements.store.log_listing import EntryFilter
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.store.people.signatures import SignatureDraft
from bot.mail import smtp
from bot.store import outbox
from tests.bot.conftest import ADMINISTRATOR, AUDITOR
from tests.within import within

RECEIPT = "AAAA-BBBB-CCCC-DDDD-EEEE"


@dataclass
class Office:
    """The portal with those who administer it signed in."""

    portal: object

    @cached_property
    def root(self):
        """The administrator's browser."""
        return self.portal.signed_in(id=ADMINISTRATOR, login="root")

    @cached_property
    def eye(self):
        """The auditor's."""
        return self.portal.signed_in(id=AUDITOR, login="eye")

    def post(self, path, browser=None, page="/me", **form):
        """Send a form as the administrator, or in the given browser."""
        browser = browser or self.root
        token = self.portal.proof(browser, page)
        return browser.post(path, data={"csrf_token": token, "confirmed": "yes", **form})

    def entries(self):
        """The log, newest first."""
        with self.portal.services.sessions() as session:
            found = log_listing.page(session, EntryFilter(), skip=0, most=99)
        return tuple(
            replace(log_entry, rows=tuple(row for row in log_entry.rows if row.table not in ("person", "ledger_entry")))
            for log_entry in found
            if not log_entry.kind.startswith("person.")
        )

    def outbox_emails(self):
        """What waits to be sent: (kind, to, values), each read once in both languages."""
        with self.portal.services.sessions() as session:
            found = [outbox.opened(self.portal.services.vault, row) for row in outbox.EMAILS.listed(session)]
        for email in found:
            for language in ("en", "zh"):
                assert smtp.read(replace(email, language=language)).body
        return [(email.kind, email.to, email.values) for email in found]

    def reach(self):
        """Ada has an address at which she can be written to."""
        services = self.portal.services
        with services.sessions() as session:
            ada = Account(11, "ada")
            person = person_rows.ensure(within(session, services.vault, services.clock(), services.new_id), ada)
            proven = ProvenAddress(address="ada@example.com", how="mailed-code", at=services.clock())
            emails.prove(within(session, services.vault, new_id=services.new_id), person, proven)

    def draft(self, **changed):
        """An individual agreement in English, as released."""
        text = self.portal.services.catalog.get(changed.get("agreement", "icla"), "2.0", "en")
        fields = {
            "agreement": text.name, "version": text.version, "language": text.language, "source_sha256": text.sha256,
            "shown_sha256": "b" * 64, "statement_id": "agree-1", "statement_sha256": "c" * 64,
            "identity_proof": "github-oauth", "name": "Ada 爱达", "email": "ada@example.com",
        }  # fmt: skip
        return SignatureDraft(**({"party": "The CANN Authors"} | fields | changed))

    def signed(self, receipt=RECEIPT):
        """A signature of ada's."""
        services, account = self.portal.services, Account(11, "ada")
        with services.sessions() as session:
            person = person_rows.ensure(within(session, services.vault, services.clock(), services.new_id), account)
            signatures.add(
                within(session, services.vault, services.clock(), services.new_id),
                person,
                self.draft(),
                receipt=receipt,
            )
        return receipt

    def company(self, name="Huawei"):
        """A company that asks for its agreement, with ada and bob as managers; its id."""
        services = self.portal.services
        with services.sessions() as session:
            ada = person_rows.ensure(
                within(session, services.vault, services.clock(), services.new_id), Account(11, "ada")
            )
            draft = self.draft(agreement="ccla", fields={"country": "CN", "title": "Director"})
            return company_requests.ask(within(session, services.vault, services.clock(), services.new_id, by=ada.account_id), ada, Request(name=name, draft=draft, second=Account(12, "bob")), company_id=services.new_id(), receipt=f"{len(name):04}-BBBB-CCCC-DDDD-EEEE")  # fmt: skip

    def claim(self, company_id, domain="huawei.com"):
        """A domain that the company asks for; the claim's id."""
        services = self.portal.services
        with services.sessions() as session:
            return domain_claims.claim(within(session, services.vault, services.clock(), services.new_id, by=11), company_id, domain, addresses=[f"ada@{domain}"])  # fmt: skip

    def later(self, days):
        """Let days pass."""
        self.portal.at += timedelta(days=days)


@pytest.fixture(name="office")
def _office(portal):
    """Administrator and auditor sign in when they are needed."""
    return Office(portal)
