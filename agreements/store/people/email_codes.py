"""One-time codes mailed to an address: few tries, ten minutes, and limits so that an address is not flooded with mail."""

import hmac
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Literal
from unicodedata import normalize

from sqlalchemy import ColumnElement, and_, text
from sqlmodel import Session, col, select

from agreements.store import lookup
from agreements.store.ledger import transient_rows
from agreements.store.ledger.transient_rows import is_authentic
from agreements.store.lookup import account_key, canonical_key, from_row, text_key
from agreements.store.people import person_rows
from agreements.store.record_context import SECOND_CLICK, RecordContext
from agreements.store.tables.declarations import EMAIL_INDEX
from agreements.store.tables.records import OneTimeCode, PersonRecord
from agreements.vault import DecryptionFailed, Vault, one_time_code, place

CODE_LIFETIME = timedelta(minutes=10)
MAX_CODE_ATTEMPTS = 5  # 8 digits, 100 tries a day: an account hits a code once in some 2,700 years.

AN_HOUR, A_DAY = timedelta(hours=1), timedelta(days=1)
MAX_CODES_AN_HOUR = 5
"""The codes that one account may ask for within an hour."""

MAX_CODES_A_DAY = 20
"""The codes that one account may ask for within a day."""

MAX_CODES_AN_ADDRESS = 3
"""The codes that one account may have mailed to one address within an hour."""

MAX_CODES_TO_ADDRESS = 10
"""The codes that may go to one address within an hour, from all accounts together."""

_HASH = "one-time-code"


class TooManyCodes(Exception):
    """The account, or the address, used up its codes; `again_at` is when the next code may be asked for."""

    def __init__(self, again_at: datetime) -> None:
        self.again_at = again_at
        super().__init__("too many codes were asked for")


@dataclass(frozen=True, slots=True)
class IssuedCode:
    """A new code: its `id`, which a form carries, and its eight digits (`code`), which only the mail may hold."""

    id: str
    code: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCode:
    """A code as the row `id` of a table keeps it: its keyed hash (`code_hash`), its end (`expires_at`), and the `tries_left`."""

    id: str
    code_hash: str
    expires_at: datetime
    tries_left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeResult:
    """The `outcome` of a try and the `tries_left` after it; `address` and `company_id` are what a right code proves (else empty and None).

    `repeated`: the code was right a moment ago, and this is the same answer again; it proves nothing anew.
    """

    outcome: Literal["right", "repeated", "wrong", "expired", "used-up"]
    address: str = field(default="", repr=False)
    company_id: str | None = None
    tries_left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCode:
    """A code (`id`) for an `address` that can still be answered until `expires_at`, with `tries_left`; `company_id` is None when it is for no company."""

    id: str
    address: str = field(repr=False)
    company_id: str | None
    expires_at: datetime
    tries_left: int


def issue(context: RecordContext, person: PersonRecord, address: str, *, company_id: str | None) -> IssuedCode:
    """Make a code for that address; older ones of the same account, address and company end. Store the mail with it.

    Raises ValueError for an invalid address, TooManyCodes when the account or the address used up its codes.
    """
    session, vault, at = context.session, context.vault, context.at
    canonical = canonical_key(address)
    # All keys of the ring: during a rotation older codes have the index of the key before.
    indexes = vault.blind_indexes(EMAIL_INDEX, canonical)
    # Locked before codes are counted: two requests at once would both be within the limit.
    person_rows.lock(session, person)
    lock_address(session, indexes[0])
    again_at = max(_again(session, account_key(person.account_id), indexes, at), default=None)
    if again_at is not None:
        raise TooManyCodes(again_at)
    _end_older(context, person, indexes, company_id)  # Each running code is a further chance to guess.
    code, stored = make(vault, text_key(context.new_id()), at)
    about = place("one_time_code", "address", stored.id)
    row = OneTimeCode(
        **asdict(stored),
        person_id=person.id,
        account_id=person.account_id,
        company_id=company_id,
        address=vault.encrypt(person_rows.data_key(vault, person), canonical.encode(), about),
        address_index=indexes[0],
        made_at=at,
    )
    transient_rows.authenticate(vault, row)
    session.add(row)
    session.flush()
    return IssuedCode(row.id, code)


def just_issued(context: RecordContext, person: PersonRecord, address: str, *, company_id: str | None) -> str | None:
    """The id of a code that was made for just this within SECOND_CLICK, and not tried yet; None where there is none."""
    at = context.at
    person_rows.lock(context.session, person)  # Of two requests at once the second finds the first one's code.
    return next(
        (
            code.id
            for code in waiting(context.session, context.vault, person.account_id, at)
            if (code.address, code.company_id, code.tries_left)
            == (canonical_key(address), company_id, MAX_CODE_ATTEMPTS)
            and code.expires_at > at + CODE_LIFETIME - SECOND_CLICK
        ),
        None,
    )


def answer(context: RecordContext, code_id: str, code: str) -> CodeResult:
    """Try the code as the account that makes the change. It is right once. Commit in any case: wrong tries count.

    `wrong` has tries left; the last wrong try is `used-up`, as is a code that was right before. An id that is unknown,
    of another account, or purged is `expired`. Raises RowRefused for a row inserted or changed in the database.
    """
    session, vault, at = context.session, context.vault, context.at
    mine = and_(col(OneTimeCode.id) == text_key(code_id), col(OneTimeCode.account_id) == context.actor)
    # The person first, as in `issue`: in another order the two could wait for each other.
    person_rows.find_locked(session, context.actor)
    # Of two tries at once the second waits here, and sees what the first left.
    row = lookup.locked(session, OneTimeCode, mine)
    if row is None:
        return CodeResult(outcome="expired")
    transient_rows.check(vault, row)  # A row forged in the database would prove any address.
    is_fresh = row.used_at is not None and at - row.used_at < SECOND_CLICK
    if is_fresh and _is_right(vault, from_row(StoredCode, row), code):
        return from_row(CodeResult, row, outcome="repeated", address=address_of(session, vault, row) or "")
    if row.used_at is not None:
        return CodeResult(outcome="used-up")
    result = attempt(vault, from_row(StoredCode, row), code, at)
    if result.tries_left == row.tries_left:
        return result
    row.tries_left = result.tries_left
    row.used_at = at if result.outcome == "right" else None
    transient_rows.authenticate(vault, row)
    session.flush()
    if result.outcome != "right":
        return result
    person = session.exec(select(PersonRecord).where(col(PersonRecord.id) == row.person_id)).one()
    return from_row(CodeResult, row, outcome="right", address=_opened(vault, person, row))


def waiting(session: Session, vault: Vault, account_id: int, at: datetime) -> tuple[OpenCode, ...]:
    """The codes that the account can answer at `at`, newest first, without rows that were tampered with."""
    query = (
        select(OneTimeCode, PersonRecord)
        .join(PersonRecord)
        .where(col(OneTimeCode.account_id) == account_key(account_id), *_open_still(at))
        .order_by(col(OneTimeCode.made_at).desc(), col(OneTimeCode.id))
    )
    return tuple(
        from_row(OpenCode, row, address=_opened(vault, person, row))
        for row, person in session.exec(query)
        if is_authentic(vault, row)
    )


def address_of(session: Session, vault: Vault, row: OneTimeCode) -> str | None:
    """The address that the code went to; None when the person was erased since."""
    person = session.exec(select(PersonRecord).where(col(PersonRecord.id) == row.person_id)).one()
    try:
        return _opened(vault, person, row)
    except DecryptionFailed:
        return None


def make(vault: Vault, row_id: str, at: datetime) -> tuple[str, StoredCode]:
    """A new code for that row: its digits, which only the mail may hold, and what the row keeps of it."""
    code = one_time_code()
    # Without the key, all 10**8 codes are hashed within minutes.
    code_hash = vault.blind_index(_HASH, f"{row_id}|{code}").hex()
    return code, StoredCode(id=row_id, code_hash=code_hash, expires_at=at + CODE_LIFETIME, tries_left=MAX_CODE_ATTEMPTS)


def attempt(vault: Vault, stored: StoredCode, typed: str, at: datetime) -> CodeResult:
    """The result of a try with the digits typed, blanks ignored; the caller stores the tries left, of a right code too."""
    if stored.tries_left < 1 or stored.expires_at <= at:
        return CodeResult(outcome="expired" if stored.tries_left > 0 else "used-up", tries_left=stored.tries_left)
    left = stored.tries_left - 1
    is_right = _is_right(vault, stored, typed)
    return CodeResult(outcome="right" if is_right else "wrong" if left else "used-up", tries_left=left)


def _is_right(vault: Vault, stored: StoredCode, typed: str) -> bool:
    # NFKC makes digits of the wide ones that a Chinese keyboard writes; cut first, as it may lengthen text.
    digits = "".join(normalize("NFKC", typed[:64]).split())
    hashes = vault.blind_indexes(_HASH, f"{stored.id}|{digits}")  # The code may be older than the ring's current key.
    return any(hmac.compare_digest(digest.hex(), stored.code_hash) for digest in hashes)  # In constant time.


def lock_address(session: Session, index: bytes) -> None:
    """Keep others from counting this address's codes before the transaction ends."""
    if session.get_bind().dialect.name != "sqlite":  # SQLite has one writer anyway.
        # The first byte is the format's version, the same for all; PostgreSQL's lock has 64 bits.
        lock = int.from_bytes(index[1:9], signed=True)
        session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": lock})


def _end_older(context: RecordContext, person: PersonRecord, indexes: Sequence[bytes], company_id: str | None) -> None:
    vault, at = context.vault, context.at
    same = [col(OneTimeCode.account_id) == person.account_id, col(OneTimeCode.address_index).in_(indexes)]
    for_company = col(OneTimeCode.company_id).is_not_distinct_from(None if company_id is None else text_key(company_id))
    for older in context.session.exec(select(OneTimeCode).where(*same, for_company, *_open_still(at))).all():
        if is_authentic(vault, older):  # A forged row proves nothing, and must not get a right code here.
            older.expires_at = at
            transient_rows.authenticate(vault, older)


def _again(session: Session, account_id: int, indexes: Sequence[bytes], at: datetime) -> Iterator[datetime]:
    by_account = col(OneTimeCode.account_id) == account_id
    to_address = col(OneTimeCode.address_index).in_(indexes)
    for whose, most, span in (
        (by_account, MAX_CODES_AN_HOUR, AN_HOUR),
        (by_account, MAX_CODES_A_DAY, A_DAY),
        (and_(by_account, to_address), MAX_CODES_AN_ADDRESS, AN_HOUR),
        # More than three accounts can spend: a stranger alone cannot keep the address's owner from getting a code.
        (to_address, MAX_CODES_TO_ADDRESS, AN_HOUR),
    ):
        made = select(OneTimeCode.made_at).where(whose, col(OneTimeCode.made_at) > at - span)
        newest = session.exec(made.order_by(col(OneTimeCode.made_at).desc()).limit(most)).all()
        # The oldest of the newest `most` codes leaves the span first: then the next may be asked for.
        if len(newest) == most:
            yield newest[-1] + span


def _open_still(at: datetime) -> tuple[ColumnElement[bool], ...]:
    return col(OneTimeCode.used_at).is_(None), col(OneTimeCode.tries_left) > 0, col(OneTimeCode.expires_at) > at


def _opened(vault: Vault, person: PersonRecord, row: OneTimeCode) -> str:
    return vault.decrypt(
        person_rows.data_key(vault, person), row.address, place("one_time_code", "address", row.id)
    ).decode()
