"""The managers of a company's agreement: two at least once it is countersigned; before that each may leave."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement
from sqlmodel import Session, SQLModel, col, func, or_, select

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
"""The least and the greatest number of managers of one company."""


@dataclass(frozen=True, slots=True)
class Manager:
    """A manager in office (`id`) since the moment `since`; the `account`'s login is a label of that day."""

    id: str
    account: Account
    since: datetime


def manages(session: Session, vault: Vault, account_id: int, company_id: str, *, at: datetime) -> bool:
    """Whether that account manages that company at `at`; False for an empty company id."""
    query = select(CompanyManager.id).where(
        col(CompanyManager.account_id) == account_key(account_id),
        col(CompanyManager.company_id) == company_id,
        *_in_office(at),
    )
    offices = set(session.exec(query)) if company_id else set()
    # Write access to the database must not open a company's data: an office counts only as logged.
    return bool(offices - row_check.unlogged(session, vault, CompanyManager, offices))


def ever_managed(session: Session, account_id: int, company_id: str) -> bool:
    """Whether that account manages or managed that company at any time."""
    mine = (
        col(CompanyManager.account_id) == account_key(account_id),
        col(CompanyManager.company_id) == text_key(company_id),
    )
    return session.exec(select(CompanyManager.id).where(*mine)).first() is not None


def companies_of(session: Session, vault: Vault, account_id: int, *, at: datetime) -> tuple[str, ...]:
    """The ids of the companies that the account manages at `at`, sorted, by offices that are as logged."""
    query = select(CompanyManager.id, CompanyManager.company_id).where(
        col(CompanyManager.account_id) == account_key(account_id), *_in_office(at)
    )
    offices = dict(session.exec(query).all())
    unlogged = row_check.unlogged(session, vault, CompanyManager, offices)
    return tuple(sorted({company_id for office_id, company_id in offices.items() if office_id not in unlogged}))


def looked_after(session: Session, vault: Vault, account_id: int, *, at: datetime) -> tuple[tuple[str, str], ...]:
    """Id and name of the companies that the account manages, by name."""
    known = select(CompanyRecord.id, CompanyRecord.name).where(
        col(CompanyRecord.id).in_(companies_of(session, vault, account_id, at=at))
    )
    return tuple(session.exec(known.order_by(func.lower(CompanyRecord.name), col(CompanyRecord.id))).all())


def in_office(session: Session, company_id: str, *, at: datetime) -> tuple[Manager, ...]:
    """The company's managers at `at`, in the order in which they began."""
    return tuple(
        Manager(row.id, Account(row.account_id, row.login), row.since) for row in _rows(session, company_id, at)
    )


def addresses(session: Session, vault: Vault, company_id: str, *, server: GitHubServer, at: datetime) -> dict[int, str]:
    """The addresses of the managers in office, as far as any are known; a proof may have lapsed."""
    accounts = [manager.account.id for manager in in_office(session, company_id, at=at)]
    return company_mail.addresses(session, vault, company_id, accounts, server=server)


def office(context: RecordContext, company: CompanyRecord, account: Account) -> SQLModel:
    """The row that puts an account into office; the caller writes the log.

    Raises CompanyRefused: `already` in office, `no-person` for an account that is no person's, `too-many`.
    """
    text_key(account.login)
    present = _rows(context.session, company.id, context.at)
    # An App's account has the type `Bot`, and a login that ends in `[bot]`.
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
    """Put an account into office, by a manager of the company, or with a reason by an administrator.

    Raises LookupError, and CompanyRefused as `office` does; for an administrator also `reason-needed`, `own`, `ended`,
    and `enough` while two managers are in office.
    """
    session, by, at = context.session, context.actor, context.at
    company = company_rows.locked(session, company_id)  # The number of managers is counted below.
    if not manages(session, context.vault, by, company.id, at=at):
        if not reason.strip():
            raise CompanyRefused("reason-needed")
        if by == account.id:
            raise CompanyRefused("own")
        if company_rows.is_over(company, at):
            raise CompanyRefused("ended")
        # Two managers can do it themselves; an administrator helps only where they cannot.
        if len(_rows(session, company.id, at)) >= MIN_MANAGERS:
            raise CompanyRefused("enough")
    row = office(context, company, account)
    details = {"account": account.id, "reason": reason.strip()}
    company_rows.log(context, company, "manager.appointed", [row], details)


def leave(context: RecordContext, company_id: str, account_id: int, *, successor: Account | None = None) -> None:
    """End the office of a manager; a successor takes their place in the same step.

    Raises LookupError when they are no manager, and CompanyRefused: `successor-needed` when fewer than two would be
    left of a company that was countersigned, and as `office` does for the successor.
    """
    # Of two who leave at once the second finds one manager fewer.
    company = company_rows.locked(context.session, company_id)
    present = _rows(context.session, company.id, context.at)
    leaving = next((row for row in present if row.account_id == account_key(account_id)), None)
    if leaving is None:
        raise LookupError("not a manager of this company")
    # Before the countersignature anyone may have named them, unasked: nothing holds them there.
    if successor is None and len(present) <= MIN_MANAGERS and company.countersigned_at is not None:
        raise CompanyRefused("successor-needed")
    rows: list[SQLModel] = [leaving]
    if successor is not None:
        # Before the office ends: a successor already in office is refused.
        rows.append(office(context, company, successor))
    leaving.until = context.at
    details = {"account": account_id, "successor": successor.id if successor else None}
    company_rows.log(context, company, "manager.left", rows, details)


def _rows(session: Session, company_id: str, at: datetime) -> list[CompanyManager]:
    query = select(CompanyManager).where(col(CompanyManager.company_id) == text_key(company_id), *_in_office(at))
    return list(session.exec(query.order_by(col(CompanyManager.since), col(CompanyManager.id))))


def _in_office(at: datetime) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return col(CompanyManager.since) <= at, or_(col(CompanyManager.until).is_(None), col(CompanyManager.until) > at)
