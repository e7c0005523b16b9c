"""Files that prove an agreement made elsewhere: name and content sealed with their subject's key, the hash kept."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, cast

from sqlalchemy import ColumnElement, func, true
from sqlalchemy.orm import QueryableAttribute, defer
from sqlmodel import Session, col, select

from agreements.store.ledger import log_subjects
from agreements.store.ledger.stored_ledger import LedgerSubject
from agreements.store.lookup import from_row, text_key
from agreements.store.record_context import RecordContext
from agreements.store.tables.records import DocumentRecord, PersonRecord, SignatureRecord
from agreements.vault import DataKey, Vault, place

MAX_DOCUMENT_BYTES = 10 * 1024 * 1024
"""The largest file that is kept, in bytes."""

# ISO 32000-1, 7.5.2; RFC 2083, 3.1; the SOI marker of JPEG.
_BEGINS = {"application/pdf": b"%PDF-", "image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
_WITHOUT_CONTENT = defer(cast("QueryableAttribute[bytes]", DocumentRecord.content))  # Lists don't read 10 MB a row.


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentDraft:
    """A file about to be kept: `name`, `media_type`, `content`; `service` says how the agreement was signed: `paper` or another service's name."""

    service: str
    name: str = field(repr=False)
    media_type: str
    content: bytes = field(repr=False)

    @property
    def sha256(self) -> str:
        """The SHA-256 of the content in hexadecimal digits."""
        return sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentInfo:
    """A kept file without its content: `id`, `service`, `media_type`, `size` in bytes, `sha256` in hexadecimal digits.

    It proves `signature_id` or is `company_id`'s; the account `recorded_by` added it at `recorded_at`. `name` is None
    when its key is gone. `restricted`: it is about a restricted person, and is opened only for a dispute.
    """

    id: str
    signature_id: str | None
    company_id: str | None
    service: str
    name: str | None = field(repr=False)
    media_type: str
    size: int
    sha256: str
    recorded_at: datetime
    recorded_by: int
    restricted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentContent:
    """A kept file, opened: `name`, `media_type` and `content`."""

    name: str = field(repr=False)
    media_type: str
    content: bytes = field(repr=False)


def kind_of(content: bytes) -> str | None:
    """The media type that the first bytes show; None for all but PDF, PNG and JPEG."""
    # The name is the uploader's word: an HTML page may be called `.pdf`.
    return next((kind for kind, begins in _BEGINS.items() if content.startswith(begins)), None)


def add(
    context: RecordContext, draft: DocumentDraft, *, subject: LedgerSubject, signature_id: str | None
) -> DocumentRecord:
    """Keep the file, sealed with its subject's key. Raises ValueError for a wrong type, size, or no such key."""
    if kind_of(draft.content) != draft.media_type or len(draft.content) > MAX_DOCUMENT_BYTES or subject.key is None:
        raise ValueError("a document is a PDF, PNG or JPEG of at most 10 MB, and is about a person or a company")
    vault, document_id = context.vault, text_key(context.new_id())
    row = DocumentRecord(
        id=document_id,
        person_id=subject.id if subject.kind == "person" else None,
        company_id=subject.id if subject.kind == "company" else None,
        signature_id=signature_id,
        service=text_key(draft.service),
        # A file name often says whose it is.
        name=vault.encrypt(subject.key, draft.name.encode(), place("document", "name", document_id)),
        media_type=draft.media_type,
        size=len(draft.content),
        sha256=draft.sha256,
        content=vault.encrypt(subject.key, draft.content, place("document", "content", document_id)),
        recorded_at=context.at,
        recorded_by=context.actor,
    )
    context.session.add(row)
    context.session.flush()
    return row


def of_person(session: Session, vault: Vault, person_id: str) -> tuple[DocumentInfo, ...]:
    """The person's files, the newest first."""
    return _listed(session, vault, col(DocumentRecord.person_id) == text_key(person_id))


def of_company(session: Session, vault: Vault, company_id: str) -> tuple[DocumentInfo, ...]:
    """The company's files, the newest first."""
    return _listed(session, vault, col(DocumentRecord.company_id) == text_key(company_id))


def of_signature(session: Session, vault: Vault, signature_id: str) -> tuple[DocumentInfo, ...]:
    """The files behind one signature, the newest first."""
    return _listed(session, vault, col(DocumentRecord.signature_id) == text_key(signature_id))


def newest(session: Session, vault: Vault, *, most: int) -> tuple[DocumentInfo, ...]:
    """The files recorded last, at most `most`."""
    return _listed(session, vault, true(), most)


def opened(session: Session, vault: Vault, document_id: str) -> DocumentContent | None:
    """The file, opened; None when there is none, or its key is gone. Raises DecryptionFailed if changed."""
    row = session.get(DocumentRecord, text_key(document_id))
    if row is None:
        return None
    key = _keys(session, vault, [row]).get(row.person_id or row.company_id or "")
    if key is None:
        return None
    return DocumentContent(
        name=vault.decrypt(key, row.name, place("document", "name", row.id)).decode(),
        media_type=row.media_type,
        content=vault.decrypt(key, row.content, place("document", "content", row.id)),
    )


def restricted_owner(session: Session, document_id: str) -> int | None:
    """The account that the file is about, if that person is restricted."""
    about = _with_person(select(PersonRecord.account_id).select_from(DocumentRecord))
    found: int | None = session.exec(
        about.where(col(DocumentRecord.id) == text_key(document_id), col(PersonRecord.restricted_at).is_not(None))
    ).one_or_none()
    return found


def _with_person(query: Any) -> Any:
    """The query of files, each joined with the person it is about, or the signer of what it proves."""
    # Files of companies may prove a person's signature: a restriction of that person covers them.
    about = func.coalesce(DocumentRecord.person_id, SignatureRecord.person_id)
    return query.outerjoin(SignatureRecord, col(SignatureRecord.id) == col(DocumentRecord.signature_id)).outerjoin(
        PersonRecord, col(PersonRecord.id) == about
    )


def _listed(
    session: Session, vault: Vault, whose: ColumnElement[bool], most: int | None = None
) -> tuple[DocumentInfo, ...]:
    query = (
        _with_person(select(DocumentRecord, PersonRecord.restricted_at))
        .where(whose)
        .order_by(col(DocumentRecord.recorded_at).desc(), col(DocumentRecord.id))
        .limit(most)
    )
    rows, found = session.exec(query.options(_WITHOUT_CONTENT)).all(), []
    keys = _keys(session, vault, [row for row, _ in rows])  # one query for all keys of the page
    for row, restricted_at in rows:
        key = keys.get(row.person_id or row.company_id or "")
        name = None if key is None else vault.decrypt(key, row.name, place("document", "name", row.id)).decode()
        found.append(from_row(DocumentInfo, row, name=name, restricted=restricted_at is not None))
    return tuple(found)


def _keys(session: Session, vault: Vault, rows: Collection[DocumentRecord]) -> dict[str, DataKey]:
    people_ids = {row.person_id for row in rows if row.person_id}
    company_ids = {row.company_id for row in rows if row.company_id and not row.person_id}
    return {
        **log_subjects.data_keys(session, vault, "person", people_ids),
        **log_subjects.data_keys(session, vault, "company", company_ids),
    }
