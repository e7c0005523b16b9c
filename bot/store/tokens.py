"""Tokens for the API: made by administrators, known by their hash, each for some things only, revocable."""

import re
import secrets
import string
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from sqlmodel import Field, Session, SQLModel, col, select, update

from agreements.store.lookup.keys import account_key, text_key
from agreements.store.tables.columns import BigId, Moment

SCOPES = ("covered:read", "signatures:read", "companies:read", "personal")
"""What a token may open; `personal` adds names and addresses to what the others show."""

MAX_NAME_CHARACTERS = 100
MAX_TOKEN_LIFETIME = timedelta(days=365)
LAST_USED_PRECISION = timedelta(minutes=1)
"""How exact "last used" is: not every request writes."""

_LETTERS = string.digits + string.ascii_letters
_FORM = re.compile(r"cst_[0-9A-Za-z]{40}")


class ApiToken(SQLModel, table=True):
    """One token; what it opens is in `scopes`, separated by blanks."""

    __tablename__ = "api_token"

    id: str = Field(primary_key=True)
    name: str
    token_hash: str = Field(unique=True, index=True)
    scopes: str
    made_at: datetime = Field(sa_type=Moment)
    made_by: int = Field(sa_type=BigId)
    expires_at: datetime | None = Field(default=None, sa_type=Moment)
    revoked_at: datetime | None = Field(default=None, sa_type=Moment)
    used_at: datetime | None = Field(default=None, sa_type=Moment)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who asks: the token's id and what it opens."""

    id: str
    scopes: frozenset[str]


def make(  # noqa: PLR0913 - the session comes first everywhere, the rest is one token
    session: Session, name: str, scopes: Collection[str], *, until: datetime, by: int, at: datetime, new_id: str
) -> tuple[ApiToken, str]:
    """A new token, and its words, which nobody can read again: 40 letters of 62 are 238 random bits.

    Raises ValueError for a blank or long name, no scope or an unknown one, and an end that is past or too far away.
    """
    chosen = [scope for scope in SCOPES if scope in scopes]
    if len(chosen) != len(set(scopes)) or not set(chosen) - {"personal"}:
        raise ValueError("a token needs at least one scope, and only known ones")
    if len(text_key(name)) > MAX_NAME_CHARACTERS or not at < until <= at + MAX_TOKEN_LIFETIME:
        raise ValueError("a token needs a short name, and must expire within a year")
    words = "cst_" + "".join(secrets.choice(_LETTERS) for _ in range(40))
    row = ApiToken(
        id=text_key(new_id),
        name=name.strip(),
        token_hash=_hash(words),
        scopes=" ".join(chosen),
        made_at=at,
        made_by=account_key(by),
        expires_at=until,
    )
    session.add(row)
    session.flush()
    return row, words


def holder(session: Session, words: str, *, at: datetime) -> Holder | None:
    """Whose token that is; None when it is unknown, expired or revoked. Notes its use, once a minute at most.

    It is found by its hash: how long that takes tells nothing about the token.
    """
    if not _FORM.fullmatch(words):
        return None
    row = session.exec(select(ApiToken).where(ApiToken.token_hash == _hash(words))).one_or_none()
    if row is None or row.revoked_at is not None or row.expires_at is None or row.expires_at <= at:
        return None
    if row.used_at is None or row.used_at + LAST_USED_PRECISION <= at:
        session.exec(update(ApiToken).where(col(ApiToken.id) == row.id).values(used_at=at))
    return Holder(row.id, frozenset(row.scopes.split()))


def ended(session: Session, words: str) -> str | None:
    """The id of a token that is known and opens nothing any more; None for words that are no token of ours."""
    if not _FORM.fullmatch(words):
        return None
    return session.exec(select(ApiToken.id).where(ApiToken.token_hash == _hash(words))).one_or_none()


def revoke(session: Session, token_id: str, *, at: datetime) -> ApiToken | None:
    """End a token now; None when there is none, or it has ended already."""
    row = session.exec(select(ApiToken).where(col(ApiToken.id) == text_key(token_id)).with_for_update()).one_or_none()
    if row is None or row.revoked_at is not None:
        return None
    row.revoked_at = at
    session.add(row)
    session.flush()
    return row


def newest(session: Session, *, most: int) -> tuple[ApiToken, ...]:
    """The tokens made last."""
    return tuple(session.exec(select(ApiToken).order_by(col(ApiToken.made_at).desc(), col(ApiToken.id)).limit(most)))


def _hash(words: str) -> str:
    """SHA-256 is enough: the words are random."""
    return sha256(words.encode()).hexdigest()
