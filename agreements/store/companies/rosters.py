"""The people that a company names, covers now and may cover at any time; and all its rows, for an export."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import itemgetter

from sqlmodel import Session, col, select

from agreements import facts
from agreements.cla.company_cover import candidate, match
from agreements.cla.coverage import AgreementIndex
from agreements.domains.canonical_form import canonical_address, domains_over
from agreements.github_server import GitHubServer
from agreements.rulebook.rules import Rules
from agreements.store.companies import company_agreements, company_rows, enrolments
from agreements.store.companies.company_agreements import CompanyAgreement
from agreements.store.lookup import byte_chunks, text_key
from agreements.store.people import emails, person_rows
from agreements.store.people.emails import MAILED_CODE
from agreements.store.people.signatures import TextKey
from agreements.store.tables.company_records import CompanyEntry, CompanyManager, CompanyRecord, Enrolment
from agreements.store.tables.declarations import EMAIL_INDEX
from agreements.store.tables.records import Proof
from agreements.vault import Vault


@dataclass(frozen=True, slots=True)
class RosterEntry:
    """An `entry` (`id`) of a company; `excluded`: it takes out instead of in. The `login` is a label of the day of `added_at`."""

    id: str
    excluded: bool
    login: str
    entry: facts.Entry = field(repr=False)
    added_at: datetime


@dataclass(frozen=True, slots=True)
class Roster:
    """A company (`company_id`) as a decision knows it (`company`), with all entries (`named`).

    `counts` is False while it covers no one: before its countersignature, or if its text or party does not count.
    """

    company_id: str
    company: facts.Company
    counts: bool
    named: tuple[RosterEntry, ...]

    def with_entries(self, named: tuple[RosterEntry, ...]) -> "Roster":
        """The same company naming these instead."""
        company = replace(
            self.company,
            covers=tuple(roster_entry.entry for roster_entry in named if not roster_entry.excluded),
            excludes=tuple(roster_entry.entry for roster_entry in named if roster_entry.excluded),
        )
        return replace(self, company=company, named=named)


@dataclass(frozen=True, slots=True)
class CoveredPerson:
    """A person (`account_id`) whom the company covers; `by` are the entries that do. The `login` is "" when none is known."""

    account_id: int
    login: str
    by: tuple[RosterEntry, ...]


def roster(session: Session, vault: Vault, company_id: str, *, accepted: Collection[TextKey]) -> Roster:
    """The company and its domains, addresses and accounts. Raises LookupError. `accepted`: the catalog's texts."""
    signed = company_agreements.with_agreement(session, [company_id], accepted=accepted).get(company_id)
    if signed is None:
        raise LookupError("no such company")
    return of(session, vault, signed)


def of(session: Session, vault: Vault, signed: CompanyAgreement) -> Roster:
    """The same of a company that was read."""
    company, missing, party = signed
    query = select(CompanyEntry).where(col(CompanyEntry.company_id) == company.id)
    rows = sorted(session.exec(query), key=lambda row: (row.excluded, _KINDS.index(row.kind), row.added_at, row.id))
    named = tuple(
        RosterEntry(row.id, row.excluded, row.login, company_rows.entry_fact(vault, company, row), row.added_at)
        for row in rows
    )
    # The same rule as in `company_agreements.answer`.
    counts = company.countersigned_at is not None and not missing and party is not None
    return Roster(company.id, company_rows.fact(vault, company, rows, party=party), counts, named)


_KINDS = ("domain", "email", "account")


def covered(
    session: Session, vault: Vault, found: Roster, rules: Rules, *, server: GitHubServer, at: datetime
) -> tuple[CoveredPerson, ...]:
    """The people whom the company covers at `at` as far as is known here, by login; no other company is looked at."""
    # Addresses that only GitHub links to an account are known where that account contributes, and not here.
    named, domains = _named(session, vault, found, at)
    # Opening every proof is needed only where a domain may name anyone.
    proven = emails.all_proven(session, vault, at, how=(MAILED_CODE,)) if domains else {}
    at_domains = {
        account_id
        for account_id, own in proven.items()
        if any(not domains.isdisjoint(domains_over(each, server)) for each in own)
    }
    ids = named | at_domains
    if not domains:
        proven = emails.proven(session, vault, ids, at, how=(MAILED_CODE,))
    logins = {person.account_id: person.login for person in person_rows.find_all(session, ids).values()}
    cover = CompanyCover(found, rules, server, at)
    lines = [  # The entry's login is of the day it was added: the person's own is newer.
        CoveredPerson(account_id, logins.get(account_id) or next((named.login for named in by if named.login), ""), by)
        for account_id in ids
        if (by := cover.by(account_id, frozenset(proven.get(account_id, ()))))
    ]
    return tuple(sorted(lines, key=lambda line: (line.login.lower(), line.account_id)))


class CompanyCover:
    """Tells by which entries a company covers a person at one moment."""

    def __init__(self, found: Roster, rules: Rules, server: GitHubServer, at: datetime) -> None:
        self._roster = found
        self._server = server
        self._at = at
        self._mode = rules.people.domains
        # The company's own cover, also where the rulebook asks people to sign as well.
        self._agreed = AgreementIndex(
            replace(rules, employees="covered"),
            at,
            (),
            (replace(found.company, party=None),),  # To a decision None is the rulebook's own party, whichever that is.
            owner_id=None,
            server=server,
        )
        self._running: dict[facts.Entry, list[tuple[int, RosterEntry]]] = {}
        for place, roster_entry in enumerate(found.named):
            if not roster_entry.excluded and roster_entry.entry.runs(at):
                self._running.setdefault(roster_entry.entry, []).append((place, roster_entry))

    def by(
        self, account_id: int, proven: frozenset[str], linked: frozenset[str] = frozenset()
    ) -> tuple[RosterEntry, ...]:
        """The entries that cover the account; none when the company does not cover it."""
        if not self._roster.counts:
            return ()
        # An exclusion by any key ends all cover.
        if not self._agreed.coverage_of(account_id, linked=linked, proven=proven).covered:
            return ()
        who = candidate(account_id, linked=linked, proven=proven, server=self._server)
        # Only entries that may name them are looked at: a company of thousands names thousands.
        may = {entry for company in self._agreed.register.about(who) for entry in company.covers}
        found = sorted((each for entry in may for each in self._running.get(entry, ())), key=itemgetter(0))
        # Each entry by itself: together, the first that matches would hide the others.
        alone = (
            (roster_entry, replace(self._roster.company, covers=(roster_entry.entry,)))
            for _place, roster_entry in found
        )
        return tuple(
            roster_entry for roster_entry, company in alone if match(company, who, self._mode, self._at) is not None
        )


def _named(session: Session, vault: Vault, found: Roster, at: datetime) -> tuple[frozenset[int], frozenset[str]]:
    entries = [
        roster_entry.entry for roster_entry in found.named if not roster_entry.excluded and roster_entry.entry.runs(at)
    ]
    ids = {entry.account_id for entry in entries if entry.account_id is not None}
    indexes = [
        index for entry in entries if entry.email is not None for index in vault.blind_indexes(EMAIL_INDEX, entry.email)
    ]
    for chunk in byte_chunks(indexes):
        ids.update(session.exec(select(Proof.account_id).where(col(Proof.address_index).in_(chunk)).distinct()))
    return frozenset(ids), frozenset(entry.domain for entry in entries if entry.domain is not None)


@dataclass(frozen=True, slots=True)
class CompanyReach:
    """The `accounts`, `addresses` (canonical) and `domains` that a company names or excludes, named before or will name."""

    accounts: frozenset[int]
    addresses: frozenset[str] = field(repr=False)
    domains: frozenset[str]

    def touches(self, accounts: Iterable[int], addresses: Iterable[str], server: GitHubServer) -> bool:
        """Whether any of these people or addresses is among them; invalid addresses are not."""
        if not self.accounts.isdisjoint(accounts):
            return True
        for address in addresses:
            canonical = canonical_address(address)
            if canonical in self.addresses or not self.domains.isdisjoint(domains_over(address, server)):
                return True
        return False


def reach_of(session: Session, vault: Vault, company_id: str) -> CompanyReach:
    """The company's reach; empty for an unknown company."""
    company = session.get(CompanyRecord, text_key(company_id))
    if company is None:
        return CompanyReach(frozenset(), frozenset(), frozenset())
    rows = session.exec(select(CompanyEntry).where(col(CompanyEntry.company_id) == company.id)).all()
    # Enrolments that ended count: they may have covered.
    enrolled = session.exec(select(Enrolment.account_id).where(col(Enrolment.company_id) == company.id))
    addresses = (company_rows.address(vault, company, row) for row in rows)
    return CompanyReach(
        frozenset({row.account_id for row in rows if row.account_id is not None} | set(enrolled)),
        frozenset(address for address in addresses if address is not None),
        frozenset(row.domain for row in rows if row.domain),
    )


EXPORT_HEADER = ("record", "domain", "subdomains", "address", "login", "account_id", "since", "until", "ended", "added")
"""Columns; times in UTC as ISO 8601; `record` is `entry`, `exclusion`, `enrolment` or `manager`."""

Row = tuple[str, ...]


def export_rows(session: Session, vault: Vault, company_id: str) -> tuple[Row, ...]:
    """Every present and past row of that company, and of no other. Raises LookupError for an unknown id."""
    # Its entries alone are read, so that it does not matter if they count.
    named = roster(session, vault, company_id, accepted=()).named
    office = select(CompanyManager).where(col(CompanyManager.company_id) == text_key(company_id))
    kept = session.exec(office.order_by(col(CompanyManager.since), col(CompanyManager.id)))
    return (
        *map(_entry_row, named),
        *(_enrolment_row(*row) for row in enrolments.of_company(session, vault, company_id)),
        *map(_manager_row, kept),
    )


def _entry_row(roster_entry: RosterEntry) -> Row:
    entry = roster_entry.entry
    below = "" if entry.domain is None else "yes" if entry.subdomains else "no"
    account = "" if entry.account_id is None else str(entry.account_id)
    record = "exclusion" if roster_entry.excluded else "entry"
    domain, address = entry.domain or "", entry.email or ""
    times = (_time(entry.since), _time(entry.until), "", _time(roster_entry.added_at))
    return (record, domain, below, address, roster_entry.login, account, *times)


def _enrolment_row(row: Enrolment, login: str, address: str) -> Row:
    times = (_time(row.since), _time(row.until), _time(row.ended_at), _time(row.since))
    return ("enrolment", row.domain, "", address, login, str(row.account_id), *times)


def _manager_row(manager: CompanyManager) -> Row:
    times = (_time(manager.since), _time(manager.until), "", _time(manager.since))
    return ("manager", "", "", "", manager.login, str(manager.account_id), *times)


def _time(at: datetime | None) -> str:
    return "" if at is None else at.isoformat(timespec="seconds")
