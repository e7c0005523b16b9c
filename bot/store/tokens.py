"""Tokens for the API: made by administrators, proven by the key ring and the log, each for some things only, revocable."""

import re
import secrets
import string
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Literal

from sqlalchemy import ColumnElement, literal
from sqlmodel import Field, Session, SQLModel, col, func, or_, select, update
from sqlmodel.sql.expression import Select

from agreements.store import lookup
from agreements.store.ledger import row_check
from agreements.store.ledger.row_check import RowCheck
from agreements.store.ledger.stored_ledger import SERVER, Change
from agreements.store.ledger.transient_rows import RowRefused
from agreements.store.lookup import text_key
from agreements.store.record_context import RecordContext
from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import BlindIndex, declare
from agreements.store.tables.ledger_records import LedgerEntry, RowMac
from agreements.vault import Vault

SCOPES = ("covered:read", "signatures:read", "companies:read", "personal")
"""What a token may open; `personal` adds names and addresses to what the others show."""

MAX_NAME_CHARACTERS = 100
MAX_TOKEN_LIFETIME = timedelta(days=365)  # A token that was forgotten ends by itself.
LAST_USED_PRECISION = timedelta(minutes=1)  # Of "last used", so that not every request writes.

USED, EXPIRED = "token.used", "token.expired"
"""Kinds of log entries: the first use on a day, and the end by time."""

KINDS = ("token.made", "token.revoked", USED, EXPIRED)
"""All kinds of entries on tokens, but the one with which a log of older records begins."""

INDEX = "api-token"
"""The name of the blind index of tokens, over their `token_hash`."""

_LETTERS = string.digits + string.ascii_letters
_FORM = re.compile(r"cst_[0-9A-Za-z]{40}")


class ApiToken(SQLModel, table=True):
    """One token; what it opens is in `scopes`, separated by blanks."""

    __tablename__ = "api_token"
    __table_args__ = declare(
        logged=True,
        secret=frozenset({"token_hash"}),
        indexes={"token_index": BlindIndex("token_hash", INDEX)},
        free={"used_at": "is shown to administrators, and nothing is decided from it"},
    )

    id: str = Field(primary_key=True)
    name: str
    token_hash: str = Field(unique=True, index=True)
    scopes: str
    made_at: datetime = Field(sa_type=Moment)
    made_by: int = Field(sa_type=BigId)
    expires_at: datetime | None = Field(default=None, sa_type=Moment)
    revoked_at: datetime | None = Field(default=None, sa_type=Moment)
    used_at: datetime | None = Field(default=None, sa_type=Moment)
    # The blind index of `token_hash` under the key ring; None in a row of a release that made none, until the token
    # is used. The log has the hash alone: the index changes with the ring, and follows from the hash.
    token_index: bytes | None = Field(default=None, index=True)


@dataclass(frozen=True, slots=True)
class Holder:
    """The caller of the API: the token's `id` and `scopes`.

    `logged`: the log says already that it was used today (UTC).
    """

    id: str
    scopes: frozenset[str]
    logged: bool


class TokenRefused(Exception):
    """The request has no valid token: it is `missing` or `unknown`, or the token of that id has `ended`."""

    def __init__(self, why: Literal["missing", "unknown", "ended"], token_id: str | None = None) -> None:
        self.why, self.token_id = why, token_id
        super().__init__(f"the token is refused: {why}")


def make(context: RecordContext, name: str, scopes: Collection[str], *, until: datetime) -> tuple[ApiToken, str]:
    """A new token, and its words. It opens nothing before the caller's log entry names its row.

    Raises ValueError for a blank or long name, no scope or an unknown one, and an end that is past or too far away.
    """
    chosen = [scope for scope in SCOPES if scope in scopes]
    # `personal` alone opens nothing: it adds to what the others show.
    if len(chosen) != len(set(scopes)) or not set(chosen) - {"personal"}:
        raise ValueError("a token needs at least one scope, and only known ones")
    if len(text_key(name)) > MAX_NAME_CHARACTERS or not context.at < until <= context.at + MAX_TOKEN_LIFETIME:
        raise ValueError("a token needs a short name, and must expire within a year")
    # Stored as a hash alone, without salt: 40 letters of 62 are 238 random bits.
    words = "cst_" + "".join(secrets.choice(_LETTERS) for _ in range(40))
    row = ApiToken(
        id=text_key(context.new_id()),
        name=name.strip(),
        token_hash=_hash(words),
        scopes=" ".join(chosen),
        made_at=context.at,
        made_by=context.actor,
        expires_at=until,
        token_index=context.vault.blind_index(INDEX, _hash(words)),
    )
    context.session.add(row)
    context.session.flush()
    return row, words


def holder(session: Session, vault: Vault, words: str, *, at: datetime) -> Holder:
    """The holder of that token. Notes its use, once a minute at most.

    Raises TokenRefused, and RowRefused for a row that is not what the newest log entry on it says, or whose look-up is
    not of the key ring: Countersign did not write it.
    """
    # Other words are not looked up: no query for every scanner's guess.
    if not _FORM.fullmatch(words):
        raise TokenRefused("unknown")
    # Found by its hash: how long that takes tells nothing about the token.
    found = next(_logged(session, vault, col(ApiToken.token_hash) == _hash(words)), None)
    if found is None:
        raise TokenRefused("unknown")
    row, number = found
    if row.revoked_at is not None or row.expires_at is None or row.expires_at <= at:
        raise TokenRefused("ended", row.id)
    mine = col(ApiToken.id) == row.id
    # A row of an earlier release gets its index at its first use.
    if row.token_index is None:
        session.exec(update(ApiToken).where(mine).values(token_index=vault.blind_index(INDEX, row.token_hash)))
    if row.used_at is None or row.used_at + LAST_USED_PRECISION <= at:
        session.exec(update(ApiToken).where(mine).values(used_at=at))
    return Holder(row.id, frozenset(row.scopes.split()), _is_used_today(session, number, at))


def log_use(context: RecordContext, token_id: str, asked: str) -> None:
    """Write the entry about the first use today unless it is there; `asked` is the endpoint. Raises RowRefused."""
    # In a transaction of its own: it waits for the row, and for other writers to the log.
    row, number = _locked(context.session, context.vault, token_id)
    if row is not None and not _is_used_today(context.session, number, context.at):
        context.log("token.used", rows=[row], details={"asked": asked})


def log_ends(context: RecordContext) -> list[RowRefused]:
    """Write an entry about each token that ended and of which no entry says so; the rows that are refused."""
    entry = col(RowMac.entry) == col(LedgerEntry.number)
    query = (
        select(ApiToken.id)
        .join(RowMac, (col(RowMac.table_name) == "api_token") & (col(RowMac.key) == col(ApiToken.id)), isouter=True)
        .join(LedgerEntry, entry, isouter=True)
        .where(col(ApiToken.revoked_at).is_(None), col(ApiToken.expires_at) <= context.at)
        .where(or_(col(LedgerEntry.kind).is_(None), col(LedgerEntry.kind) != EXPIRED))
        .order_by(ApiToken.id)
    )
    changes, refused = [], []
    for token_id in context.session.exec(query).all():
        # Read anew under a lock: another process may have written the entry meanwhile.
        try:
            row, number = _locked(context.session, context.vault, token_id)
        except RowRefused as refusal:
            refused.append(refusal)
            continue
        if row is not None and row.revoked_at is None and _entry(context.session, number)[0] != EXPIRED:
            details = {"until": row.expires_at.isoformat()} if row.expires_at else {}
            changes.append(Change(kind="token.expired", actor_id=None, subject=SERVER, rows=[row], details=details))
    if changes:
        context.append(*changes)
    return refused


def revoke(context: RecordContext, token_id: str) -> ApiToken | None:
    """End a token now; None for none, or an ended one. Raises RowRefused: it opens nothing as it is."""
    row, _ = _locked(context.session, context.vault, token_id)
    if row is None or row.revoked_at is not None:
        return None
    row.revoked_at = context.at
    context.session.add(row)
    context.session.flush()
    return row


def revoke_all(context: RecordContext) -> int:
    """End all tokens now, as when an older state of the database is taken back; how many. Refused rows open nothing."""
    query = select(ApiToken.id).where(col(ApiToken.revoked_at).is_(None), col(ApiToken.expires_at) > context.at)
    changes = []
    for token_id in context.session.exec(query.order_by(ApiToken.id)).all():
        with suppress(RowRefused):
            if row := revoke(context, token_id):
                changes.append(Change(kind="token.revoked", actor_id=None, subject=SERVER, rows=[row]))
    if changes:
        context.append(*changes)
    return len(changes)


def newest(session: Session, *, skip: int = 0, most: int) -> tuple[ApiToken, ...]:
    """The tokens made last."""
    query = select(ApiToken).order_by(col(ApiToken.made_at).desc(), col(ApiToken.id))
    return tuple(session.exec(query.offset(skip).limit(most)))


def refused(session: Session, vault: Vault, rows: Iterable[ApiToken]) -> frozenset[str]:
    """The ids of those of these tokens that are not what the log says, and open nothing."""
    return row_check.unlogged(session, vault, ApiToken, [row.id for row in rows])


def index(session: Session, vault: Vault) -> int:
    """Compute the look-ups that are missing or are not of the current key; gives the number of rows."""
    moved = 0
    for row in session.exec(select(ApiToken), execution_options={"populate_existing": True}).all():
        made = vault.blind_index(INDEX, row.token_hash)
        # A refused row gets no look-up: it would seem to be ours.
        if row.token_index == made or refused(session, vault, [row]):
            continue
        # Only where the hash is still the one that was checked.
        same = (col(ApiToken.id) == row.id, col(ApiToken.token_hash) == row.token_hash)
        session.exec(update(ApiToken).where(*same).values(token_index=made))
        moved += 1
    return moved


def _logged(session: Session, vault: Vault, *wanted: ColumnElement[bool]) -> Iterator[tuple[ApiToken, int]]:
    """The wanted tokens, each with the number of the newest entry that names it.

    Raises RowRefused for one that differs.
    """
    connection = session.connection()
    check = RowCheck(connection, vault)
    # Row and entry by one query, so that the row that is checked is the row that is used.
    query = _with_entry(connection.dialect.name).where(*wanted)
    for row, stamped, newer in session.execute(query, execution_options={"populate_existing": True}).all():
        # An older row, put back with its older code, fits: so the log itself is asked for newer entries.
        if newer is not None or not check.is_logged("api_token", row.id, stamped):
            raise RowRefused("api_token", row.id, "unlogged")
        if row.token_index is not None and row.token_index not in vault.blind_indexes(INDEX, row.token_hash):
            raise RowRefused("api_token", row.id, "wrong-code")
        yield row, int(stamped.rpartition("\n")[2].partition(" ")[0])


@cache
def _with_entry(dialect: str) -> Select[ApiToken, str, int | None]:
    table = SQLModel.metadata.tables["api_token"]  # Made once: each request asks it.
    # NULL where no entry on the token is newer than the one that its code is about, as it should be.
    code = select(RowMac.entry).where(col(RowMac.table_name) == table.name, col(RowMac.key) == table.c.id)
    entry = SQLModel.metadata.tables["ledger_entry"].c
    query = select(func.max(entry.number)).where(
        entry.kind.in_(KINDS),
        entry.number > func.coalesce(code.correlate(table).scalar_subquery(), -1),
        entry.rows.like(literal(f'%"{table.name}","') + table.c.id + '"%'),
    )
    return select(ApiToken, row_check.stamped(table, table.c.id, dialect), query.correlate(table).scalar_subquery())


def _locked(session: Session, vault: Vault, token_id: str) -> tuple[ApiToken | None, int]:
    mine = col(ApiToken.id) == text_key(token_id)
    if lookup.locked(session, ApiToken, mine) is None:
        return None, -1
    return next(_logged(session, vault, mine), (None, -1))


def _entry(session: Session, number: int) -> tuple[str, datetime | None]:
    query = select(LedgerEntry.kind, LedgerEntry.at).where(LedgerEntry.number == number)
    return session.exec(query).one_or_none() or ("", None)


def _is_used_today(session: Session, number: int, at: datetime) -> bool:
    kind, then = _entry(session, number)
    return kind == USED and then is not None and then.date() == at.date()


def _hash(words: str) -> str:
    # It finds the row, no more: the codes of the key ring prove it, see `_logged`.
    return sha256(words.encode()).hexdigest()
