"""Ending another person's signature: a new row of kind `revocation` with a sealed reason; the signature itself stays."""

from dataclasses import dataclass, field

from sqlmodel import Session, col, select

from agreements.store.lookup import text_key
from agreements.store.people import person_rows, signatures
from agreements.store.record_context import RecordContext
from agreements.store.tables.records import PersonRecord, SignatureRecord, Withdrawal
from agreements.vault import DecryptionFailed, Vault, place

KIND = "revocation"
"""The kind of a withdrawal that an administrator writes; a signer's own is a `withdrawal`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureDetails:
    """One signature (`row`) as an administrator sees it; `name` and `email` are None, `fields` empty, once the key is gone.

    `login` is that of the day of signing, "" once it can't be read; `party` is None while unknown; its end: `ended`, `reason`.
    """

    row: SignatureRecord = field(repr=False)
    party: str | None
    login: str
    name: str | None = field(repr=False)
    email: str | None = field(repr=False)
    fields: dict[str, str] = field(default_factory=dict, repr=False)
    ended: Withdrawal | None = field(default=None, repr=False)
    reason: str = field(default="", repr=False)


def find(session: Session, vault: Vault, receipt: str) -> SignatureDetails | None:
    """The signature behind a receipt, opened as far as its key still exists; None when there is none."""
    query = select(SignatureRecord, signatures.party()).where(col(SignatureRecord.receipt) == text_key(receipt))
    found = session.exec(query).one_or_none()
    if found is None:
        return None
    row, party = found
    person = session.exec(select(PersonRecord).where(col(PersonRecord.id) == row.person_id)).one()
    ended = session.get(Withdrawal, row.id)
    try:
        evidence = signatures.evidence(vault, person, row)
        sealed = ended.reason if ended else None
        reason = (
            # Sealed with the signer's key: it is about them, and goes with them.
            vault.decrypt(person_rows.data_key(vault, person), sealed, place("withdrawal", "reason", row.id)).decode()
            if sealed
            else ""
        )
    except DecryptionFailed:
        # The row still proves that the account signed.
        return SignatureDetails(row=row, party=party, login=row.login, name=None, email=None, ended=ended)
    return SignatureDetails(row=row, party=party, ended=ended, reason=reason, **evidence)


def revoke(context: RecordContext, receipt: str, *, reason: str) -> Withdrawal | None:
    """End the signature from `at` on; None when there is none or it has ended already.

    Raises ValueError for a blank reason, DecryptionFailed when the signer's key is gone.
    """
    session, vault = context.session, context.vault
    found = find(session, vault, receipt)
    if found is None:
        return None
    person = session.exec(select(PersonRecord).where(col(PersonRecord.id) == found.row.person_id)).one()
    person_rows.lock(session, person)  # Of two ends at once the second finds the first.
    if session.exec(select(Withdrawal).where(col(Withdrawal.signature_id) == found.row.id)).first() is not None:
        return None
    sealed = vault.encrypt(
        person_rows.data_key(vault, person), text_key(reason).encode(), place("withdrawal", "reason", found.row.id)
    )
    row = Withdrawal(signature_id=found.row.id, at=context.at, by_account_id=context.actor, kind=KIND, reason=sealed)
    session.add(row)
    session.flush()
    return row
