"""Who let whom pass, on which head, and why: written once by a maintainer's command, never changed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import CheckConstraint, Index, Row, bindparam
from sqlalchemy import select as select_rows
from sqlmodel import Field, Session, SQLModel, col, select

from agreements.facts import Account, Override
from agreements.store.lookup.keys import text_chunks
from agreements.store.tables.columns import BigId, Moment
from agreements.vault import Vault, place
from bot.store.records import PullRecord
from bot.store.statements import run, table


class OverrideRow(SQLModel, table=True):
    """One override; `reason` is sealed, `by_login` a label, `by_role` what GitHub said of them at that moment."""

    __tablename__ = "override"
    __table_args__ = (
        CheckConstraint(
            "(kind = 'cla' AND account_id IS NOT NULL) OR (kind = 'dco' AND account_id IS NULL)",
            name="override_for_one_account_or_the_dco",
        ),
        CheckConstraint("account_id <> by_account_id", name="override_never_for_oneself"),
        Index("ix_override_pull_id_head_sha", "pull_id", "head_sha"),
        Index("ix_override_comment_id", "comment_id", unique=True),
    )

    id: str = Field(primary_key=True)
    pull_id: int = Field(sa_type=BigId, foreign_key="pull.id")
    kind: str
    account_id: int | None = Field(default=None, sa_type=BigId)
    head_sha: str
    by_account_id: int = Field(sa_type=BigId)
    by_login: str
    by_role: str
    comment_id: int = Field(sa_type=BigId)
    reason: bytes
    at: datetime = Field(sa_type=Moment)


_override = table(OverrideRow).c
_ON_HEAD: Final = (
    select_rows(table(OverrideRow))
    .where(_override.pull_id == bindparam("of"), _override.head_sha == bindparam("head"))
    .order_by(_override.at, _override.id)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideDraft:
    """An override about to be recorded; `account_id` None means the DCO."""

    pull_id: int
    account_id: int | None
    head_sha: str
    by: Account
    by_role: str
    comment_id: int
    reason: str


def add(session: Session, vault: Vault, draft: OverrideDraft, *, at: datetime, new_id: str) -> OverrideRow | None:
    """Record it; None when this comment's override is recorded already, on whichever head."""
    known = session.exec(select(OverrideRow.id).where(OverrideRow.comment_id == draft.comment_id)).first()
    if known is not None:
        return None
    row = OverrideRow(
        id=new_id,
        pull_id=draft.pull_id,
        kind="dco" if draft.account_id is None else "cla",
        account_id=draft.account_id,
        head_sha=draft.head_sha,
        by_account_id=draft.by.id,
        by_login=draft.by.login,
        by_role=draft.by_role,
        comment_id=draft.comment_id,
        reason=vault.encrypt_for_server(draft.reason.encode("utf-8", "replace"), _about(new_id)),
        at=at,
    )
    session.add(row)
    session.flush()
    return row


def on_head(session: Session, pull_id: int, head_sha: str) -> Sequence[Row[Any]]:
    """The overrides of that pull request on that head, oldest first, as they are stored."""
    return run(session, _ON_HEAD, {"of": pull_id, "head": head_sha}).all()


def read(vault: Vault, rows: Sequence[Row[Any]]) -> tuple[Override, ...]:
    """What overrides say. Raises DecryptionFailed for a changed reason."""
    return tuple(
        Override(
            kind=row.kind,
            account_id=row.account_id,
            head_sha=row.head_sha,
            by=Account(row.by_account_id, row.by_login),
            reason=reason(vault, row),
        )
        for row in rows
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantedOverride:
    """An override as those who audit read it; `account_id` None means the DCO."""

    owner: str
    name: str
    number: int
    head_sha: str
    account_id: int | None
    by: Account
    by_role: str
    reason: str
    at: datetime


def newest(session: Session, vault: Vault, *, skip: int, most: int) -> tuple[GrantedOverride, ...]:
    """All overrides, the newest first. Raises DecryptionFailed for a changed reason."""
    query = select(OverrideRow, PullRecord).join(PullRecord, col(PullRecord.id) == col(OverrideRow.pull_id))
    rows = session.exec(query.order_by(col(OverrideRow.at).desc(), col(OverrideRow.id)).offset(skip).limit(most))
    return tuple(
        GrantedOverride(
            owner=pull.owner,
            name=pull.name,
            number=pull.number,
            head_sha=row.head_sha,
            account_id=row.account_id,
            by=Account(row.by_account_id, row.by_login),
            by_role=row.by_role,
            reason=reason(vault, row),
            at=row.at,
        )
        for row, pull in rows
    )


def places(session: Session, ids: Collection[str]) -> dict[str, tuple[str, str, int]]:
    """Owner, name and number of the pull request of each of these overrides."""
    query = select(OverrideRow.id, PullRecord.owner, PullRecord.name, PullRecord.number).join(
        PullRecord, col(PullRecord.id) == col(OverrideRow.pull_id)
    )
    rows = (session.exec(query.where(col(OverrideRow.id).in_(chunk))) for chunk in text_chunks(ids))
    return {row_id: (owner, name, number) for some in rows for row_id, owner, name, number in some}


def reason(vault: Vault, row: OverrideRow | Row[Any]) -> str:
    """Why it was given. Raises DecryptionFailed for a changed one."""
    return vault.decrypt_for_server(row.reason, _about(row.id)).decode()


def _about(row_id: str) -> str:
    return place("override", "reason", row_id)
