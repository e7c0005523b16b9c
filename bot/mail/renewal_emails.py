"""Sends reminders, once each: of companies' annual reviews, of enrolments that end soon, of invitations."""

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from agreements.github_server import GitHubServer
from agreements.store.companies import companies, employee_invitations, enrolments, renewals
from agreements.store.companies.employee_invitations import Invitation
from agreements.store.companies.enrolments import ExpiringEnrolment
from agreements.store.companies.renewals import DueRenewal
from agreements.store.ledger import transient_rows
from agreements.store.record_context import RecordContext
from agreements.vault import Vault
from bot.clock import Clock
from bot.db import Sessions
from bot.mail import employee_emails, manager_emails
from bot.mail.manager_emails import ManagerNotice
from bot.rulebook.text_files import Texts
from bot.store import outbox
from bot.store.outbox import Email

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminders:
    """Writes the e-mails; `url` is our public address. What was written is kept beside each row, so nothing is told twice.

    No reminder is written about an agreement that covers no person because its text is not among `texts`.
    """

    sessions: Sessions
    vault: Vault
    texts: Texts
    url: str
    server: GitHubServer
    clock: Clock
    new_id: Callable[[], str]

    def round(self) -> None:
        """Write all that is due, each in a transaction of its own."""
        at, accepted = self.clock(), self.texts().accepted()
        # An invitation whose time is over is not reminded of, also after a long stop.
        with self.sessions() as session:
            transient_rows.purge(session, at=at)
        with self.sessions() as session:
            missing = companies.without_text(session, accepted=accepted)
            reviews = renewals.due(session, at=at)
            people = enrolments.expiring(session, self.vault, at=at)
            invited = employee_invitations.due(session, self.vault, at=at)
        for due in reviews:
            if due.company_id not in missing:
                self._company(due)
        for one in people:
            if one.company_id not in missing:
                self._person(one)
        for invitation, name in invited:
            if invitation.company_id not in missing:
                self._employee(invitation, name)

    def _company(self, due: DueRenewal) -> None:
        at, day = self.clock(), f"{due.renew_by:%Y-%m-%d}"
        values = {"company": due.name, "day": day, "url": f"{self.url}/company/{due.company_id}/renewal"}
        occasion = ManagerNotice(
            kind="renewal", values=values, once=f"renewal:{due.company_id}:{day}:{due.before.days}"
        )
        with self.sessions() as session:
            renewals.reminded(session, due.company_id, at=at)
            context = RecordContext(session, self.vault, None, at, self.new_id)
            written = manager_emails.write(context, due.company_id, occasion, server=self.server)
        if not written:
            log.warning("renewal.nobody-to-tell", company=due.company_id)

    def _person(self, one: ExpiringEnrolment) -> None:
        at, day = self.clock(), f"{one.until:%Y-%m-%d}"
        with self.sessions() as session:
            enrolments.reminded(session, one.id, at=at)
            if one.address is None:
                return
            email = Email(
                kind="enrolment-ends",
                to=one.address,
                language=manager_emails.language(session, one.account_id),
                values={"company": one.company, "day": day, "url": f"{self.url}/enrol"},
                account_id=one.account_id,
                once=f"enrolment:{one.id}:{day}:{one.before.days}",
            )
            outbox.add(session, self.vault, email, at=at, new_id=self.new_id())

    def _employee(self, invitation: Invitation, company: str) -> None:
        at = self.clock()
        with self.sessions() as session:
            if employee_invitations.reminded(session, self.vault, invitation, at=at):
                context = RecordContext(session, self.vault, None, at, self.new_id)
                employee_emails.write(context, self.url, company, invitation, reminder=invitation.reminders + 1)
