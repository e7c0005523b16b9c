"""The person or company that a change is about, with the key that encrypts the details of its log entry."""

from collections.abc import Collection
from contextlib import suppress
from typing import Literal

from sqlmodel import Session, col, select

from agreements.store.ledger.ledger import SERVER, LedgerSubject
from agreements.store.lookup.keys import text_chunks, text_key
from agreements.store.people import people
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import PersonRecord
from agreements.vault import DataKey, DecryptionFailed, Vault, WrappedKey


def of_account(session: Session, vault: Vault, account_id: int) -> LedgerSubject:
    """The person of that account; SERVER for an account that we keep nothing of, or whose key was destroyed."""
    person = people.find(session, account_id)
    found = person and named(session, vault, "person", person.id)
    return found or SERVER


def of_company(session: Session, vault: Vault, company_id: str) -> LedgerSubject:
    """The company. Raises LookupError for an unknown id, DecryptionFailed when its key is gone."""
    company = session.get(CompanyRecord, text_key(company_id))
    if company is None:
        raise LookupError("no such company")
    key = vault.unwrap(WrappedKey(company.ring_key_id, company.wrapped_key), "company", company.id)
    return LedgerSubject("company", company.id, key)


def keys(
    session: Session, vault: Vault, kind: Literal["person", "company"], ids: Collection[str]
) -> dict[str, DataKey]:
    """The data keys of these people or companies, by id, read together; one that is gone is left out."""
    table = PersonRecord if kind == "person" else CompanyRecord
    query, found = select(table.id, table.ring_key_id, table.wrapped_key), dict[str, DataKey]()
    for chunk in text_chunks(ids):
        for subject_id, ring_key_id, wrapped_key in session.exec(query.where(col(table.id).in_(chunk))):
            with suppress(DecryptionFailed):
                found[subject_id] = vault.unwrap(WrappedKey(ring_key_id, wrapped_key), kind, subject_id)
    return found


def named(session: Session, vault: Vault, kind: str, subject_id: str) -> LedgerSubject | None:
    """The subject that a log entry names; None when it is not there any more, or its key is not."""
    try:
        if kind == "company":
            return of_company(session, vault, subject_id)
        if kind == "person":
            query = select(PersonRecord).where(col(PersonRecord.id) == text_key(subject_id))
            person = session.exec(query).one_or_none()
            return None if person is None else LedgerSubject("person", person.id, people.data_key(vault, person))
    except (LookupError, DecryptionFailed):
        return None
    return SERVER if kind == SERVER.kind else None
