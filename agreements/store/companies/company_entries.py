"""The people that a company names or excludes: added and ended by its managers from a day on, never for the past."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, func, not_
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, or_, select

from agreements.domains.canonical_form import canonical_address, canonical_domain
from agreements.facts import Entry
from agreements.store.companies import companies, company_rows
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.lookup import account_chunks, account_key, byte_chunks, from_row, text_key
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from agreements.store.tables.declarations import EMAIL_INDEX
from agreements.vault import Vault

State = Literal["in force", "later", "over"]
Mode = Literal["linked", "enrolled"]
_Key = bytes | int
"""The fingerprint of an address, or the id of an account."""
_Said = defaultdict[_Key, list[tuple[datetime | None, datetime | None]]]
"""By person, the periods of the entries about them: `since` and `until`."""
_PERIODS = tuple(map(col, (CompanyEntry.email_index, CompanyEntry.account_id, CompanyEntry.since, CompanyEntry.until)))


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryDetails:
    """An entry (`id`) as the company's managers see it, with the `account_id`, `domain` or `email` (opened) that it names.

    `kind`: `domain`, `email` or `account`; `excluded`: it takes out instead of in; `subdomains`: with those below the
    domain. It was added at `added_at`, when the account had the `login`; it runs from `since` (None: always) until
    `until` (None: without end). `state` says this of now; `overridden`: an exclusion of the same account or address is
    in force, so the entry has no effect now.
    """

    id: str
    kind: str
    excluded: bool
    state: State
    overridden: bool
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
    """Some of a company's `entries`, and how many there are in all (`total`)."""

    entries: tuple[EntryDetails, ...]
    total: int


KINDS = ("account", "email", "domain")
"""The kinds of entries."""


@dataclass(frozen=True, slots=True)
class CompanyEntryFilter:
    """The entries wanted: of one `kind`, and `state` `covered`, `excluded`, `later` or `over`; "" for all.

    `wanted` finds a whole address, an account's id, how a login begins, or a domain, in any spelling. `sort`: `name`,
    `newest` or `ends`; else those in force come first, then by kind, the newest first.
    """

    wanted: str = ""
    kind: str = ""
    state: str = ""
    sort: str = ""


EVERY_ENTRY = CompanyEntryFilter()


def add(context: RecordContext, company_id: str, entry: Entry, *, excluded: bool = False, login: str = "") -> str:
    """Name an address or an account, or exclude one, from `entry.since` (None: at once) on; the entry's id.

    Raises LookupError, and CompanyRefused: `domain` (it needs a claim), `invalid` address, `past` for a begin before
    `at`, `past-end` or `order` for an end before `at` or the begin, `known` when one entry says so for all that time,
    `ended`.
    """
    company = company_rows.locked(context.session, company_id)  # Two managers at once would add the same person twice.
    said = _said(context.session, context.vault, company, [entry], excluded=excluded)
    reason = _refusal(said, context.vault, company, entry, at=context.at)
    if reason:
        raise CompanyRefused(reason)
    row = _added(context, company, entry, excluded=excluded, login=login)
    context.session.flush()
    details = {"kind": row.kind, "account": row.account_id, "excluded": excluded, **_period(row)}
    company_rows.log(context, company, "entry.added", [row], details)
    return row.id


def add_all(
    context: RecordContext, company_id: str, wanted: Sequence[tuple[Entry, str]], *, excluded: bool = False
) -> tuple[str, ...]:
    """Name, or exclude, all of these, each labelled with its login; for each "", or why `add` would refuse it.

    One log entry names all rows. Raises LookupError.
    """
    company = company_rows.locked(context.session, company_id)
    said = _said(context.session, context.vault, company, [entry for entry, _ in wanted], excluded=excluded)
    reasons: list[str] = []
    rows: list[CompanyEntry] = []
    for entry, login in wanted:
        reason = _refusal(said, context.vault, company, entry, at=context.at)
        if not reason:
            row = _added(context, company, entry, excluded=excluded, login=login)
            # The same person may stand in a file twice.
            said[_key(row.email_index, row.account_id)].append((row.since, row.until))
            rows.append(row)
        reasons.append(reason)
    context.session.flush()
    if rows:
        company_rows.log(context, company, "entries.added", rows, {"count": len(rows), "excluded": excluded})
    return tuple(reasons)


def refusals(
    session: Session, vault: Vault, company_id: str, entries: Sequence[Entry], *, at: datetime
) -> tuple[str, ...]:
    """The reasons for which `add_all` would refuse these now, each looked at by itself. Raises LookupError."""
    company = company_rows.find(session, company_id)
    said = _said(session, vault, company, entries, excluded=False)
    return tuple(_refusal(said, vault, company, entry, at=at) for entry in entries)


def _refusal(said: _Said, vault: Vault, company: CompanyRecord, entry: Entry, *, at: datetime) -> str:
    """The word for the reason why this can't be added; "" when it can."""
    if company_rows.is_over(company, at):
        return "ended"
    if entry.domain is not None:  # Only a proof makes a domain the company's: see `domain_claims`.
        return "domain"
    if entry.email is not None and canonical_address(entry.email) is None:
        return "invalid"
    since = at if entry.since is None else entry.since
    if since < at:  # Past verdicts rest on what was said then.
        return "past"
    if entry.until is not None and entry.until <= since:
        return "past-end" if entry.until <= at else "order"
    periods = [period for key in _keys(vault, entry) for period in said[key]]
    return "known" if any(_covers(period, since, entry.until) for period in periods) else ""


def _added(context: RecordContext, company: CompanyRecord, entry: Entry, *, excluded: bool, login: str) -> CompanyEntry:
    entry = replace(entry, since=context.at if entry.since is None else entry.since)
    row = companies.new_entry(context, company, entry, excluded=excluded)
    row.login = login
    context.session.add(row)
    return row


def end(context: RecordContext, company_id: str, entry_id: str, *, until: datetime) -> None:
    """End the entry at `until`, of a domain all that the company has of it; nothing changes for the time before.

    Raises LookupError unless it is that company's, and CompanyRefused: `past` (before `at`), `over` (ends sooner).
    """
    company = company_rows.locked(context.session, company_id)
    row = _of(context.session, company, entry_id)
    if until < context.at:
        raise CompanyRefused("past")
    if row.until is not None and (row.until <= context.at or row.until < until):
        raise CompanyRefused("over")
    rows = [entry for entry in _alike(context, row) if entry.until is None or entry.until >= until]
    for entry in rows:
        entry.until = until
    details = {"kind": row.kind, "account": row.account_id, "domain": row.domain, **_period(row)}
    company_rows.log(context, company, "entry.ended", rows, details)


def set_subdomains(context: RecordContext, company_id: str, entry_id: str, *, subdomains: bool) -> None:
    """Choose whether a domain takes in those below it; the same choice again changes nothing.

    Raises LookupError unless it is that company's domain, and CompanyRefused: `over`, `taken` for one below it.
    """
    session, at = context.session, context.at
    company_rows.lock_domains(session)  # first, as everywhere: domains, then the company
    company = company_rows.locked(session, company_id)
    row = _of(session, company, entry_id)
    if row.domain is None:
        raise LookupError("not a domain")
    if row.until is not None and row.until <= at:
        raise CompanyRefused("over")
    rows = [entry for entry in _alike(context, row) if entry.subdomains != subdomains]
    if not rows:
        return
    # Excluding needs no right to the domain.
    if subdomains and not row.excluded and companies.taken(session, company, row.domain, at, subdomains=True):
        raise CompanyRefused("taken")
    for entry in rows:
        entry.subdomains = subdomains
    details = {"domain": row.domain, "subdomains": subdomains}
    company_rows.log(context, company, "entry.changed", rows, details)


def set_mode(context: RecordContext, company_id: str, mode: Mode, *, least: Mode) -> None:
    """Choose whether an address counts once GitHub links it, or only once its owner enrolled.

    The same choice changes nothing. Raises LookupError, and CompanyRefused `weaker` for less than the rulebook's.
    """
    company = company_rows.locked(context.session, company_id)
    # GitHub verifies an address once and keeps it after its owner has left the company.
    if mode == "linked" and least == "enrolled":
        raise CompanyRefused("weaker")
    if company.domains == mode:
        return
    company.domains = mode
    company_rows.log(context, company, "company.changed", [company], {"domains": mode})


def page(
    session: Session,
    vault: Vault,
    company_id: str,
    rows: range,
    *,
    at: datetime,
    only: CompanyEntryFilter = EVERY_ENTRY,
) -> Page:
    """These `rows` of the company's entries, in the order of the filter. Raises LookupError."""
    company = company_rows.find(session, company_id)
    overridden = _overridden(company, at)
    where = [col(CompanyEntry.company_id) == company.id, *_only(vault, only, at, overridden)]
    # The total comes with the rows, in one query.
    query = select(CompanyEntry, overridden, func.count().over()).where(*where)
    found = session.exec(query.order_by(*_order(only.sort, at, overridden)).slice(rows.start, rows.stop)).all()
    if found or not rows.start:
        total = found[0][2] if found else 0
    else:  # a page behind the last one
        total = session.exec(select(func.count()).select_from(CompanyEntry).where(*where)).one()
    return Page(tuple(_listed(vault, company, row, at, overridden=bool(out)) for row, out, _ in found), total)


def _over(at: datetime) -> ColumnElement[bool]:
    return func.coalesce(col(CompanyEntry.until) <= at, False)


def _runs(entry: type[CompanyEntry], at: datetime) -> ColumnElement[bool]:
    begun = or_(col(entry.since).is_(None), col(entry.since) <= at)
    return and_(begun, or_(col(entry.until).is_(None), col(entry.until) > at))


def _overridden(company: CompanyRecord, at: datetime) -> ColumnElement[bool]:
    """Whether an entry has no effect at `at`, because an exclusion of the same account or address is in force."""
    other = aliased(CompanyEntry)
    out = (col(other.company_id) == company.id, col(other.excluded), _runs(other, at))
    pairs = ((CompanyEntry.account_id, other.account_id), (CompanyEntry.email_index, other.email_index))
    same = [col(own).in_(select_columns(col(its)).where(*out, col(its).is_not(None))) for own, its in pairs]
    # An address has no account and an account no address: to compare what is absent gives NULL.
    return and_(not_(col(CompanyEntry.excluded)), _runs(CompanyEntry, at), func.coalesce(or_(*same), False))


def _only(
    vault: Vault, only: CompanyEntryFilter, at: datetime, overridden: ColumnElement[bool]
) -> list[ColumnElement[bool]]:
    begun = or_(col(CompanyEntry.since).is_(None), col(CompanyEntry.since) <= at)
    runs, excluded = _runs(CompanyEntry, at), or_(col(CompanyEntry.excluded), overridden)
    states = {
        "covered": and_(runs, not_(excluded)),
        "excluded": and_(runs, excluded),
        "later": and_(not_(begun), not_(_over(at))),
        "over": _over(at),
    }
    found = [_like(vault, only.wanted)] if only.wanted.strip() else []
    found += [col(CompanyEntry.kind) == only.kind] if only.kind in KINDS else []
    return [*found, states[only.state]] if only.state in states else found


def _order(sort: str, at: datetime, overridden: ColumnElement[bool]) -> list[Any]:
    """The columns to sort by; the id comes last, so that no row is on two pages."""
    until = col(CompanyEntry.until)
    orders: dict[str, list[Any]] = {
        # Addresses are encrypted, so they have no order: they come behind what has a name.
        "name": [col(CompanyEntry.kind) == "email", func.lower(func.coalesce(CompanyEntry.domain, CompanyEntry.login))],
        "newest": [col(CompanyEntry.added_at).desc()],
        "ends": [_over(at), until.is_(None), until],
    }
    excluded = or_(col(CompanyEntry.excluded), overridden)
    usual = [_over(at), excluded, col(CompanyEntry.kind), col(CompanyEntry.added_at).desc()]
    rest = [func.lower(CompanyEntry.login), col(CompanyEntry.domain), col(CompanyEntry.id)]
    return [*orders.get(sort, usual), *rest]


def read_entry(session: Session, vault: Vault, company_id: str, entry_id: str, *, at: datetime) -> EntryDetails:
    """One entry of the company. Raises LookupError unless it is that company's."""
    company = company_rows.find(session, company_id)
    row = _of(session, company, entry_id)
    found = session.exec(select(_overridden(company, at)).where(col(CompanyEntry.id) == row.id)).one()
    return _listed(vault, company, row, at, overridden=bool(found))


def _of(session: Session, company: CompanyRecord, entry_id: str) -> CompanyEntry:
    # An id from another company's page finds nothing here.
    wanted = (col(CompanyEntry.id) == text_key(entry_id), col(CompanyEntry.company_id) == company.id)
    row = session.exec(select(CompanyEntry).where(*wanted)).one_or_none()
    if row is None:
        raise LookupError("no such entry")
    return row


def _alike(context: RecordContext, row: CompanyEntry) -> Sequence[CompanyEntry]:
    """The entry; of a domain also the others of that domain that run, or will."""
    if row.domain is None:
        return [row]
    return company_rows.domain_entries(
        context.session, row.company_id, row.domain, excluded=row.excluded, at=context.at
    )


def _said(session: Session, vault: Vault, company: CompanyRecord, entries: Sequence[Entry], *, excluded: bool) -> _Said:
    """The company's present entries about all these people, read at once."""
    keys = {key for entry in entries for key in _keys(vault, entry)}
    addresses = {key for key in keys if isinstance(key, bytes)}
    accounts = {key for key in keys if isinstance(key, int)}
    people = [col(CompanyEntry.email_index).in_(some) for some in byte_chunks(addresses)]
    people += [col(CompanyEntry.account_id).in_(some) for some in account_chunks(accounts)]
    mine = (col(CompanyEntry.company_id) == company.id, col(CompanyEntry.excluded).is_(excluded))
    said: _Said = defaultdict(list)
    for some in people:
        for row in session.execute(select_columns(*_PERIODS).where(*mine, some)):
            said[_key(row.email_index, row.account_id)].append((row.since, row.until))
    return said


def _keys(vault: Vault, entry: Entry) -> tuple[_Key, ...]:
    if entry.domain is not None:
        return ()
    if entry.email is not None:
        address = canonical_address(entry.email)
        # An entry older than a rotation has the index of the key before.
        return () if address is None else vault.blind_indexes(EMAIL_INDEX, address)
    return (account_key(entry.account_id),)


def _key(address: bytes | None, account: int | None) -> _Key:
    return account_key(account) if address is None else address


def _covers(period: tuple[datetime | None, datetime | None], since: datetime, until: datetime | None) -> bool:
    begin, end = period
    return (begin is None or begin <= since) and (end is None or (until is not None and end >= until))


def _like(vault: Vault, wanted: str) -> ColumnElement[bool]:
    text = wanted.strip()
    address = canonical_address(text)
    if address is not None:
        return col(CompanyEntry.email_index).in_(vault.blind_indexes(EMAIL_INDEX, address))
    if text.isascii() and text.isdecimal() and len(text) <= 18:  # 18 digits fit into BIGINT.
        return col(CompanyEntry.account_id) == int(text)
    login = col(CompanyEntry.login).istartswith(text.removeprefix("@"), autoescape=True)
    domain = canonical_domain(text)
    return login if domain is None else or_(login, col(CompanyEntry.domain) == domain)


def _listed(vault: Vault, company: CompanyRecord, row: CompanyEntry, at: datetime, *, overridden: bool) -> EntryDetails:
    state: State = "in force" if row.since is None or row.since <= at else "later"
    if row.until is not None and row.until <= at:
        state = "over"
    email = company_rows.address(vault, company, row)
    return from_row(EntryDetails, row, state=state, overridden=overridden, email=email)


def _period(row: CompanyEntry) -> dict[str, object]:
    return {"since": row.since and row.since.isoformat(), "until": row.until and row.until.isoformat()}
