"""All that a company has here, as rows of one table: whom it names and excludes, who enrolled, who looks after it."""

from datetime import datetime

from sqlmodel import Session, col, select

from agreements.store.companies import enrolments, rosters
from agreements.store.companies.rosters import RosterEntry
from agreements.store.lookup.keys import text_key
from agreements.store.tables.company_records import CompanyManager, Enrolment
from agreements.vault import Vault

HEADER = ("record", "domain", "subdomains", "address", "login", "account_id", "since", "until", "ended", "added")
"""Columns; times in UTC as ISO 8601, `record` is `entry`, `exclusion`, `enrolment` or `manager`."""

Row = tuple[str, ...]


def rows(session: Session, vault: Vault, company_id: str) -> tuple[Row, ...]:
    """Every row there is and was of that company, and of no other. Raises LookupError for an unknown id."""
    roster = rosters.roster(
        session, vault, company_id, accepted=()
    )  # its entries alone are read, whether they count or not
    office = select(CompanyManager).where(col(CompanyManager.company_id) == text_key(company_id))
    kept = session.exec(office.order_by(col(CompanyManager.since), col(CompanyManager.id)))
    return (
        *map(_entry, roster.named),
        *(_enrolment(*one) for one in enrolments.of_company(session, vault, company_id)),
        *map(_manager, kept),
    )


def _entry(one: RosterEntry) -> Row:
    entry = one.entry
    below = "" if entry.domain is None else "yes" if entry.subdomains else "no"
    account = "" if entry.account_id is None else str(entry.account_id)
    record = "exclusion" if one.excluded else "entry"
    domain, address = entry.domain or "", entry.email or ""
    times = (_time(entry.since), _time(entry.until), "", _time(one.added_at))
    return (record, domain, below, address, one.login, account, *times)


def _enrolment(row: Enrolment, login: str, address: str) -> Row:
    times = (_time(row.since), _time(row.until), _time(row.ended_at), _time(row.since))
    return ("enrolment", row.domain, "", address, login, str(row.account_id), *times)


def _manager(one: CompanyManager) -> Row:
    times = (_time(one.since), _time(one.until), "", _time(one.since))
    return ("manager", "", "", "", one.login, str(one.account_id), *times)


def _time(at: datetime | None) -> str:
    return "" if at is None else at.isoformat(timespec="seconds")
