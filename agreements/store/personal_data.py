"""All records about one account, opened, as plain data for its owner."""

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar

from sqlmodel import Session, SQLModel, col, or_, select

from agreements import moments
from agreements.store.ledger import log_subjects, stored_ledger
from agreements.store.lookup import account_key
from agreements.store.people import (
    documents,
    email_codes,
    emails,
    erasure_requests,
    person_rows,
    portal_signoffs,
    withdrawals,
)
from agreements.store.tables.company_records import (
    CompanyEntry,
    CompanyManager,
    CompanyRecord,
    Enrolment,
    SignatoryRequest,
)
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import (
    ImportedEntry,
    OneTimeCode,
    PersonRecord,
    PortalSignoffRecord,
    Proof,
    SignatureRecord,
)
from agreements.vault import DecryptionFailed, Vault, place

Plain = dict[str, Any]
_Row = TypeVar("_Row", SignatureRecord, PortalSignoffRecord, Proof, OneTimeCode, ImportedEntry)

_ERASED = "erased: the key that encrypted this was destroyed"


def everything(session: Session, vault: Vault, account_id: int) -> Mapping[str, object]:
    """The account's records by kind and time; values that no key opens say so. Nothing in it is about others."""
    person = person_rows.find(session, account_id)
    return {
        "person": plain(person) if person else None,
        "signatures": _signatures(session, vault, account_id),
        "sign_offs": [
            plain(row, login=portal_signoffs.login(vault, person, row) or _ERASED)
            for row in _rows(session, PortalSignoffRecord, account_id, "signed_at")
        ],
        "proven_addresses": _proofs(session, vault, account_id),
        # That they were asked for, and the address; the codes themselves are not kept.
        "one_time_codes": [
            plain(row, besides="code_hash", address=email_codes.address_of(session, vault, row) or _ERASED)
            for row in _rows(session, OneTimeCode, account_id, "made_at")
        ],
        "files": _files(session, vault, person),
        "enrolments": _of_companies(session, Enrolment, account_id),
        "manages": _of_companies(session, CompanyManager, account_id),
        "named_by_companies": _named(session, account_id, person),
        "companies_requested": _shown(session, CompanyRecord, account_id, "requested_by signed_at", _REQUESTED),
        "asked_to_sign": _shown(session, SignatoryRequest, account_id, "account_id made_at", _ASKED_TO_SIGN),
        "imported": [plain(row, told=_told(vault, row)) for row in _rows(session, ImportedEntry, account_id, "id")],
        "erasure_requests": [
            _erasure_request(request) for request in erasure_requests.of_account(session, vault, account_id)
        ],
        "log": _log(session, vault, account_id, person),
    }


def plain(row: SQLModel, *, besides: str = "", **opened: object) -> Plain:
    """A row's columns: moments as text, sealed values opened, other bytes left out."""
    # In the order of the fields: the order of `model_dump` differs from one process to the next.
    values = {name: getattr(row, name) for name in type(row).model_fields if name != besides}
    columns = {name: value for name, value in values.items() if not isinstance(value, bytes)}
    return {name: moments.text(v) if isinstance(v, datetime) else v for name, v in columns.items()} | opened


def _rows(session: Session, table: type[_Row], account_id: int, by: str) -> Iterable[_Row]:
    account, order = (col(getattr(table, name)) for name in ("account_id", by))
    return session.exec(select(table).where(account == account_key(account_id)).order_by(order, col(table.id)))


def _signatures(session: Session, vault: Vault, account_id: int) -> list[Plain]:
    found = []
    for row in _rows(session, SignatureRecord, account_id, "signed_at"):
        details = withdrawals.find(session, vault, row.receipt)
        assert details is not None
        evidence = (
            _ERASED
            if details.name is None
            else {"name": details.name, "email": details.email, "fields": details.fields}
        )
        ended = plain(details.ended, reason=details.reason) if details.ended else None
        # The login is kept with the evidence; the row's own column is empty.
        found.append(plain(row, login=details.login or None, evidence=evidence, ended=ended))
    return found


def _proofs(session: Session, vault: Vault, account_id: int) -> list[Plain]:
    rows = list(_rows(session, Proof, account_id, "at"))
    opened = emails.opened(session, vault, [row.id for row in rows])
    return [plain(row, address=opened.get(row.id, _ERASED)) for row in rows]


def _files(session: Session, vault: Vault, person: PersonRecord | None) -> list[Plain]:
    found = []
    for document in documents.of_person(session, vault, person.id) if person else ():
        opened = documents.opened(session, vault, document.id)
        attributes = {
            name: getattr(document, name) for name in ("service", "media_type", "size", "sha256", "recorded_by")
        }
        content = b64encode(opened.content).decode() if opened else _ERASED  # JSON has no bytes.
        found.append(
            {
                **attributes,
                "name": document.name or _ERASED,
                "recorded_at": moments.text(document.recorded_at),
                "content": content,
            }
        )
    return found


def _of_companies(session: Session, table: type[Enrolment] | type[CompanyManager], account_id: int) -> list[Plain]:
    query = (
        select(table, CompanyRecord.name).join(CompanyRecord).where(col(table.account_id) == account_key(account_id))
    )
    return [plain(row, company=name) for row, name in session.exec(query.order_by(col(table.since), col(table.id)))]


def _named(session: Session, account_id: int, person: PersonRecord | None) -> list[Plain]:
    """Entries of companies by account, and by an address that the account has proven."""
    indexes = select(Proof.address_index).where(col(Proof.account_id) == account_key(account_id))
    mine = or_(col(CompanyEntry.account_id) == account_id, col(CompanyEntry.email_index).in_(indexes))
    query = select(CompanyEntry, CompanyRecord.name).join(CompanyRecord).where(mine)
    rows = session.exec(query.order_by(col(CompanyEntry.added_at), col(CompanyEntry.id)))
    known = person.login if person else None  # An entry may have been made without a login.
    # The manager who added it is another person.
    return [plain(row, besides="added_by", company=name, login=row.login or known) for row, name in rows]


_REQUESTED = ("id", "name", "agreement", "version", "signed_at", "countersigned_at", "refused_at", "ended_at")
_ASKED_TO_SIGN = ("id", "made_at", "sent_at", "sent", "expires_at", "opened_at", "answered_at", "outcome", "company_id")
"""The columns of company agreements that the account sent to a signatory; the address is the signatory's own."""


def _shown(session: Session, table: type[SQLModel], account_id: int, by: str, shown: Sequence[str]) -> list[Plain]:
    """These columns of the account's rows; `by` are the column with the account, and the one that orders them."""
    whose, order, key = (col(getattr(table, name)) for name in (*by.split(), "id"))
    query = select(table).where(whose == account_key(account_id)).order_by(order, key)
    return [{name: row[name] for name in shown} for row in map(plain, session.exec(query))]


def _told(vault: Vault, row: ImportedEntry) -> object:
    try:
        return json.loads(vault.decrypt_for_server(row.sealed, place("imported", "sealed", row.id)))
    except (DecryptionFailed, ValueError):
        return _ERASED


def _erasure_request(request: erasure_requests.ErasureRequest) -> Plain:
    asked, decided = moments.text(request.asked_at), request.decided_at and moments.text(request.decided_at)
    return {"state": request.state, "asked_at": asked, "decided_at": decided, "reason": request.reason}


def _log(session: Session, vault: Vault, account_id: int, person: PersonRecord | None) -> list[Plain]:
    """Entries about the account, with their details; of entries by the account about others, only that it made them."""
    mine = [col(LedgerEntry.actor_id) == account_key(account_id)]
    if person is not None:
        mine.append(col(LedgerEntry.subject_id) == person.id)
    subject = log_subjects.subject_of(session, vault, account_id)
    found = []
    for entry in session.exec(select(LedgerEntry).where(or_(*mine)).order_by(col(LedgerEntry.number))):
        record: Plain = {"number": entry.number, "at": moments.text(entry.at), "kind": entry.kind, "id": entry.id}
        record["by_you"] = entry.actor_id == account_id
        if person is not None and entry.subject_id == person.id:  # Details about others are theirs.
            record["told"] = _ERASED
            with suppress(DecryptionFailed):
                record["told"] = stored_ledger.open_details(session, vault, entry, subject)
        found.append(record)
    return found
