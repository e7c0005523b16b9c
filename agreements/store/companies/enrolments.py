"""Enrolments: people who showed, by a code mailed to their work address, that they work at a company; each for a year."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, or_, select, update

from agreements import facts
from agreements.cla.company_cover import Candidate, candidate, excludes, match
from agreements.github_server import GitHubServer
from agreements.store.companies import company_agreements, domain_claims, renewals
from agreements.store.lookup import account_key, canonical_key, from_row, text_key
from agreements.store.people import emails, person_rows
from agreements.store.people.emails import CODE_PROOF_LIFETIME, MAILED_CODE, ProvenAddress
from agreements.store.people.signatures import TextKey
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyRecord, Enrolment
from agreements.store.tables.declarations import EMAIL_INDEX
from agreements.store.tables.records import PersonRecord, Proof
from agreements.vault import Vault


@dataclass(frozen=True, slots=True)
class Employer:
    """A company (`company_id`, `name`) at whose `domain` an account has an address; `party` is the one of its agreement."""

    company_id: str
    name: str
    domain: str
    party: str | None


@dataclass(frozen=True, slots=True)
class OwnEnrolment:
    """An enrolment (`id`) at a `company` (`company_id`) by an address at `domain`, as the person sees it.

    It runs from `since` to `until`, or to `ended_at` if it was ended; `running`: it counts now; `in_force`: the
    company's agreement does.
    """

    id: str
    company_id: str
    company: str
    domain: str
    since: datetime
    until: datetime
    ended_at: datetime | None
    running: bool
    in_force: bool


@dataclass(frozen=True, slots=True)
class EnrolmentRows:
    """The rows that a change wrote: `enrolment`, and `proof` unless it was left alone; `new` is False where one was prolonged."""

    enrolment: Enrolment
    proof: Proof | None
    new: bool = True


@dataclass(frozen=True, slots=True)
class EmployerSearch:
    """Finds, by `session`, the companies at which accounts may enrol at `at`; `accepted` are the texts of the catalog."""

    session: Session
    vault: Vault
    server: GitHubServer
    accepted: Collection[TextKey]
    at: datetime

    def employers(self, account_id: int, address: str) -> tuple[Employer, ...]:
        """The companies at which the account may enrol with that address: agreement in force, domain fits."""
        return self.by_address(account_id, [address])[address]

    def by_address(self, account_id: int, addresses: Collection[str]) -> dict[str, tuple[Employer, ...]]:
        """The same for several addresses, read together."""
        # By the rules of coverage itself: an enrolment that would then not cover helps no one.
        found = company_agreements.relevant(self.session, self.vault, [account_id], addresses, accepted=self.accepted)
        each = {
            address: [self.at_company(company, account_id, frozenset({address})) for company in found]
            for address in addresses
        }
        return {address: tuple(employer for employer in some if employer is not None) for address, some in each.items()}

    def at_company(self, company: facts.Company, account_id: int, addresses: frozenset[str]) -> Employer | None:
        """The company as an employer, if the account may enrol there with one of the addresses; its text counts already."""
        at, who = self.at, candidate(account_key(account_id), linked=frozenset(), proven=addresses, server=self.server)
        if company.signed_at > at or (company.ended_at is not None and company.ended_at <= at):
            return None
        domain = None if excludes(company, who, at) else _by_domain(company, who, at)
        if domain is None or not domain_claims.accepts_enrolments(self.session, company.record, domain, at):
            return None
        return Employer(company.record, company.name, domain, company.party)


def add(context: RecordContext, person: PersonRecord, employer: Employer, address: str) -> EnrolmentRows:
    """Prove the address, whose code was answered, and enrol the person for a year; an enrolment that runs is prolonged.

    Raises ValueError for an invalid address.
    """
    session, at = context.session, context.at
    proven = ProvenAddress(address=address, how=MAILED_CODE, at=at, until=at + CODE_PROOF_LIFETIME)
    proof = emails.prove(context, person, proven)  # It locks the person: of two answers at once the second prolongs.
    query = select(Enrolment).where(
        col(Enrolment.company_id) == text_key(employer.company_id),
        col(Enrolment.proof_id) == proof.id,
        *_running(at),
    )
    running = session.exec(query).first()
    row = running or Enrolment(
        id=text_key(context.new_id()),
        company_id=employer.company_id,
        person_id=person.id,
        account_id=person.account_id,
        proof_id=proof.id,
        domain=employer.domain,
        since=at,
        until=at + CODE_PROOF_LIFETIME,
    )
    row.until = at + CODE_PROOF_LIFETIME
    session.add(row)
    return EnrolmentRows(row, proof, new=running is None)


def end(session: Session, enrolment_id: str, *, at: datetime) -> EnrolmentRows | None:
    """End the enrolment now, and the proof if it came from an enrolment and no other rests on it.

    None when the enrolment is not there or over already.
    """
    known = session.exec(
        select(Enrolment, PersonRecord).join(PersonRecord).where(col(Enrolment.id) == text_key(enrolment_id))
    )
    found = known.one_or_none()
    if found is None:
        return None
    row, person = found
    person_rows.lock(session, person)
    session.refresh(row)  # Another session may have ended it before the lock was had.
    if row.ended_at is not None or row.until <= at:
        return None
    row.ended_at = at
    proof = session.exec(select(Proof).where(col(Proof.id) == row.proof_id)).one_or_none()
    # An older proof of the address stays the person's.
    if proof is None or (proof.until is not None and proof.until <= at) or not _came_with_enrolment(session, proof):
        return EnrolmentRows(row, None)
    if _carries_others(session, row, at):
        return EnrolmentRows(row, None)
    proof.until = at
    return EnrolmentRows(row, proof)


def _came_with_enrolment(session: Session, proof: Proof) -> bool:
    first = (col(Enrolment.proof_id) == proof.id, col(Enrolment.since) == proof.at)
    return session.exec(select(Enrolment.id).where(*first).limit(1)).first() is not None


def _carries_others(session: Session, ended: Enrolment, at: datetime) -> bool:
    """Whether the enrolment's proof carries one at another company, whose agreement is in force, too."""
    # The domain may be another company's, too, whose agreement is with another party (`companies.taken`).
    query = (
        select(Enrolment.id)
        .join(CompanyRecord)
        .where(
            col(Enrolment.proof_id) == ended.proof_id,
            col(Enrolment.id) != ended.id,
            *_running(at),
            or_(col(CompanyRecord.ended_at).is_(None), col(CompanyRecord.ended_at) > at),
        )
    )
    return session.exec(query.limit(1)).first() is not None


def find(session: Session, enrolment_id: str) -> tuple[str, int] | None:
    """Company and account of that enrolment."""
    query = select(Enrolment.company_id, Enrolment.account_id).where(col(Enrolment.id) == text_key(enrolment_id))
    return session.exec(query).one_or_none()


def of_account(
    session: Session, account_id: int, *, accepted: Collection[TextKey], at: datetime
) -> tuple[OwnEnrolment, ...]:
    """The enrolments of that account, the newest first. `accepted`: the texts of the catalog."""
    query = (
        select(Enrolment, CompanyRecord)
        .join(CompanyRecord)
        .where(col(Enrolment.account_id) == account_key(account_id))
        .order_by(col(Enrolment.since).desc(), col(Enrolment.id))
    )
    found = session.exec(query).all()
    ids = [company.id for _, company in found]
    signed = company_agreements.with_agreement(session, ids, accepted=accepted)
    return tuple(
        from_row(
            OwnEnrolment,
            row,
            company=company.name,
            running=row.ended_at is None and row.until > at,
            # Ended agreements cover no one, also while the enrolment runs.
            in_force=not signed[company.id].text_missing and (company.ended_at is None or company.ended_at > at),
        )
        for row, company in found
    )


def of_company(session: Session, vault: Vault, company_id: str) -> Iterator[tuple[Enrolment, str, str]]:
    """Every enrolment at that company, the oldest first, with the login and the address shown, "" after an erasure."""
    query = (
        select(Enrolment, PersonRecord.login)
        .join(PersonRecord)
        .where(col(Enrolment.company_id) == text_key(company_id))
        .order_by(col(Enrolment.since), col(Enrolment.id))
    )
    rows = session.exec(query).all()
    addresses = emails.opened(session, vault, [row.proof_id for row, _ in rows])
    return ((row, login, addresses.get(row.proof_id, "")) for row, login in rows)


def running(session: Session, company_id: str, *, at: datetime) -> dict[int, Enrolment]:
    """The enrolments at that company that count at `at`, by account."""
    query = select(Enrolment).where(col(Enrolment.company_id) == text_key(company_id), *_running(at))
    # Of two the one that lasts longer.
    return {row.account_id: row for row in session.exec(query.order_by(col(Enrolment.until)))}


def by_address(session: Session, vault: Vault, company_id: str, address: str, *, at: datetime) -> frozenset[int]:
    """The accounts that are enrolled at that company with that address. Raises ValueError for an invalid one."""
    query = select(Enrolment.account_id).join(Proof, col(Proof.id) == col(Enrolment.proof_id))
    same = col(Proof.address_index).in_(vault.blind_indexes(EMAIL_INDEX, canonical_key(address)))
    return frozenset(session.exec(query.where(col(Enrolment.company_id) == text_key(company_id), same, *_running(at))))


REMINDERS_BEFORE_END = (timedelta(days=30), timedelta(days=7))
"""The times before the end of an enrolment at which its person is written to."""


@dataclass(frozen=True, slots=True)
class ExpiringEnrolment:
    """An enrolment (`id`) of `account_id` at `company` (`company_id`) that ends at `until`; the reminder due now is the one of `before`.

    `address` is where to write to, None after an erasure.
    """

    id: str
    account_id: int
    company_id: str
    company: str
    until: datetime
    before: timedelta
    address: str | None = field(default=None, repr=False)


def expiring(session: Session, vault: Vault, *, at: datetime) -> tuple[ExpiringEnrolment, ...]:
    """Enrolments that end soon, while the company's agreement is in force."""
    query = (
        select(Enrolment, CompanyRecord.name)
        .join(CompanyRecord)
        .where(
            *_running(at),
            col(Enrolment.until) <= at + max(REMINDERS_BEFORE_END),
            col(CompanyRecord.countersigned_at).is_not(None),
        )
        .where(or_(col(CompanyRecord.ended_at).is_(None), col(CompanyRecord.ended_at) > at))
        .order_by(col(Enrolment.id))
    )
    due = [
        (row, name, span)
        for row, name in session.exec(query)
        if (span := renewals.reminder(row.until, row.reminded_at, REMINDERS_BEFORE_END, at=at)) is not None
    ]
    # Only of those that are due: opening costs time.
    addresses = emails.opened(session, vault, [row.proof_id for row, _, _ in due])
    return tuple(
        from_row(ExpiringEnrolment, row, company=name, before=span, address=addresses.get(row.proof_id))
        for row, name, span in due
    )


def reminded(session: Session, enrolment_id: str, *, at: datetime) -> None:
    """Note that the person was written to at `at`."""
    reminded = update(Enrolment).where(col(Enrolment.id) == text_key(enrolment_id)).values(reminded_at=at)
    # One column that is not logged: no lock of the person is needed.
    session.exec(reminded, execution_options={"synchronize_session": False})


def _by_domain(company: facts.Company, who: Candidate, at: datetime) -> str | None:
    domains = tuple(entry for entry in company.covers if entry.domain is not None)
    # People whom the company names by account or address need no enrolment.
    found = match(replace(company, covers=domains), who, "enrolled", at)
    return found.shown if found is not None and not found.ended else None


def _running(at: datetime) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return col(Enrolment.ended_at).is_(None), col(Enrolment.until) > at
