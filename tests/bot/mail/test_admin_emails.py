"""Administrators hear of what is new: once each, together or daily, at an address of theirs, else at the contact's."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agreements.facts import Account
from agreements.github_server import GITHUB_COM
from agreements.store.companies import company_requests
from agreements.store.people import emails, erasure_requests, person_rows
from agreements.store.people.emails import ProvenAddress
from bot.github.ports import RepositoryPlace, Unreachable
from bot.mail import smtp
from bot.mail.admin_emails import AdminEmails
from bot.store import notifications, outbox
from bot.store.pulls import commit_findings
from bot.store.pulls.commit_findings import PushedBranch, UnjudgedCommit
from tests.bot.claims import take
from tests.bot.portal.admin.conftest import Office
from tests.within import within

CONTACT = "cla@example.org"
VALUES = {"site": "http://localhost", "total": "1", "companies": "0", "domains": "0", "erasures": "1", "letters": "0",
          "commits": "0"}  # fmt: skip


class Writer:
    """The administrators 90 and 92, of whom some have an address; what was written to whom since last asked."""

    def __init__(self, portal):
        self.office, self.portal, self.services = Office(portal), portal, portal.services
        self.seen, self.away = set(), False
        parts = self.services
        self.emails = AdminEmails(records=parts, server=GITHUB_COM, contact=CONTACT, administrators=self.administrators)  # fmt: skip

    def administrators(self):
        if self.away:
            raise Unreachable("away")
        return frozenset({90, 92})

    def prove(self, account_id, address):
        with self.services.change(account_id) as context:
            account = Account(account_id, f"root{account_id}")
            person = person_rows.ensure(context, account)  # fmt: skip
            proven = ProvenAddress(address=address, how="mailed-code", at=context.at)
            emails.prove(context, person, proven)

    def choose(self, account_id, often):
        with self.services.sessions() as session:
            notifications.choose(session, account_id, often, at=self.portal.at)

    def round(self, minutes=5):
        """Let minutes pass; the new e-mails as {to: counts}."""
        self.portal.at += timedelta(minutes=minutes)
        self.emails.round()
        found = {}
        with self.services.sessions() as session:
            rows = [mail for mail in outbox.EMAILS.listed(session) if mail.kind == notifications.KIND]
            for row in rows:
                if row.id not in self.seen:
                    self.seen.add(row.id)
                    email = outbox.opened(self.services.vault, row)
                    assert email.to not in found
                    found[email.to] = [email.values[name] for name in ("companies", "domains", "erasures", "letters")]
        return found

    def ask(self):
        """Dan asks to be erased."""
        with self.services.change(14) as context:
            new_id = context.new_id
            erasure_requests.ask(within(context.session, context.vault, context.at, new_id, by=14))

    def fail(self, kind="erasure-deleted"):
        """An e-mail is refused for good."""
        with self.services.change(11) as context:
            email = outbox.Email(kind=kind, to="gone@example.org", language="en", values=VALUES)
            outbox.add(within(context.session, context.vault, context.at - timedelta(days=9), context.new_id), email)  # fmt: skip
        with self.services.sessions() as session:
            lease = take(session, outbox.EMAILS, at=self.portal.at)
            assert lease.row.kind == kind
            outbox.EMAILS.failed(session, lease, "550")


@pytest.fixture(name="writer")
def _writer(portal):
    return Writer(portal)


def test_unchecked_commits_are_told_once_and_by_their_number_alone(writer):
    writer.prove(90, "root@example.com")
    writer.round()
    push = PushedBranch(place=RepositoryPlace(1, "cann", "ops", 11), branch="main", base_shas=("b" * 40,))
    with writer.services.sessions() as session:
        found = [UnjudgedCommit(digit * 40, "no-pull-request") for digit in "ac"]
        commit_findings.record(session, push, found, at=writer.portal.at + timedelta(minutes=1))
    assert list(writer.round()) == ["root@example.com"]
    with writer.services.sessions() as session:
        [*_, row] = [mail for mail in outbox.EMAILS.listed(session) if mail.kind == notifications.KIND]
        page = smtp.read(outbox.opened(writer.services.vault, row))
    assert "- Unchecked commits in protected branches: 2\n" in page.body
    assert writer.round() == {}


def test_all_news_is_told_once_in_one_email(writer):
    writer.office.company("Old")
    writer.prove(90, "root@example.com")
    writer.prove(92, "second@example.com")
    assert writer.round() == {"root@example.com": ["1", "0", "0", "0"], "second@example.com": ["1", "0", "0", "0"]}
    company_id = writer.office.company("Huawei")
    writer.office.claim(company_id)
    writer.ask()
    writer.fail()
    assert writer.round(15) == {"root@example.com": ["1", "1", "1", "1"], "second@example.com": ["1", "1", "1", "1"]}
    assert writer.round() == {}


def test_a_request_decided_meanwhile_is_no_news(writer):
    writer.prove(90, "root@example.com")
    writer.round()
    ids = [writer.office.company(name) for name in ("Nokia", "Huawei!")]
    with writer.services.sessions() as session:
        context = within(session, writer.services.vault, writer.portal.at, writer.services.new_id, by=90)
        company_requests.countersign(context, ids[0], reason="known")
    assert writer.round() == {"root@example.com": ["1", "0", "0", "0"]}


def test_news_comes_daily_or_never_by_choice(writer):
    writer.prove(90, "root@example.com")
    writer.prove(92, "second@example.com")
    writer.choose(90, "daily")
    writer.choose(92, "never")
    writer.office.company("Nokia")
    assert writer.round() == {}
    writer.office.company("Huawei!")
    assert writer.round(60 * 23) == {}
    writer.choose(92, "at-once")
    assert writer.round(55) == {"root@example.com": ["2", "0", "0", "0"]}


def test_the_contact_gets_the_news_while_no_administrator_has_an_address(writer):
    writer.office.company()
    assert writer.round() == {CONTACT: ["1", "0", "0", "0"]}
    writer.prove(90, "root@example.com")
    assert writer.round() == {"root@example.com": ["1", "0", "0", "0"]}, "it still waits, and they were not told"
    writer.ask()
    assert writer.round() == {"root@example.com": ["0", "0", "1", "0"]}
    writer.emails = replace(writer.emails, contact="https://example.org/help", administrators=frozenset)
    writer.office.company("Huawei!")
    assert writer.round() == {}


def test_news_waits_while_github_does_not_say_who_administers(writer):
    writer.prove(90, "root@example.com")
    writer.round()
    writer.ask()
    writer.away = True
    assert writer.round() == {}
    writer.away = False
    assert writer.round() == {"root@example.com": ["0", "0", "1", "0"]}


def test_a_notification_that_fails_is_no_news(writer):
    """Each refused e-mail would otherwise make the next one."""
    writer.prove(90, "root@example.com")
    writer.round()
    writer.fail(kind=notifications.KIND)
    with writer.services.sessions() as session:
        writer.seen = {mail.id for mail in outbox.EMAILS.listed(session)}
    assert writer.round(15) == {}


def test_the_email_has_numbers_and_links_and_no_names(writer):
    writer.prove(90, "root@example.com")
    writer.round()
    writer.office.company()
    writer.round()
    with writer.services.sessions() as session:
        [email] = [outbox.opened(writer.services.vault, mail) for mail in outbox.EMAILS.listed(session)]
    for language in ("en", "zh"):
        page = smtp.read(replace(email, language=language))
        assert "http://localhost/admin/notifications" in page.body
        assert "Huawei" not in page.subject + page.body
        assert "ada" not in page.body
