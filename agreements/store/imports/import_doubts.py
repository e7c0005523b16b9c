"""Doubts about imported entries of known accounts: the person was erased, is restricted, or ended the agreement here."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import func
from sqlmodel import Session, col, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from agreements.store.erasures import DELETED, SHREDDED
from agreements.store.lookup import account_chunks, text_key
from agreements.store.people.signatures import personal
from agreements.store.tables.records import Erasure, PersonRecord, SignatureRecord, Withdrawal

ERASED, RESTRICTED, ENDED = "erased", "restricted", "ended"
"""The account's data were erased here; they are restricted; a signature of the agreement was withdrawn or revoked here
at the time of the entry or later."""

UNNAMED = frozenset({ERASED, RESTRICTED})
"""Doubts about people whose names no list may bring back."""


def found(session: Session, claims: Iterable[tuple[int, datetime]], agreement: str) -> dict[tuple[int, datetime], str]:
    """The doubts about claims that an account signed that agreement at that time, if any."""
    claims = list(claims)
    erased: set[int] = set()
    restricted: set[int] = set()
    ends: dict[int, datetime] = {}
    for chunk in account_chunks([account_id for account_id, _ in claims]):
        erased |= _erased(session, chunk)
        restricted.update(session.exec(_persons(chunk).where(col(PersonRecord.restricted_at).is_not(None))))
        ends |= _ends(session, chunk, agreement)
    doubts = {}
    for account_id, signed_at in claims:
        if account_id in erased:  # Also if they came back: the list is what they had erased.
            doubts[account_id, signed_at] = ERASED
        elif account_id in restricted:
            doubts[account_id, signed_at] = RESTRICTED
        # An end before the entry's date says nothing: they signed again elsewhere.
        elif account_id in ends and ends[account_id] >= signed_at:
            doubts[account_id, signed_at] = ENDED
    return doubts


def _erased(session: Session, account_ids: list[int]) -> set[int]:
    # People of whom nothing was kept have no row: only their request tells that they were erased.
    erased = select(Erasure.account_id).where(
        col(Erasure.account_id).in_(account_ids), col(Erasure.state).in_((DELETED, SHREDDED))
    )
    shredded = _persons(account_ids).where(
        or_(col(PersonRecord.erased_at).is_not(None), col(PersonRecord.wrapped_key) == b"")
    )
    return {*session.exec(erased), *session.exec(shredded)}


def _persons(account_ids: list[int]) -> SelectOfScalar[int]:
    return select(PersonRecord.account_id).where(col(PersonRecord.account_id).in_(account_ids))


def _ends(session: Session, account_ids: list[int], agreement: str) -> dict[int, datetime]:
    """The time of each account's last end of a signature of that agreement, but for companies' ones."""
    query = (
        select(SignatureRecord.account_id, func.max(Withdrawal.at))
        .join(Withdrawal)
        .where(
            col(SignatureRecord.account_id).in_(account_ids),
            col(SignatureRecord.agreement) == text_key(agreement),
            personal(),
        )
        .group_by(col(SignatureRecord.account_id))
    )
    return dict(session.exec(query).all())
