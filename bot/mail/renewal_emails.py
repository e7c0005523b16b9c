"""Sends reminders, once each: of companies' annual reviews, of enrolments that end soon, of invitations."""

from dataclasses import dataclass

import structlog

from agreements.github_server import GitHubServer
from agreements.store.companies import company_agreements, employee_invitations, enrolments, renewals
from agreements.store.companies.employee_invitations import Invitation
from agreements.store.companies.enrolments import ExpiringEnrolment
from agreements.store.companies.renewals import DueRenewal
from agreements.store.ledger import transient_rows
from bot.mail import employee_emails, manager_emails
from bot.mail.manager_emails import ManagerNotice
from bot.records.record_access import RecordAccess
from bot.rulebook.text_files import Texts
from bot.store import outbox
from bot.store.outbox import Email

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminders:
    """Writes the e-mails. What was written is kept beside each row, so nothing is told twice."""

    records: RecordAccess
    texts: Texts
    server: GitHubServer

    def round(self) -> None:
        """Write all that is due, each in a transaction of its own."""
        accepted = self.texts().accepted()
        # An invitation whose time is over is not reminded of, also after a long stop.
        with self.records.change() as context:
            transient_rows.purge(context.session, at=context.at)
        with self.records.change() as context:
            session, vault, at = context.session, context.vault, context.at
            missing = company_agreements.without_text(session, accepted=accepted)
            reviews = renewals.due(session, at=at)
            people = enrolments.expiring(session, vault, at=at)
            invited = employee_invitations.due(session, vault, at=at)
        # One whose text is missing covers no person: a reminder would say that it does.
        for due in reviews:
            if due.company_id not in missing:
                self._company(due)
        for person in people:
            if person.company_id not in missing:
                self._person(person)
        for invitation, name in invited:
            if invitation.company_id not in missing:
                self._employee(invitation, name)

    def _company(self, due: DueRenewal) -> None:
        day = f"{due.renew_by:%Y-%m-%d}"
        values = {"company": due.name, "day": day, "url": f"{self.records.url}/company/{due.company_id}/renewal"}
        occasion = ManagerNotice(
            kind="renewal", values=values, once=f"renewal:{due.company_id}:{day}:{due.before.days}"
        )
        with self.records.change() as context:
            # With the e-mails in one transaction: none is lost, none comes twice.
            renewals.reminded(context.session, due.company_id, at=context.at)
            written = manager_emails.write(context, due.company_id, occasion, server=self.server)
        if not written:
            log.warning("renewal.nobody-to-tell", company=due.company_id)

    def _person(self, enrolment: ExpiringEnrolment) -> None:
        day = f"{enrolment.until:%Y-%m-%d}"
        with self.records.change() as context:
            enrolments.reminded(context.session, enrolment.id, at=context.at)
            if enrolment.address is None:  # None after an erasure.
                return
            email = Email(
                kind="enrolment-ends",
                to=enrolment.address,
                language=manager_emails.language(context.session, enrolment.account_id),
                values={"company": enrolment.company, "day": day, "url": f"{self.records.url}/enrol"},
                account_id=enrolment.account_id,
                once=f"enrolment:{enrolment.id}:{day}:{enrolment.before.days}",
            )
            outbox.add(context, email)

    def _employee(self, invitation: Invitation, company: str) -> None:
        with self.records.change() as context:
            # Not if they enrolled, or another replica was quicker.
            if employee_invitations.reminded(context, invitation):
                employee_emails.write(context, self.records.url, company, invitation, reminder=invitation.reminders + 1)
