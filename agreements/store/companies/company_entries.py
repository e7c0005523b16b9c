"""Whom a company names and whom it excludes: added and ended by its managers from a day on, never backwards."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from sqlalchemy import ColumnElement, func
from sqlmodel import Session, col, or_, select

from agreements.domains.domains import canonical_address, canonical_domain
from agreements.facts import Entry
from agreements.store.companies import companies, company_facts, company_rows
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.lookup.keys import account_key, text_key
from agreements.store.lookup.row_values import from_row
from agreements.store.people.emails import INDEX
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import Company, CompanyEntry
from agreements.vault import Vault

State = Literal["in force", "later", "over"]
Mode = Literal["linked", "enrolled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryDetails:
    """One entry as the company's managers see it; the address opened, the login as it was when it was added."""

    id: str
    kind: str
    excluded: bool
    state: State
    domain: str | None
    subdomains: bool
    email: str | None = field(repr=False)
    account_id: int | None
    login: str
    since: datetime | None
    until: datetime | None
    added_at: datetime


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the entries, and how many there are in all."""

    entries: tuple[EntryDetails, ...]
    total: int


def add(context: RecordContext, company_id: str, entry: Entry, *, excluded: bool = False, login: str = "") -> str:
    """Name an address or an account, or exclude one, from `entry.since` (None: at once) on; the entry's id.

    Raises LookupError, and CompanyRefused: `domain` (a domain needs a claim), `invalid` for what is no address, `past`
    for a beginning before `at`, `order` for an end that is not after it, `known` when one entry says so already for all
    of that time, `ended` for a company that is no more.
    """
    company = company_rows.locked(context.session, company_id)
    reason = _refusal(context.session, context.vault, company, entry, at=context.at, excluded=excluded)
    if reason:
        raise CompanyRefused(reason)
    row = _added(context, company, entry, excluded=excluded, login=login)
    details = {"kind": row.kind, "account": row.account_id, "excluded": excluded, **_period(row)}
    company_rows.log(context, company, "entry.added", [row], details)
    return row.id


def add_all(
    context: RecordContext, company_id: str, wanted: Sequence[tuple[Entry, str]], *, excluded: bool = False
) -> tuple[str, ...]:
    """Name, or exclude, all of these, each with its login as a label; for each the reason why it was left out, as `add` says it, or "".

    One line in the log names all rows that were added. Raises LookupError.
    """
    company = company_rows.locked(context.session, company_id)
    reasons: list[str] = []
    rows: list[CompanyEntry] = []
    for entry, login in wanted:
        reason = _refusal(context.session, context.vault, company, entry, at=context.at, excluded=excluded)
        if not reason:
            rows.append(_added(context, company, entry, excluded=excluded, login=login))
        reasons.append(reason)
    if rows:
        company_rows.log(context, company, "entries.added", rows, {"count": len(rows), "excluded": excluded})
    return tuple(reasons)


def refusals(
    session: Session, vault: Vault, company_id: str, entries: Sequence[Entry], *, at: datetime
) -> tuple[str, ...]:
    """What `add_all` would say to these now, each looked at by itself. Raises LookupError."""
    company = company_rows.find(session, company_id)
    return tuple(_refusal(session, vault, company, entry, at=at, excluded=False) for entry in entries)


def _refusal(session: Session, vault: Vault, company: Company, entry: Entry, *, at: datetime, excluded: bool) -> str:
    """Why this can't be added, in one word; "" when it can."""
    if company_rows.is_over(company, at):
        return "ended"
    if entry.domain is not None:
        return "domain"
    if entry.email is not None and canonical_address(entry.email) is None:
        return "invalid"
    since = at if entry.since is None else entry.since
    if since < at:
        return "past"
    if entry.until is not None and entry.until <= since:
        return "order"
    mine = (col(CompanyEntry.company_id) == company.id, col(CompanyEntry.excluded).is_(excluded))
    says = _says(vault, replace(entry, since=since))
    return "" if session.exec(select(CompanyEntry.id).where(*mine, *says)).first() is None else "known"


def _added(context: RecordContext, company: Company, entry: Entry, *, excluded: bool, login: str) -> CompanyEntry:
    """The row, written."""
    session, at = context.session, context.at
    entry = replace(entry, since=at if entry.since is None else entry.since)
    row = companies.add_entry(session, context.vault, company, entry, at=at, new_id=context.new_id(), excluded=excluded)
    row.added_by, row.login = context.actor, login
    return row


def end(context: RecordContext, company_id: str, entry_id: str, *, until: datetime) -> None:
    """From `until` on the entry says nothing; nothing changes for the time before.

    Raises LookupError unless it is that company's, and CompanyRefused: `past` for a moment before `at`, `over` when it
    has ended or ends before `until`.
    """
    company = company_rows.locked(context.session, company_id)
    row = _of(context.session, company, entry_id)
    if until < context.at:
        raise CompanyRefused("past")
    if row.until is not None and (row.until <= context.at or row.until < until):
        raise CompanyRefused("over")
    row.until = until
    details = {"kind": row.kind, "account": row.account_id, "domain": row.domain, **_period(row)}
    company_rows.log(context, company, "entry.ended", [row], details)


def set_subdomains(context: RecordContext, company_id: str, entry_id: str, *, subdomains: bool) -> None:
    """Whether a domain takes in what is below it. The same choice again changes nothing.

    Raises LookupError unless it is that company's domain, and CompanyRefused: `over`, or `taken` when another company
    holds something below it.
    """
    session, at = context.session, context.at
    company_rows.lock_domains(session)
    company = company_rows.locked(session, company_id)
    row = _of(session, company, entry_id)
    if row.domain is None:
        raise LookupError("not a domain")
    if row.until is not None and row.until <= at:
        raise CompanyRefused("over")
    if row.subdomains == subdomains:
        return
    if subdomains and not row.excluded and companies.taken(session, company, row.domain, at, subdomains=True):
        raise CompanyRefused("taken")
    row.subdomains = subdomains
    details = {"domain": row.domain, "subdomains": subdomains}
    company_rows.log(context, company, "entry.changed", [row], details)


def set_mode(context: RecordContext, company_id: str, mode: Mode, *, least: Mode) -> None:
    """Whether an address counts once GitHub links it, or only once somebody enrolled. The same choice changes nothing.

    Raises LookupError, and CompanyRefused `weaker` for less than the rulebook asks for.
    """
    company = company_rows.locked(context.session, company_id)
    if mode == "linked" and least == "enrolled":
        raise CompanyRefused("weaker")
    if company.domains == mode:
        return
    company.domains = mode
    company_rows.log(context, company, "company.changed", [company], {"domains": mode})


def page(  # noqa: PLR0913 - the session and the vault come first everywhere, the rest is one question
    session: Session, vault: Vault, company_id: str, *, at: datetime, skip: int, most: int, wanted: str = ""
) -> Page:
    """Entries of the company, those in force first, then by kind. Raises LookupError.

    `wanted` finds an address, an account's id or label, or a domain, whole and in any spelling.
    """
    company = company_rows.find(session, company_id)
    where = [col(CompanyEntry.company_id) == company.id, *([_like(vault, wanted)] if wanted.strip() else [])]
    over = func.coalesce(col(CompanyEntry.until) <= at, False)
    query = select(CompanyEntry).where(*where)
    ordered = query.order_by(over, col(CompanyEntry.excluded), col(CompanyEntry.kind), col(CompanyEntry.added_at).desc(), col(CompanyEntry.id))  # fmt: skip
    rows = session.exec(ordered.offset(skip).limit(most))
    total = session.exec(select(func.count()).select_from(CompanyEntry).where(*where)).one()
    return Page(tuple(_listed(vault, company, row, at) for row in rows), total)


def one(session: Session, vault: Vault, company_id: str, entry_id: str, *, at: datetime) -> EntryDetails:
    """One entry of the company. Raises LookupError unless it is that company's."""
    company = company_rows.find(session, company_id)
    return _listed(vault, company, _of(session, company, entry_id), at)


def _of(session: Session, company: Company, entry_id: str) -> CompanyEntry:
    wanted = (col(CompanyEntry.id) == text_key(entry_id), col(CompanyEntry.company_id) == company.id)
    row = session.exec(select(CompanyEntry).where(*wanted)).one_or_none()
    if row is None:
        raise LookupError("no such entry")
    return row


def _says(vault: Vault, entry: Entry) -> tuple[ColumnElement[bool], ...]:
    """What an entry must be to say the same from the first moment of this one to its last."""
    endless = col(CompanyEntry.until).is_(None)
    return (
        _same(vault, entry),
        or_(col(CompanyEntry.since).is_(None), col(CompanyEntry.since) <= entry.since),
        endless if entry.until is None else or_(endless, col(CompanyEntry.until) >= entry.until),
    )


def _same(vault: Vault, entry: Entry) -> ColumnElement[bool]:
    if entry.email is not None:
        return col(CompanyEntry.email_index).in_(vault.blind_indexes(INDEX, canonical_address(entry.email) or ""))
    return col(CompanyEntry.account_id) == account_key(entry.account_id)


def _like(vault: Vault, wanted: str) -> ColumnElement[bool]:
    """What somebody typed into the search: an address, a number, a domain or a login."""
    text = wanted.strip()
    address = canonical_address(text)
    if address is not None:
        return col(CompanyEntry.email_index).in_(vault.blind_indexes(INDEX, address))
    if text.isascii() and text.isdecimal() and len(text) <= 18:
        return col(CompanyEntry.account_id) == int(text)
    login = func.lower(col(CompanyEntry.login)) == text.removeprefix("@").lower()
    domain = canonical_domain(text)
    return login if domain is None else or_(login, col(CompanyEntry.domain) == domain)


def _listed(vault: Vault, company: Company, row: CompanyEntry, at: datetime) -> EntryDetails:
    state: State = "in force" if row.since is None or row.since <= at else "later"
    if row.until is not None and row.until <= at:
        state = "over"
    return from_row(EntryDetails, row, state=state, email=company_facts.address(vault, company, row))


def _period(row: CompanyEntry) -> dict[str, str | None]:
    return {
        name: moment.isoformat() if moment else None for name, moment in (("since", row.since), ("until", row.until))
    }
