"""Who looks after a company's agreement, and when: two at least, once it is countersigned; before that anybody may go."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement
from sqlmodel import Session, SQLModel, col, or_, select

from agreements.facts import Account
from agreements.github_server import GitHubServer
from agreements.store.companies import company_mail, company_rows
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.ledger import row_check
from agreements.store.lookup import account_key, text_key
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyManager, CompanyRecord
from agreements.vault import Vault

MIN_MANAGERS, MAX_MANAGERS = 2, 20
"""How few and how many may look after one company."""


@dataclass(frozen=True, slots=True)
class Manager:
    """Somebody in office; the login is a label of the day on which they began."""

    id: str
    account: Account
    since: datetime


def manages(session: Session, vault: Vault, account_id: int, company_id: str, *, at: datetime) -> bool:
    """Whether that account looks after that company at `at`; an empty company id is nobody's.

    An office that the log does not have so opens nothing: its company's data would be whoever's who writes to the database.
    """
    query = select(CompanyManager.id).where(
        col(CompanyManager.account_id) == account_key(account_id),
        col(CompanyManager.company_id) == company_id,
        *_in_office(at),
    )
    offices = set(session.exec(query)) if company_id else set()
    return bool(offices - row_check.unlogged(session, vault, CompanyManager, offices))


def ever_managed(session: Session, account_id: int, company_id: str) -> bool:
    """Whether that account looks or looked after that company at any time: whoever left has a part in it all the same."""
    mine = (
        col(CompanyManager.account_id) == account_key(account_id),
        col(CompanyManager.company_id) == text_key(company_id),
    )
    return session.exec(select(CompanyManager.id).where(*mine)).first() is not None


def companies_of(session: Session, vault: Vault, account_id: int, *, at: datetime) -> tuple[str, ...]:
    """Ids of the companies that the account looks after at `at`, sorted; of offices as the log has them, as `manages`."""
    query = select(CompanyManager.id, CompanyManager.company_id).where(
        col(CompanyManager.account_id) == account_key(account_id), *_in_office(at)
    )
    offices = dict(session.exec(query).all())
    unlogged = row_check.unlogged(session, vault, CompanyManager, offices)
    return tuple(sorted({company_id for office_id, company_id in offices.items() if office_id not in unlogged}))


def looked_after(session: Session, vault: Vault, account_id: int, *, at: datetime) -> tuple[tuple[str, str], ...]:
    """Id and name of those companies, by name."""
    known = select(CompanyRecord.id, CompanyRecord.name).where(
        col(CompanyRecord.id).in_(companies_of(session, vault, account_id, at=at))
    )
    return tuple(session.exec(known.order_by(col(CompanyRecord.name), col(CompanyRecord.id))).all())


def in_office(session: Session, company_id: str, *, at: datetime) -> tuple[Manager, ...]:
    """Who looks after the company at `at`, those who began first come first."""
    return tuple(
        Manager(row.id, Account(row.account_id, row.login), row.since) for row in _rows(session, company_id, at)
    )


def addresses(session: Session, vault: Vault, company_id: str, *, server: GitHubServer, at: datetime) -> dict[int, str]:
    """Where the managers in office can be written to, those of whom we know an address; its proof may have lapsed."""
    accounts = [one.account.id for one in in_office(session, company_id, at=at)]
    return company_mail.addresses(session, vault, company_id, accounts, server=server)


def office(context: RecordContext, company: CompanyRecord, account: Account) -> SQLModel:
    """The row that puts somebody into office; what asks for it writes the log. Raises CompanyRefused.

    `already` when they are in office, `no-person` for what is no person's account, `too-many`.
    """
    text_key(account.login)
    present = _rows(context.session, company.id, context.at)
    if account.type != "User" or account.login.endswith("[bot]"):
        raise CompanyRefused("no-person")
    if account.id in {row.account_id for row in present}:
        raise CompanyRefused("already")
    if len(present) >= MAX_MANAGERS:
        raise CompanyRefused("too-many")
    row = CompanyManager(
        id=text_key(context.new_id()),
        company_id=company.id,
        account_id=account_key(account.id),
        login=account.login,
        since=context.at,
        added_by=context.actor,
    )
    context.session.add(row)
    context.session.flush()
    return row


def appoint(context: RecordContext, company_id: str, account: Account, *, reason: str = "") -> None:
    """Put somebody into office, by a manager of the company, or with a reason by an administrator.

    Raises LookupError, and CompanyRefused as `office` does; for an administrator also `reason-needed`, `own` when they
    would appoint themselves, `ended`, and `enough` while two are in office, who can do it themselves.
    """
    session, by, at = context.session, context.actor, context.at
    company = company_rows.locked(session, company_id)
    if not manages(session, context.vault, by, company.id, at=at):
        if not reason.strip():
            raise CompanyRefused("reason-needed")
        if by == account.id:
            raise CompanyRefused("own")
        if company_rows.is_over(company, at):
            raise CompanyRefused("ended")
        if len(_rows(session, company.id, at)) >= MIN_MANAGERS:
            raise CompanyRefused("enough")
    row = office(context, company, account)
    details = {"account": account.id, "reason": reason.strip()}
    company_rows.log(context, company, "manager.appointed", [row], details)


def leave(context: RecordContext, company_id: str, account_id: int, *, successor: Account | None = None) -> None:
    """Somebody is a manager no longer; a successor takes their place in the same step.

    Raises LookupError for whoever is no manager, and CompanyRefused: `successor-needed` when fewer than two would be
    left of a company that was countersigned, and as `office` does for the successor.
    """
    company = company_rows.locked(context.session, company_id)
    present = _rows(context.session, company.id, context.at)
    leaving = next((row for row in present if row.account_id == account_key(account_id)), None)
    if leaving is None:
        raise LookupError("not a manager of this company")
    # Before the countersignature anybody can have named them, unasked: nothing holds them there.
    if successor is None and len(present) <= MIN_MANAGERS and company.countersigned_at is not None:
        raise CompanyRefused("successor-needed")
    rows: list[SQLModel] = [leaving]
    if successor is not None:
        rows.append(office(context, company, successor))
    leaving.until = context.at
    details = {"account": account_id, "successor": successor.id if successor else None}
    company_rows.log(context, company, "manager.left", rows, details)


def _rows(session: Session, company_id: str, at: datetime) -> list[CompanyManager]:
    query = select(CompanyManager).where(col(CompanyManager.company_id) == text_key(company_id), *_in_office(at))
    return list(session.exec(query.order_by(col(CompanyManager.since), col(CompanyManager.id))))


def _in_office(at: datetime) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return col(CompanyManager.since) <= at, or_(col(CompanyManager.until).is_(None), col(CompanyManager.until) > at)
