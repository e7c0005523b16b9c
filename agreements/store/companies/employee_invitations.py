"""Employees whom their company asks by mail to enrol: once, reminded twice, and no more once they have enrolled."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from sqlmodel import Session, col, func, or_, select

from agreements.domains.canonical_form import domains_over
from agreements.github_server import GitHubServer
from agreements.store.companies import company_rows, domain_claims, enrolments, rosters
from agreements.store.companies.company_rows import CompanyRefused, company_key
from agreements.store.lookup import byte_chunks, canonical_key, from_row, text_key
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyRecord, EmployeeInvitation
from agreements.store.tables.declarations import EMAIL_INDEX
from agreements.vault import Vault, place

REMIND_AFTER = timedelta(days=7)
"""The time from one mail to the next reminder."""

MAX_REMINDERS = 2  # three mails in all

MAX_INVITATIONS_A_DAY = 2000
"""The employees that one company may invite within a day."""

State = Literal["waiting", "enrolled", "withdrawn"]
Language = Literal["en", "zh"]
Outcome = Literal["invite", "invited", "enrolled", "foreign"]
"""The effect of inviting an address; `foreign`: it can't be used to enrol, since none of the company's domains takes it in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """An invitation (`id`, `company_id`) to an `address`, for the company's managers and for its mail in that `language`.

    It was sent at `invited_at`, then reminded of `reminders` times, last at `reminded_at` (None: never); its `state`.
    """

    id: str
    company_id: str
    address: str = field(repr=False)
    language: Language
    state: State
    invited_at: datetime
    reminders: int
    reminded_at: datetime | None


def judged(
    session: Session,
    vault: Vault,
    company_id: str,
    addresses: Iterable[str],
    *,
    server: GitHubServer,
    at: datetime,
) -> dict[str, Outcome]:
    """The effect of inviting each address. Raises LookupError, and ValueError for an invalid address."""
    roster = rosters.roster(session, vault, company_id, accepted=())  # Only its entries are read.
    domains = [
        (roster_entry.entry.domain, roster_entry.entry.subdomains)
        for roster_entry in roster.named
        if roster_entry.entry.domain is not None and not roster_entry.excluded and roster_entry.entry.runs(at)
        and domain_claims.accepts_enrolments(session, company_id, roster_entry.entry.domain, at)
    ]  # fmt: skip
    wanted = [canonical_key(address) for address in addresses]
    rows = _by_address(session, vault, company_id, wanted)
    found: dict[str, Outcome] = {}
    for address in wanted:
        over, row = domains_over(address, server), rows.get(address)
        if not any(domain in (over if below else over[:1]) for domain, below in domains):
            found[address] = "foreign"
        elif enrolments.by_address(session, vault, company_id, address, at=at):
            found[address] = "enrolled"
        else:
            found[address] = "invited" if row and row.withdrawn_at is None and row.enrolled_at is None else "invite"
    return found


def invite(
    context: RecordContext, company_id: str, addresses: Sequence[str], language: Language, *, server: GitHubServer
) -> tuple[Invitation, ...]:
    """Invite those of the addresses that can be; the new invitations, for each of which the caller stores the mail.

    The caller ends its transaction with `log_invited`. Raises LookupError, CompanyRefused: `not-in-force`, `too-many`.
    """
    session, vault, at = context.session, context.vault, context.at
    company = company_rows.locked(session, company_id)  # Before invitations are counted.
    if company.countersigned_at is None or company.refused_at is not None or company_rows.is_over(company, at):
        raise CompanyRefused("not-in-force")
    outcomes = judged(session, vault, company_id, addresses, server=server, at=at)
    good = [address for address, outcome in outcomes.items() if outcome == "invite"]
    lately = (
        col(EmployeeInvitation.company_id) == company.id,
        col(EmployeeInvitation.invited_at) > at - timedelta(days=1),
    )
    # The site's mail server must not become a way to send spam.
    if session.exec(select(func.count()).where(*lately)).one() + len(good) > MAX_INVITATIONS_A_DAY:
        raise CompanyRefused("too-many")
    known, made = _by_address(session, vault, company_id, good), []
    for address in good:
        row = known.get(address)
        if row is None:
            row = _new(context, company, address)
        # An older invitation of the address begins anew: one row an address (`employee_invitation_once`).
        row.language, row.invited_at, row.invited_by = language, at, context.actor
        row.reminders, row.reminded_at, row.withdrawn_at, row.enrolled_at = 0, None, None, None
        session.add(row)
        made.append(_view(vault, company, row))
    session.flush()
    return tuple(made)


def log_invited(context: RecordContext, company_id: str, made: Sequence[Invitation]) -> None:
    """Log who invited how many for which company. Raises LookupError."""
    if made:
        company = company_rows.find(context.session, company_id)
        # Addresses stay out: the log is kept, invitations are deleted.
        details = {"count": len(made), "language": made[0].language}
        company_rows.log(context, company, "invitations.sent", (), details)


def withdraw(context: RecordContext, company_id: str, invitation_id: str) -> None:
    """Send no more reminders, and log who decided so, once. Raises LookupError for an invitation of another company."""
    company = company_rows.locked(context.session, company_id)
    row = context.session.get(EmployeeInvitation, text_key(invitation_id))
    if row is None or row.company_id != company.id:
        raise LookupError("no such invitation")
    if row.withdrawn_at is None:
        row.withdrawn_at = context.at
        details = {"account": row.invited_by, "sent": row.invited_at.isoformat()}
        company_rows.log(context, company, "invitation.withdrawn", (), details)


def enrolled(context: RecordContext, company_id: str, address: str) -> None:
    """Note that an employee enrolled with that address, which answers its invitation."""
    canonical = canonical_key(address)
    row = _by_address(context.session, context.vault, company_id, [canonical]).get(canonical)
    if row is not None:
        row.enrolled_at = row.enrolled_at or context.at


def of_company(session: Session, vault: Vault, company_id: str) -> tuple[Invitation, ...]:
    """Every invitation of that company: those that wait first, then the newest first."""
    query = select(EmployeeInvitation, CompanyRecord).join(CompanyRecord)
    mine = query.where(col(EmployeeInvitation.company_id) == text_key(company_id))
    rows = session.exec(mine.order_by(col(EmployeeInvitation.invited_at).desc(), col(EmployeeInvitation.id)))
    found = [_view(vault, company, row) for row, company in rows]
    return tuple(sorted(found, key=lambda invitation: invitation.state != "waiting"))


def due(session: Session, vault: Vault, *, at: datetime) -> tuple[tuple[Invitation, str], ...]:
    """Invitations of companies in force that are to be reminded of now, each with its company's name."""
    last = func.coalesce(EmployeeInvitation.reminded_at, EmployeeInvitation.invited_at)
    query = (
        select(EmployeeInvitation, CompanyRecord)
        .join(CompanyRecord)
        .where(
            col(EmployeeInvitation.withdrawn_at).is_(None),
            col(EmployeeInvitation.enrolled_at).is_(None),
            col(EmployeeInvitation.reminders) < MAX_REMINDERS,
            last <= at - REMIND_AFTER,
            col(CompanyRecord.countersigned_at).is_not(None),
            or_(col(CompanyRecord.ended_at).is_(None), col(CompanyRecord.ended_at) > at),
        )
        .order_by(col(EmployeeInvitation.id))
    )
    return tuple((_view(vault, company, row), company.name) for row, company in session.exec(query))


def reminded(context: RecordContext, invitation: Invitation) -> bool:
    """Note that a reminder goes out; False if it must not: enrolled, withdrawn, or sent by another replica."""
    session, at = context.session, context.at
    company = company_rows.locked(session, invitation.company_id)
    # Its state before the lock may be old.
    row = session.get(EmployeeInvitation, invitation.id, populate_existing=True)
    if row is None or row.reminders != invitation.reminders or row.withdrawn_at or row.enrolled_at:
        return False
    if enrolments.by_address(session, context.vault, company.id, invitation.address, at=at):
        row.enrolled_at = at
        return False
    row.reminders, row.reminded_at = row.reminders + 1, at
    return True


def _new(context: RecordContext, company: CompanyRecord, address: str) -> EmployeeInvitation:
    vault, row_id = context.vault, text_key(context.new_id())
    return EmployeeInvitation(
        id=row_id,
        company_id=company.id,
        address=vault.encrypt(
            company_key(vault, company), address.encode(), place("employee_invitation", "address", row_id)
        ),
        address_index=vault.blind_index(EMAIL_INDEX, address),
        language="en",
        invited_at=context.at,
        invited_by=context.actor,
    )


def _by_address(
    session: Session, vault: Vault, company_id: str, addresses: Collection[str]
) -> dict[str, EmployeeInvitation]:
    # Rows made before a rotation have the index of the key before.
    whose = {index: address for address in addresses for index in vault.blind_indexes(EMAIL_INDEX, address)}
    query = select(EmployeeInvitation).where(col(EmployeeInvitation.company_id) == text_key(company_id))
    rows = (
        row
        for chunk in byte_chunks(list(whose))
        for row in session.exec(query.where(col(EmployeeInvitation.address_index).in_(chunk)))
    )
    return {whose[row.address_index]: row for row in rows}


def _view(vault: Vault, company: CompanyRecord, row: EmployeeInvitation) -> Invitation:
    state: State = "enrolled" if row.enrolled_at else "withdrawn" if row.withdrawn_at else "waiting"
    address = vault.decrypt(
        company_key(vault, company), row.address, place("employee_invitation", "address", row.id)
    ).decode()
    return from_row(Invitation, row, address=address, state=state)
