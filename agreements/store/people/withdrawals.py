"""The end of a signature: a row beside it, by its signer or, with a sealed reason, by an administrator; the signature itself stays."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from agreements.store.lookup import text_key
from agreements.store.people import person_rows, signatures
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import PersonRecord, SignatureRecord, Withdrawal
from agreements.vault import DecryptionFailed, Vault, place

REVOCATION = "revocation"
"""The kind of a withdrawal that an administrator writes; a signer's own is a `withdrawal`."""


def withdraw(context: RecordContext, receipt: str) -> Withdrawal | None:
    """End a signature of the account that makes the change. None when it is not theirs, a company's, or has ended."""
    session, account_id = context.session, context.actor
    if person_rows.find_locked(session, account_id) is None:  # Of two ends at once the second finds the first.
        return None
    # Receipt numbers of others end nothing.
    theirs = (col(SignatureRecord.receipt) == text_key(receipt), col(SignatureRecord.account_id) == account_id)
    in_force = _in_force(session, *theirs)
    return _end(session, in_force[0], context.at, account_id) if in_force else None


def withdraw_all(session: Session, person: PersonRecord, *, at: datetime) -> list[Withdrawal]:
    """End all that the person signed for themselves and that is in force; the new rows."""
    theirs = _in_force(session, col(SignatureRecord.person_id) == person.id)
    return [_end(session, signature_id, at, person.account_id) for signature_id in theirs]


def revoke(context: RecordContext, receipt: str, *, reason: str) -> Withdrawal | None:
    """End another person's signature. None when there is none, it is a company's, or has ended.

    Raises ValueError for a blank reason, DecryptionFailed when the signer's key is gone.
    """
    session, vault = context.session, context.vault
    query = select(SignatureRecord.id, PersonRecord).join(PersonRecord)
    # A company's agreement ends for all whom it covers, so it is ended with the company, which is told.
    wanted = (col(SignatureRecord.receipt) == text_key(receipt), signatures.personal())
    found = session.exec(query.where(*wanted)).one_or_none()
    if found is None:
        return None
    signature_id, person = found
    person_rows.lock(session, person)  # As above.
    if session.get(Withdrawal, signature_id) is not None:
        return None
    # Sealed with the signer's key: it is about them, and goes with them.
    key = person_rows.data_key(vault, person)
    sealed = vault.encrypt(key, text_key(reason).encode(), _about_reason(signature_id))
    return _end(session, signature_id, context.at, context.actor, kind=REVOCATION, reason=sealed)


def _in_force(session: Session, *wanted: ColumnElement[bool]) -> Sequence[str]:
    """Those signatures that have not ended. What was signed for a company ends with its agreement, which covers others."""
    query = select(SignatureRecord.id).join(Withdrawal, isouter=True)
    return session.exec(query.where(*wanted, col(Withdrawal.signature_id).is_(None), signatures.personal())).all()


def _end(session: Session, signature_id: str, at: datetime, by: int, **kind: Any) -> Withdrawal:
    row = Withdrawal(signature_id=signature_id, at=at, by_account_id=by, **kind)
    session.add(row)
    session.flush()
    return row


def _about_reason(signature_id: str) -> str:
    return place("withdrawal", "reason", signature_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureDetails:
    """One signature (`row`) as an administrator sees it; `name` and `email` are None, `fields` empty, once the key is gone.

    `login` is that of the day of signing, "" once it can't be read; `party` is None while unknown; its end: `ended`, `reason`.
    `company`: id and name of the company for which it was given, None where the person signed for themselves.
    """

    row: SignatureRecord = field(repr=False)
    party: str | None
    login: str
    name: str | None = field(repr=False)
    email: str | None = field(repr=False)
    fields: dict[str, str] = field(default_factory=dict, repr=False)
    ended: Withdrawal | None = field(default=None, repr=False)
    reason: str = field(default="", repr=False)
    company: tuple[str, str] | None = None


def find(session: Session, vault: Vault, receipt: str) -> SignatureDetails | None:
    """The signature behind a receipt, opened as far as its key still exists; None when there is none."""
    query = select(SignatureRecord, PersonRecord, signatures.party()).join(PersonRecord)
    found = session.exec(query.where(col(SignatureRecord.receipt) == text_key(receipt))).one_or_none()
    if found is None:
        return None
    row, person, party = found
    ended = session.get(Withdrawal, row.id)
    of_company = select(CompanyRecord.id, CompanyRecord.name).where(col(CompanyRecord.signature_id) == row.id)
    company = session.exec(of_company.limit(1)).first()
    known: dict[str, Any] = {"row": row, "party": party, "ended": ended, "company": company and tuple(company)}
    try:
        evidence = signatures.evidence(vault, person, row)
        sealed = ended.reason if ended else None
        key = person_rows.data_key(vault, person)
        reason = vault.decrypt(key, sealed, _about_reason(row.id)).decode() if sealed else ""
    except DecryptionFailed:
        # The row still proves that the account signed.
        return SignatureDetails(login=row.login, name=None, email=None, **known)
    return SignatureDetails(reason=reason, **known, **evidence)
