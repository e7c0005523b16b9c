"""Signatures and companies page by page, for programs: in the order of their ids, so that every page begins at an index."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, or_, select

from agreements.store import lookup
from agreements.store.companies import company_agreements, company_rows
from agreements.store.companies.company_agreements import CompanyAgreement
from agreements.store.ledger import backdated
from agreements.store.lookup import account_key, text_key
from agreements.store.people import signatures
from agreements.store.people.signatures import TextKey
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from agreements.store.tables.records import PersonRecord, SignatureRecord, Withdrawal
from agreements.vault import DecryptionFailed, Vault

Item = Mapping[str, Any]
"""A signature or company as plain values by name; moments stay moments."""

_SIGNATURE = (
    "id", "account_id", "agreement", "version", "language", "source_sha256", "identity_proof", "signed_at",
)  # fmt: skip
_COMPANY = ("id", "name", "agreement", "version", "signed_at", "countersigned_at", "ended_at", "domains")
_ENTRY = ("id", "kind", "excluded", "domain", "subdomains", "account_id", "since", "until")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureFilter:
    """The signatures wanted: at most `most` with ids behind `after`, of one `account_id`, one `agreement` (None: all).

    `since`: those that were recorded or ended at or after that moment, whenever they were signed.
    """

    after: str = ""
    most: int = 50
    account_id: int | None = None
    agreement: str | None = None
    since: datetime | None = None


def signatures_page(session: Session, vault: Vault | None, wanted: SignatureFilter) -> tuple[Item, ...]:
    """Signatures; with a vault also name and address, None where their key was destroyed."""
    query: Any = (
        select_columns(SignatureRecord, col(Withdrawal.at), PersonRecord, signatures.personal(), signatures.party())
        .join(PersonRecord, col(PersonRecord.id) == col(SignatureRecord.person_id))
        .join(Withdrawal, isouter=True)
        .where(col(SignatureRecord.id) > wanted.after)  # Not `OFFSET`: rows added meanwhile would shift the pages.
    )
    if wanted.account_id is not None:
        query = query.where(col(SignatureRecord.account_id) == account_key(wanted.account_id))
    if wanted.agreement is not None:
        query = query.where(col(SignatureRecord.agreement) == text_key(wanted.agreement))
    if wanted.since is not None:
        # A program that asks for news must also get what was signed long ago and imported yesterday.
        came_in = backdated.ids(lookup.dialect(session), wanted.since)
        query = query.where(
            or_(
                col(SignatureRecord.signed_at) >= wanted.since,
                col(Withdrawal.at) >= wanted.since,
                col(SignatureRecord.id).in_(came_in),
            )
        )
    found = session.execute(query.order_by(col(SignatureRecord.id)).limit(wanted.most))
    return tuple(
        {
            **{name: getattr(row, name) for name in _SIGNATURE},
            "party": party,
            # Restricted data are opened one by one, and that is logged.
            "login": None if person.restricted_at else person.login,  # Of erased people it is ERASED_LOGIN.
            "withdrawn_at": withdrawn_at,
            "for_company": not own,
            "restricted": person.restricted_at is not None,
            **(_opened(vault, person, row) if vault else {}),
        }
        for row, withdrawn_at, person, own, party in found
    )


def companies_page(
    session: Session, *, accepted: Collection[TextKey], after: str = "", most: int = 50
) -> tuple[Item, ...]:
    """Companies, also those that wait or have ended: their times say which."""
    ids = session.exec(
        select(CompanyRecord.id).where(col(CompanyRecord.id) > after).order_by(col(CompanyRecord.id)).limit(most)
    ).all()
    found = company_agreements.with_agreement(session, ids, accepted=accepted)
    return tuple(_company(found[company_id]) for company_id in ids)


def company(session: Session, vault: Vault | None, company_id: str, *, accepted: Collection[TextKey]) -> Item | None:
    """One company with all its entries, with a vault also their addresses; None for an unknown id."""
    found = company_agreements.with_agreement(session, [company_id], accepted=accepted).get(company_id)
    if found is None:
        return None
    row = found.company
    query = select(CompanyEntry).where(col(CompanyEntry.company_id) == row.id).order_by(col(CompanyEntry.id))
    entries = []
    for entry in session.exec(query):
        shown = {name: getattr(entry, name) for name in _ENTRY}
        entries.append(shown if vault is None else {**shown, "email": company_rows.address(vault, row, entry)})
    return {**_company(found), "entries": entries}


def _company(found: CompanyAgreement) -> Item:
    shown = {name: getattr(found.company, name) for name in _COMPANY}
    return {**shown, "party": found.party, "text_missing": found.text_missing}


def _opened(vault: Vault, person: PersonRecord, row: SignatureRecord) -> Item:
    if person.restricted_at is not None:
        return {"name": None, "email": None}
    try:
        evidence = signatures.evidence(vault, person, row)
    except DecryptionFailed:
        return {"name": None, "email": None}
    return {"name": evidence["name"], "email": evidence["email"]}
