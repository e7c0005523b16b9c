"""Overrides: who let a person pass or vouched, on which head, and why. Written once, never changed."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import CheckConstraint, ColumnElement, Index
from sqlmodel import Field, Session, SQLModel, col, select

from agreements.domains.masking import masked
from agreements.facts import Account, Override
from agreements.store.lookup import text_chunks
from agreements.store.record_context import RecordContext
from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import declare
from agreements.vault import Vault, place
from bot.store.records import PullRecord

OverrideKind = Literal["cla", "address", "dco", "vouch"]


class OverrideRow(SQLModel, table=True):
    """One override; `reason` is sealed, `by_login` a label, `by_role` what GitHub said of them at that moment."""

    __tablename__ = "override"
    __table_args__ = (
        CheckConstraint(
            "(kind = 'cla' AND account_id IS NOT NULL) OR (kind IN ('dco', 'address', 'vouch') AND account_id IS NULL)",
            name="override_of_one_kind",
        ),
        # Kinds without an account pass this: to SQL a comparison with NULL is not false.
        CheckConstraint("account_id <> by_account_id", name="override_never_for_oneself"),
        Index("ix_override_pull_id_head_sha", "pull_id", "head_sha"),
        # One comment gives one override, however often GitHub or the queue repeats it.
        Index("ix_override_comment_id", "comment_id", unique=True),
        declare(logged=True, sealed="reason"),
    )

    id: str = Field(primary_key=True)
    pull_id: int = Field(sa_type=BigId, foreign_key="pull.id")
    kind: str  # `cla` for an account, `address` for one without, `dco` for sign-offs, `vouch` for work of agents.
    account_id: int | None = Field(default=None, sa_type=BigId)
    head_sha: str
    by_account_id: int = Field(sa_type=BigId)
    by_login: str
    by_role: str
    comment_id: int | None = Field(default=None, sa_type=BigId)  # None: a button was pressed.
    reason: bytes  # Encrypted: people write names and addresses into it.
    at: datetime = Field(sa_type=Moment)


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideDraft:
    """An override about to be recorded; `account_id` goes with the `kind` `cla`, `email` with `address`.

    From the comment `comment_id` (None: by a button), `by` an account in `by_role` on `pull_id` at `head_sha`, for a
    `reason`.
    """

    pull_id: int
    kind: OverrideKind
    account_id: int | None = None
    email: str | None = None
    head_sha: str
    by: Account
    by_role: str
    comment_id: int | None
    reason: str


def add(context: RecordContext, draft: OverrideDraft) -> OverrideRow | None:
    """Store the override; None when this comment's override is stored already, on any head.

    None also for a button when the person gave an override of this kind on this head before.
    """
    # Asked first: running into the unique index would end the transaction of a job that is run again.
    if context.session.exec(select(OverrideRow.id).where(*_same(draft))).first() is not None:
        return None
    override_id = context.new_id()
    row = OverrideRow(
        id=override_id,
        pull_id=draft.pull_id,
        kind=draft.kind,
        account_id=draft.account_id,
        head_sha=draft.head_sha,
        by_account_id=draft.by.id,
        by_login=draft.by.login,
        by_role=draft.by_role,
        comment_id=draft.comment_id,
        reason=context.vault.encrypt_for_server(_sealed(draft), _about(override_id)),
        at=context.at,
    )
    context.session.add(row)
    context.session.flush()
    return row


def _same(draft: OverrideDraft) -> tuple[ColumnElement[bool], ...]:
    if draft.comment_id is not None:
        return (col(OverrideRow.comment_id) == draft.comment_id,)
    return (
        col(OverrideRow.pull_id) == draft.pull_id,
        col(OverrideRow.head_sha) == draft.head_sha,
        col(OverrideRow.kind) == draft.kind,
        col(OverrideRow.by_account_id) == draft.by.id,
    )


def read(vault: Vault, rows: Sequence[OverrideRow]) -> tuple[Override, ...]:
    """The overrides of these rows, opened. Raises DecryptionFailed for a changed reason."""
    return tuple(_read(vault, row) for row in rows)


def _read(vault: Vault, row: OverrideRow) -> Override:
    why, email = _opened(vault, row)
    return Override(
        # To a verdict both let a person pass the CLA: the one by account, the other by address.
        kind="cla" if row.kind == "address" else row.kind,
        account_id=row.account_id,
        head_sha=row.head_sha,
        by=Account(row.by_account_id, row.by_login),
        reason=why,
        email=email,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantedOverride:
    """An override as those who audit read it: `account_id` for the `kind` `cla`, for `address` the `email`, masked.

    Given `at` a moment `by` an account in `by_role` for a `reason`, at `head_sha` of `number` in `owner`/`name`.
    """

    owner: str
    name: str
    number: int
    head_sha: str
    kind: str
    account_id: int | None
    email: str
    by: Account
    by_role: str
    reason: str
    at: datetime


def newest(session: Session, vault: Vault, *, skip: int, most: int) -> tuple[GrantedOverride, ...]:
    """All overrides, the newest first. Raises DecryptionFailed for a changed reason."""
    query = select(OverrideRow, PullRecord).join(PullRecord, col(PullRecord.id) == col(OverrideRow.pull_id))
    rows = session.exec(query.order_by(col(OverrideRow.at).desc(), col(OverrideRow.id)).offset(skip).limit(most))
    return tuple(_granted(vault, row, pull) for row, pull in rows)


def _granted(vault: Vault, row: OverrideRow, pull: PullRecord) -> GrantedOverride:
    why, email = _opened(vault, row)
    return GrantedOverride(
        owner=pull.owner,
        name=pull.name,
        number=pull.number,
        head_sha=row.head_sha,
        kind=row.kind,
        account_id=row.account_id,
        email=masked(email or ""),
        by=Account(row.by_account_id, row.by_login),
        by_role=row.by_role,
        reason=why,
        at=row.at,
    )


def places(session: Session, ids: Collection[str]) -> dict[str, tuple[str, str, int]]:
    """Owner, name and number of the pull request of each of these overrides."""
    query = select(OverrideRow.id, PullRecord.owner, PullRecord.name, PullRecord.number).join(
        PullRecord, col(PullRecord.id) == col(OverrideRow.pull_id)
    )
    # In chunks: both databases limit the parameters of a query.
    rows = (session.exec(query.where(col(OverrideRow.id).in_(chunk))) for chunk in text_chunks(ids))
    return {row_id: (owner, name, number) for some in rows for row_id, owner, name, number in some}


def reason(vault: Vault, row: OverrideRow) -> str:
    """The reason that was given. Raises DecryptionFailed for a changed one."""
    return _opened(vault, row)[0]


def _sealed(draft: OverrideDraft) -> bytes:
    if draft.email is None:  # The address goes under the same seal: it names a person without an account.
        return draft.reason.encode("utf-8", "replace")  # JSON may hold half a surrogate pair, which UTF-8 refuses.
    return json.dumps({"reason": draft.reason, "email": draft.email}).encode("utf-8", "replace")


def _opened(vault: Vault, row: OverrideRow) -> tuple[str, str | None]:
    """The reason, and the address that the override is about, if any. Raises DecryptionFailed for a changed one."""
    text = vault.decrypt_for_server(row.reason, _about(row.id)).decode()
    if row.kind != "address":
        return text, None
    both = json.loads(text)
    return both["reason"], both["email"]


def _about(row_id: str) -> str:
    # A reason that was copied to another row does not open there.
    return place("override", "reason", row_id)
