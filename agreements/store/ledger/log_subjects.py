"""The people and companies that entries of the log are about: their data keys, read together, and each as a subject."""

from collections.abc import Collection
from contextlib import suppress

from sqlmodel import Session, col, select

from agreements.store.ledger.stored_ledger import SERVER, LedgerSubject
from agreements.store.lookup import account_key, text_chunks
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import PersonRecord
from agreements.vault import DataKey, DecryptionFailed, Vault, WrappedKey

_TABLES: dict[str, type[PersonRecord] | type[CompanyRecord]] = {"person": PersonRecord, "company": CompanyRecord}


def data_keys(session: Session, vault: Vault, kind: str, ids: Collection[str]) -> dict[str, DataKey]:
    """The data keys of these subjects of a kind (`person` or `company`), by id; a key that is gone is left out."""
    table = _TABLES[kind]
    query, found = select(table.id, table.ring_key_id, table.wrapped_key), dict[str, DataKey]()
    for chunk in text_chunks(ids):
        for subject_id, ring_key_id, wrapped_key in session.exec(query.where(col(table.id).in_(chunk))):
            with suppress(DecryptionFailed):  # a key that an erasure destroyed
                found[subject_id] = vault.unwrap(WrappedKey(ring_key_id, wrapped_key), kind, subject_id)
    return found


def subject_named(session: Session, vault: Vault, kind: str, subject_id: str) -> LedgerSubject | None:
    """The subject that a log entry names; None when it is not there any more, or its key is not."""
    # An entry of a kind of subject that this release does not know is not opened with the server's key.
    if kind not in _TABLES:
        return SERVER if kind == SERVER.kind else None
    key = data_keys(session, vault, kind, [subject_id]).get(subject_id)
    return None if key is None else LedgerSubject(kind, subject_id, key)


def subject_of(session: Session, vault: Vault, account_id: int) -> LedgerSubject:
    """The person of that account; SERVER for an account that we keep nothing of, or whose key was destroyed."""
    query = select(PersonRecord.id).where(col(PersonRecord.account_id) == account_key(account_id))
    person_id = session.exec(query).one_or_none()
    return (person_id and subject_named(session, vault, "person", person_id)) or SERVER
