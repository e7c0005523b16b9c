"""Individual agreements: signing adds a row that never changes; `withdrawals` end it by another."""

import json
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any, cast

from sqlalchemy import ColumnElement, and_, func
from sqlalchemy import select as select_columns
from sqlalchemy.orm import QueryableAttribute, defer
from sqlmodel import Session, col, select

from agreements import facts
from agreements.cla.party import canonical_party
from agreements.store import lookup
from agreements.store.ledger import row_check
from agreements.store.lookup import NamedRow, Question, account_chunks, account_key, from_row, text_key
from agreements.store.people import person_rows
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import PartyRecord, PersonRecord, SignatureRecord, Withdrawal
from agreements.vault import DecryptionFailed, Vault, place

TextKey = tuple[str, str, str, str]
"""The key of a text in the catalog: agreement, version, language, SHA-256 of the source (hexadecimal)."""

EXTERNAL_TEXT = "external"
"""The word in place of the hash of a text that is not in the catalog; no file has such a hash."""

UNDETERMINED_LANGUAGE = "und"
"""BCP 47 for an undetermined language."""

IMPORTED = "imported"
"""The proof of identity that another tool's list gives, of an account that existed then."""

_EXTERNAL_PROOFS = frozenset({IMPORTED, "administrator"})
"""The proofs under which the text may be another's; a person who signs here signs a text of the catalog."""

_TEXT = ("agreement", "version", "language", "source_sha256")
_CLEAR = (*_TEXT, "shown_sha256", "statement_id", "statement_sha256", "identity_proof")
_WITHOUT_EVIDENCE = defer(cast("QueryableAttribute[bytes]", SignatureRecord.evidence))  # Lists don't read sealed bytes.


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureDraft:
    """A signature about to be stored: the text (`agreement`, `version`, `language`, `source_sha256`) and the page shown (`shown_sha256`).

    The signer agreed to the statement `statement_id` (`statement_sha256`) and is known by `identity_proof`. `party` is
    the other side (`agreements.cla.party`); None: not known, so it counts nowhere until an administrator decides.
    `name`, `email` and the form's `fields` are personal and will be sealed.
    """

    agreement: str
    version: str
    language: str
    source_sha256: str
    shown_sha256: str
    statement_id: str
    statement_sha256: str
    identity_proof: str
    party: str | None
    name: str = field(repr=False)
    email: str = field(repr=False)
    fields: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class SignedReceipt:
    """The signer's receipt (`row`); `new` is False when the same text was signed with the same party before and still is."""

    row: SignatureRecord = field(repr=False)
    new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSignature:
    """A signature in its signer's list: `receipt`, `agreement`, `version`, `language`, `source_sha256`, `signed_at`, `withdrawn_at`.

    `party` None: not known, so it counts nowhere. `company`: the name of the company it was signed for, with whose
    agreement it ends. `erased`: the signer was erased since, so that the evidence can't be opened any more.
    """

    receipt: str
    agreement: str
    version: str
    language: str
    source_sha256: str
    signed_at: datetime
    withdrawn_at: datetime | None
    party: str | None
    company: str | None = None
    erased: bool = False

    @property
    def for_company(self) -> bool:
        """Whether it is the company's, and covers no person."""
        return self.company is not None

    @property
    def text(self) -> TextKey:
        """The text that was signed, as the catalog names it."""
        return (self.agreement, self.version, self.language, self.source_sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptView:
    """One signature, opened for its signer: `receipt`, `account_id`, the `login` of that day, `draft`, begin and end (`signed_at`, `withdrawn_at`).

    `id`: the row's. `erased`: what was sealed is gone; `restricted`: the person's data are kept for a dispute alone.
    """

    id: str
    receipt: str
    account_id: int
    login: str
    draft: SignatureDraft
    signed_at: datetime
    withdrawn_at: datetime | None
    erased: bool = False
    restricted: bool = False


def add(
    context: RecordContext,
    person: PersonRecord,
    draft: SignatureDraft,
    *,
    receipt: str,
    signed_at: datetime | None = None,
    anew: bool = False,
) -> SignedReceipt:
    """Store the signature. The same text signed again while that is in force gives the first receipt.

    `signed_at`: when it was signed, None for now. `anew`: store it in any case, as a person may sign for several
    companies. Raises ValueError for a blank agreement, version, language, hash, statement, proof, id or receipt.
    """
    session, vault = context.session, context.vault
    for name in _CLEAR:
        text_key(getattr(draft, name))
    if not anew:
        person_rows.lock(session, person)  # Two clicks at once would give two receipts.
        standing = _standing(session, vault, person, draft)
        if standing is not None:
            return SignedReceipt(standing, new=False)
    sealed = {"name": draft.name, "email": draft.email, "fields": dict(draft.fields), "login": person.login}
    evidence = json.dumps(sealed, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    signature_id, key = text_key(context.new_id()), person_rows.data_key(vault, person)
    row = SignatureRecord(
        id=signature_id,
        person_id=person.id,
        account_id=account_key(person.account_id),
        login="",  # Sealed with the evidence: a row that never changes can't forget a name.
        **{name: getattr(draft, name) for name in _CLEAR},
        party=None if draft.party is None else canonical_party(text_key(draft.party)),
        signed_at=signed_at or context.at,
        receipt=text_key(receipt),
        evidence=vault.encrypt(key, evidence, place("signature", "evidence", signature_id)),
    )
    session.add(row)
    session.flush()
    return SignedReceipt(row, new=True)


def personal() -> ColumnElement[bool]:
    """Says of a SignatureRecord that a person signed for themselves: one for a company covers no person."""
    for_company = select(CompanyRecord.id).where(col(CompanyRecord.signature_id) == col(SignatureRecord.id))
    return ~for_company.correlate(SignatureRecord).exists()


def company_name() -> Any:
    """The name of the company for which a SignatureRecord was made; NULL for what a person signed for themselves."""
    name = select(CompanyRecord.name).where(col(CompanyRecord.signature_id) == col(SignatureRecord.id)).limit(1)
    return name.correlate(SignatureRecord).scalar_subquery()


def party() -> Any:
    """The party a SignatureRecord was made with: its own column, else as found out later; NULL while not known."""
    found = select(PartyRecord.party).where(col(PartyRecord.signature_id) == col(SignatureRecord.id))
    # Old rows never get a party: their hashes stand in the log.
    return func.coalesce(col(SignatureRecord.party), found.correlate(SignatureRecord).scalar_subquery())


# Made once for each database: columns alone, as whole rows, or a query put together anew, would take twice as long.
@cache
def question(dialect: str) -> Question:
    """The query for the signatures of some `accounts`."""
    return (
        select_columns(
            *attrgetter("account_id", "signed_at", "id", "identity_proof", *_TEXT)(SignatureRecord),
            col(Withdrawal.at).label("withdrawn_at"),
            func.coalesce(col(SignatureRecord.party), col(PartyRecord.party)).label("party"),
        )
        .join(Withdrawal, isouter=True)
        .join(PartyRecord, col(PartyRecord.signature_id) == col(SignatureRecord.id), isouter=True)
        .where(lookup.among(dialect, col(SignatureRecord.account_id), "accounts"), personal())
    )


def answer(rows: Iterable[NamedRow], *, accepted: Collection[TextKey]) -> tuple[facts.Signature, ...]:
    """Signatures in rows of `question`, of texts in the catalog (`accepted`) or from elsewhere, by account, time."""
    known = set(accepted)
    return tuple(
        facts.Signature(
            agreement=row.agreement,
            version=row.version,
            account_id=row.account_id,
            party=row.party,
            signed_at=row.signed_at,
            withdrawn_at=row.withdrawn_at,
            record=row.id,
        )
        for row in sorted(rows, key=attrgetter("account_id", "signed_at", "id"))
        # To a decision, None would be the rulebook's own party: an unknown one must not get there.
        if row.party is not None and has_known_text(row, known)
    )


def has_known_text(row: NamedRow, known: Container[TextKey]) -> bool:
    """Whether the text of a signature is one of these, or one that only another tool, or paper, holds."""
    # Not the word alone: how the signer is known must agree with it. `accept` decides on the version.
    is_external = row.source_sha256 == EXTERNAL_TEXT and row.identity_proof in _EXTERNAL_PROOFS
    return is_external or (row.agreement, row.version, row.language, row.source_sha256) in known


def of(session: Session, account_ids: Collection[int], *, accepted: Collection[TextKey]) -> tuple[facts.Signature, ...]:
    """Accounts' signatures, withdrawn ones with their end, of texts in the catalog (`accepted`) or from elsewhere."""
    asked = question(lookup.dialect(session))
    rows = (row for lot in account_chunks(account_ids) for row in lookup.rows(session, asked, {"accounts": lot}))
    return answer(rows, accepted=accepted)


def mine(session: Session, account_id: int) -> tuple[OwnSignature, ...]:
    """The signatures of that account, the newest first."""
    # The person's key was destroyed after the signature was given.
    erased = and_(
        col(PersonRecord.erased_at).is_not(None), col(SignatureRecord.signed_at) <= col(PersonRecord.erased_at)
    )
    query = (
        _with_end(SignatureRecord, company_name().label("company"), erased.label("erased"))
        .where(col(SignatureRecord.account_id) == account_key(account_id))
        .order_by(col(SignatureRecord.signed_at).desc(), col(SignatureRecord.id))
        .options(_WITHOUT_EVIDENCE)
    )
    return tuple(
        from_row(
            OwnSignature,
            row.SignatureRecord,
            withdrawn_at=row.withdrawn_at,
            company=row.company,
            erased=bool(row.erased),
            party=row.party,
        )
        for row in session.execute(query)
    )


def receipt(session: Session, vault: Vault, receipt: str, account_id: int) -> ReceiptView | None:
    """The signature behind a receipt, opened; None when there is none or it is another account's."""
    theirs = col(SignatureRecord.account_id) == account_key(account_id)  # Receipt numbers of others open nothing.
    return _opened(session, vault, col(SignatureRecord.receipt) == text_key(receipt), theirs)


def opened(session: Session, vault: Vault, signature_id: str) -> ReceiptView | None:
    """The signature, opened; None once its key is gone."""
    try:
        return _opened(session, vault, col(SignatureRecord.id) == text_key(signature_id))
    except DecryptionFailed:
        return None


def _opened(session: Session, vault: Vault, *wanted: ColumnElement[bool]) -> ReceiptView | None:
    found = session.execute(_with_end(SignatureRecord, PersonRecord).where(*wanted)).one_or_none()
    if found is None:
        return None
    row, person = found.SignatureRecord, found.PersonRecord
    erased = _is_erased(person, row)  # A person who came back has a new key, which opens nothing older.
    sealed = {"name": "", "email": "", "login": row.login} if erased else evidence(vault, person, row)
    login, draft = sealed.pop("login"), from_row(SignatureDraft, row, party=found.party, **sealed)
    more = {"withdrawn_at": found.withdrawn_at, "erased": erased, "restricted": person.restricted_at is not None}
    return from_row(ReceiptView, row, login=login, draft=draft, **more)


def _with_end(*columns: Any) -> Any:
    """A query for these columns of signatures and their signers, with the columns `withdrawn_at` and `party`."""
    query = select_columns(*columns, col(Withdrawal.at).label("withdrawn_at"), party().label("party"))
    return query.select_from(SignatureRecord).join(PersonRecord).join(Withdrawal, isouter=True)


def email(vault: Vault, person: PersonRecord, row: SignatureRecord) -> str:
    """The address that was sealed with the signature; "" where there is none, or it can't be opened."""
    try:
        return "" if _is_erased(person, row) else str(evidence(vault, person, row)["email"] or "")
    except DecryptionFailed:
        return ""


def evidence(vault: Vault, person: PersonRecord, row: SignatureRecord) -> dict[str, Any]:
    """The sealed part of the signature: name, email, fields, login. Raises DecryptionFailed."""
    opened = json.loads(
        vault.decrypt(person_rows.data_key(vault, person), row.evidence, place("signature", "evidence", row.id))
    )
    return {"login": row.login, **opened}  # Earlier versions kept the login in the row.


def signatory_names(session: Session, vault: Vault, account_ids: Iterable[int]) -> dict[int, str]:
    """Names of those without a GitHub account, as they signed, by number; none of people restricted or erased."""
    found: dict[int, str] = {}
    for chunk in account_chunks(
        [account_id for account_id in account_ids if person_rows.is_without_account(account_id)]
    ):
        query = select(SignatureRecord, PersonRecord).join(PersonRecord)
        for row, person in session.exec(query.where(col(PersonRecord.account_id).in_(chunk), person_rows.are_named())):
            try:
                found[row.account_id] = str(evidence(vault, person, row)["name"])
            except DecryptionFailed:  # Sealed with a key of before an erasure.
                continue
    return found


def _standing(session: Session, vault: Vault, person: PersonRecord, draft: SignatureDraft) -> SignatureRecord | None:
    """The signature of this very text with this very party that is in force; None where no party is known."""
    if draft.party is None:  # It may be another party's: sign anew.
        return None
    query = (
        select(SignatureRecord)
        .join(Withdrawal, isouter=True)
        .where(
            col(SignatureRecord.account_id) == account_key(person.account_id),
            *(getattr(SignatureRecord, name) == getattr(draft, name) for name in _TEXT),
            party() == canonical_party(text_key(draft.party)),
            col(Withdrawal.signature_id).is_(None),
            personal(),
        )
        .order_by(col(SignatureRecord.signed_at).desc())
    )
    rows = session.exec(query).all()  # What the log does not name counts for no one: the person signs anew.
    unlogged = row_check.unlogged(session, vault, SignatureRecord, [signature.id for signature in rows])
    row = next((signature for signature in rows if signature.id not in unlogged), None)
    # Evidence from before an erasure can't be shown any more: the person signs anew.
    return None if row and _is_erased(person, row) else row


def _is_erased(person: PersonRecord, row: SignatureRecord) -> bool:
    return person.erased_at is not None and row.signed_at <= person.erased_at
