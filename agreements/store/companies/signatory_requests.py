"""Company agreements sent to a signatory without a GitHub account: a link by mail, a code to the same address, one answer."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal, cast

from sqlmodel import Session, col, func, select

from agreements.facts import Account
from agreements.store import lookup
from agreements.store.companies import company_requests
from agreements.store.companies.company_requests import MAX_OPEN_REQUESTS
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.ledger import transient_rows
from agreements.store.ledger.transient_rows import is_authentic
from agreements.store.lookup import account_key, canonical_key, from_row, text_key
from agreements.store.people import email_codes, person_rows
from agreements.store.people.email_codes import CodeResult, StoredCode, TooManyCodes
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import SignatoryRequest
from agreements.store.tables.declarations import EMAIL_INDEX
from agreements.store.tables.records import PersonRecord
from agreements.vault import DecryptionFailed, Vault, link_token, place

LINK_LIFETIME = timedelta(days=14)
"""The time for which a link may be used, since it was last sent."""

MAX_SENDINGS = 5
"""The mails of one request, the first included."""

MAX_REQUESTS_PER_ADDRESS = 10
"""The open requests to one address, from all senders together: more than the MAX_OPEN_REQUESTS of three accounts."""

State = Literal["sent", "opened", "signed", "declined", "revoked", "expired"]
Outcome = Literal["signed", "declined", "revoked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatoryDraft:
    """The `company` that is to sign, the signatory's `address` and `language`, and the `second` manager.

    `owner_id`: the organisation whose rules say what is signed; None where they are the same for all.
    """

    company: str = field(repr=False)
    address: str = field(repr=False)
    second: Account
    language: Literal["en", "zh"]
    owner_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """A request (`id`) by `account_id` with its `draft`, as pages show it: sent `sent` times, last at `sent_at`, usable until `expires_at`.

    `state` says what came of it: the address was proven by a code at `opened_at`, the answer given at `answered_at`
    (None: not yet); `company_id` is the company that was signed for, None without.
    """

    id: str
    account_id: int
    draft: SignatoryDraft
    state: State
    sent_at: datetime
    sent: int
    expires_at: datetime
    opened_at: datetime | None
    answered_at: datetime | None
    company_id: str | None

    @property
    def is_open(self) -> bool:
        """Whether it can be signed, declined and revoked."""
        return self.state in ("sent", "opened")


def send(
    context: RecordContext, person: PersonRecord, draft: SignatoryDraft, request_id: str
) -> tuple[SentRequest, str | None]:
    """Store the request; also the token of its link, None when the same form had been sent before.

    Raises ValueError for an invalid address, and CompanyRefused: `same-person`, `too-many`.
    """
    session, vault, at = context.session, context.vault, context.at
    address = canonical_key(draft.address)
    person_rows.lock(session, person)  # Before requests are counted.
    known = session.get(SignatoryRequest, text_key(request_id))
    if known is not None and known.account_id == person.account_id:
        return _view(session, vault, known, at), None
    if draft.second.id == person.account_id:
        raise CompanyRefused("same-person")
    indexes = vault.blind_indexes(EMAIL_INDEX, address)
    email_codes.lock_address(session, indexes[0])  # The person first, then the address, as in `email_codes.issue`.
    to_address = select(func.count()).where(col(SignatoryRequest.address_index).in_(indexes))
    to_address = to_address.where(col(SignatoryRequest.answered_at).is_(None), col(SignatoryRequest.expires_at) > at)
    if (
        company_requests.open_requests(session, person.account_id, at=at) >= MAX_OPEN_REQUESTS
        or session.exec(to_address).one() >= MAX_REQUESTS_PER_ADDRESS
    ):
        raise CompanyRefused("too-many")
    token = link_token()
    row = SignatoryRequest(
        id=request_id,
        person_id=person.id,
        account_id=person.account_id,
        token_hash=_hash(token),
        sealed=_sealed(vault, person, request_id, draft, address),
        address_index=indexes[0],
        made_at=at,
        sent_at=at,
        sent=1,
        expires_at=at + LINK_LIFETIME,
    )
    session.add(row)
    _keep(context, row)
    return _view(session, vault, row, at), token


def send_again(context: RecordContext, request_id: str) -> tuple[SentRequest, str]:
    """Put a new link in place of the old one; the request and the token.

    Raises LookupError unless it is the actor's own, and CompanyRefused: `decided` once it was answered, `too-many`.
    """
    row = _own_unanswered(context, request_id)
    if row.sent >= MAX_SENDINGS:
        raise CompanyRefused("too-many")
    token = link_token()
    row.token_hash, row.sent, row.sent_at = _hash(token), row.sent + 1, context.at
    # A code of the old link must not open the new one.
    row.expires_at, row.code_hash = context.at + LINK_LIFETIME, None
    _keep(context, row)
    return _view(context.session, context.vault, row, context.at), token


def revoke(context: RecordContext, request_id: str) -> None:
    """End the link now. Raises LookupError unless it is the actor's, CompanyRefused (`decided`) if answered."""
    row = _own_unanswered(context, request_id)
    _end(row, "revoked", context.at)
    _keep(context, row)


def of_account(session: Session, vault: Vault, account_id: int, *, at: datetime) -> tuple[SentRequest, ...]:
    """The requests that the account has sent, the newest first; a row that is not authentic is shown as expired."""
    query = (
        select(SignatoryRequest)
        .join(PersonRecord)
        .where(
            col(SignatoryRequest.account_id) == account_key(account_id),
            col(PersonRecord.account_id) == account_id,  # What is sealed is theirs, also where the row was changed.
        )
    )
    rows = session.exec(query.order_by(col(SignatoryRequest.made_at).desc(), col(SignatoryRequest.id)))
    return tuple(_view(session, vault, row, at) for row in rows)


def find(session: Session, vault: Vault, request_id: str, *, at: datetime) -> SentRequest | None:
    """The request with that id. Raises RowRefused."""
    row = session.get(SignatoryRequest, text_key(request_id))
    if row is None:
        return None
    transient_rows.check(vault, row)
    return _view(session, vault, row, at)


def by_token(session: Session, vault: Vault, token: str, *, at: datetime) -> SentRequest | None:
    """The request whose newest link has that token; None for a replaced or unknown one, or an erased sender.

    Raises RowRefused where the row was inserted or changed in the database, or is of a release that made no codes.
    """
    query = select(SignatoryRequest).where(col(SignatoryRequest.token_hash) == _hash(token))
    row = session.exec(query).one_or_none()
    if row is None:
        return None
    transient_rows.check(vault, row)  # A row forged in the database must put no agreement before a signatory.
    try:
        return _view(session, vault, row, at)
    except DecryptionFailed:
        return None


def issue_code(context: RecordContext, request_id: str) -> str | None:
    """Make a code for the request's address, in place of the one before; None when the request is not open any more.

    Raises TooManyCodes when the address had its codes of this hour, RowRefused.
    """
    row, at = _open_locked(context, request_id), context.at
    if row is None:
        return None
    if row.codes_since is None or at >= row.codes_since + email_codes.AN_HOUR:
        # The hour begins with the first code, and is not a moving one: one row has no list of codes.
        row.codes, row.codes_since = 0, at
    if row.codes >= email_codes.MAX_CODES_AN_HOUR:
        raise TooManyCodes(row.codes_since + email_codes.AN_HOUR)
    code, stored = email_codes.make(context.vault, row.id, at)
    row.code_hash, row.code_expires_at, row.code_tries = stored.code_hash, stored.expires_at, stored.tries_left
    row.codes += 1
    _keep(context, row)
    return code


def answer_code(context: RecordContext, request_id: str, code: str) -> CodeResult:
    """Try the code. The right code opens the request, once. Commit in any case: the try is spent. Raises RowRefused."""
    row = _open_locked(context, request_id)
    if row is None or row.code_hash is None or row.code_expires_at is None:
        return CodeResult(outcome="expired")
    stored = StoredCode(id=row.id, code_hash=row.code_hash, expires_at=row.code_expires_at, tries_left=row.code_tries)
    result = email_codes.attempt(context.vault, stored, code, context.at)
    if result.tries_left == row.code_tries:
        return result
    row.code_tries = result.tries_left
    if result.outcome == "right":
        # The first proof of the address stands: later codes only open the page again.
        row.code_hash, row.opened_at = None, row.opened_at or context.at
    _keep(context, row)
    return result


def decline(context: RecordContext, request_id: str) -> SentRequest | None:
    """Note that the signatory does not sign; the request as it was. None if answered or over. Raises RowRefused."""
    row, at = _open_locked(context, request_id), context.at
    if row is None:
        return None
    was = _view(context.session, context.vault, row, at)
    _end(row, "declined", at)
    person = context.session.get_one(PersonRecord, row.person_id)
    # Their address is forgotten: it was of use for this alone.
    row.sealed = _sealed(context.vault, person, row.id, was.draft, "")
    _keep(context, row)
    return was


def claim(context: RecordContext, request_id: str) -> tuple[SentRequest, PersonRecord] | None:
    """The open request and its sender, locked for this transaction; None if it is not open. Raises RowRefused."""
    at, row = context.at, _locked(context, request_id)
    # A form sent twice signs once: the signed request comes back.
    if row is None or not (_is_open(row, at) or row.outcome == "signed"):
        return None
    return _view(context.session, context.vault, row, at), context.session.get_one(PersonRecord, row.person_id)


def sign(context: RecordContext, request_id: str, company_id: str) -> None:
    """Note that company's agreement as the answer. Call it before the company is made: that counts open requests."""
    row = context.session.get_one(SignatoryRequest, text_key(request_id))
    _end(row, "signed", context.at)
    row.company_id = text_key(company_id)
    _keep(context, row)


def _own_unanswered(context: RecordContext, request_id: str) -> SignatoryRequest:
    """The actor's request, locked: their key seals its sender. Raises LookupError, CompanyRefused (`decided`)."""
    row = lookup.locked(context.session, SignatoryRequest, col(SignatoryRequest.id) == text_key(request_id))
    if row is None or context.session.get_one(PersonRecord, row.person_id).account_id != context.actor:
        raise LookupError("no such request")
    # Declined: the address is gone.
    if row.answered_at is not None or not _view(context.session, context.vault, row, context.at).draft.address:
        raise CompanyRefused("decided")
    # Of a row without a right code only what is sealed is believed: the rest begins anew, and gets a code.
    if not is_authentic(context.vault, row):
        row.account_id, row.opened_at, row.company_id, row.outcome = context.actor, None, None, None
    return row


def _locked(context: RecordContext, request_id: str) -> SignatoryRequest | None:
    row = lookup.locked(context.session, SignatoryRequest, col(SignatoryRequest.id) == text_key(request_id))
    if row is not None:
        transient_rows.check(context.vault, row)
    return row


def _open_locked(context: RecordContext, request_id: str) -> SignatoryRequest | None:
    row = _locked(context, request_id)
    return row if row is not None and _is_open(row, context.at) else None


def _keep(context: RecordContext, row: SignatoryRequest) -> None:
    transient_rows.authenticate(context.vault, row)
    context.session.flush()


def _end(row: SignatoryRequest, outcome: Outcome, at: datetime) -> None:
    # A code in the mail must not outlive the answer.
    row.outcome, row.answered_at, row.expires_at, row.code_hash = outcome, at, min(row.expires_at, at), None


def _is_open(row: SignatoryRequest, at: datetime) -> bool:
    return row.answered_at is None and row.expires_at > at


def _state(vault: Vault, row: SignatoryRequest, at: datetime) -> State:
    if row.outcome is not None:
        return cast("Outcome", row.outcome)
    if row.expires_at <= at or not is_authentic(vault, row):  # Its link opens nothing.
        return "expired"
    return "opened" if row.opened_at else "sent"


def _view(session: Session, vault: Vault, row: SignatoryRequest, at: datetime) -> SentRequest:
    """The request as pages show it. Raises DecryptionFailed once its sender was erased."""
    key = person_rows.data_key(vault, session.get_one(PersonRecord, row.person_id))
    said = json.loads(vault.decrypt(key, row.sealed, place("signatory_request", "sealed", row.id)))
    second = Account(said["second"]["id"], said["second"]["login"])
    draft = SignatoryDraft(
        company=said["company"],
        address=said["address"],
        second=second,
        language=said["language"],
        owner_id=said.get("owner"),  # Requests of earlier releases do not say it.
    )
    return from_row(SentRequest, row, draft=draft, state=_state(vault, row, at))


def _sealed(vault: Vault, person: PersonRecord, request_id: str, draft: SignatoryDraft, address: str) -> bytes:
    said = {
        "company": text_key(draft.company),
        "address": address,
        "second": {"id": account_key(draft.second.id), "login": text_key(draft.second.login)},
        "language": draft.language,
        "owner": draft.owner_id,
    }
    text = json.dumps(said, ensure_ascii=False, sort_keys=True).encode()
    return vault.encrypt(person_rows.data_key(vault, person), text, place("signatory_request", "sealed", request_id))


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()  # The token has 256 random bits: no slow hash is needed.
