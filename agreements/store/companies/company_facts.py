"""Rows of a company and its entries as a decision needs them: addresses decrypted, in force from the later signature on."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from agreements import facts
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from agreements.vault import DataKey, Vault, WrappedKey, place


class CompanyRow(NamedTuple):
    """What a decision needs of a company's row."""

    id: str
    name: str
    agreement: str
    version: str
    signed_at: datetime
    countersigned_at: datetime | None
    ended_at: datetime | None
    domains: str | None
    wrapped_key: bytes
    ring_key_id: str
    signature_id: str | None


class SignedRow(NamedTuple):
    """What a decision needs of the signature behind a company's agreement; nothing but None where there is none."""

    language: str | None
    source_sha256: str | None
    identity_proof: str | None


class EntryRow(NamedTuple):
    """What a decision needs of an entry's row."""

    id: str
    kind: str
    excluded: bool
    domain: str | None
    subdomains: bool
    email: bytes | None
    account_id: int | None
    since: datetime | None
    until: datetime | None


def fact(
    vault: Vault, company: CompanyRecord | CompanyRow, entries: Iterable[CompanyEntry | EntryRow], *, party: str | None
) -> facts.Company:
    """The company as a decision knows it, with these of its entries; its agreement was made with that party."""
    entry_facts = [(row.excluded, entry_fact(vault, company, row)) for row in entries]
    countersigned_at = company.countersigned_at or company.signed_at
    return facts.Company(
        name=company.name,
        agreement=company.agreement,
        version=company.version,
        party=party,
        signed_at=max(company.signed_at, countersigned_at),
        ended_at=company.ended_at,
        domains=company.domains,
        covers=tuple(entry for excluded, entry in entry_facts if not excluded),
        excludes=tuple(entry for excluded, entry in entry_facts if excluded),
        record=company.id,
    )


def entry_fact(vault: Vault, company: CompanyRecord | CompanyRow, row: CompanyEntry | EntryRow) -> facts.Entry:
    """The entry as a decision knows it, its address opened. Raises DecryptionFailed."""
    return facts.Entry(
        domain=row.domain,
        subdomains=row.subdomains,
        email=address(vault, company, row),
        account_id=row.account_id,
        since=row.since,
        until=row.until,
        record=row.id,
    )


def address(vault: Vault, company: CompanyRecord | CompanyRow, row: CompanyEntry | EntryRow) -> str | None:
    """The address that the entry names, opened; None when it names something else. Raises DecryptionFailed."""
    if row.email is None:
        return None
    return vault.decrypt(company_key(vault, company), row.email, address_place(row.id)).decode()


def company_key(vault: Vault, company: CompanyRecord | CompanyRow) -> DataKey:
    """The company's opened data key. Raises DecryptionFailed when the row was tampered with or the ring lost its key."""
    return vault.unwrap(WrappedKey(company.ring_key_id, company.wrapped_key), "company", company.id)


def address_place(entry_id: str) -> str:
    """Where an entry's address is sealed: exchanged with another's it does not open."""
    return place("company_entry", "email", entry_id)
