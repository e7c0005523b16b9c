"""The tables of the bot: deliveries, the pull requests that they are about, who takes part, the verdicts."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import declare
from bot.store.mailbox import MailboxRow, mailbox_rules


class DeliveryRecord(SQLModel, table=True):
    """One acknowledged webhook; `ids` is the typed event (ids, SHAs, labels), never the body."""

    __tablename__ = "delivery"
    __table_args__ = (
        CheckConstraint("state IN ('received', 'done', 'failed')", name="delivery_state_known"),
        # Retention looks for old deliveries of one state.
        Index("ix_delivery_state_received_at", "state", "received_at"),
        Index("ix_delivery_pull_id_sequence", "pull_id", "sequence"),
        declare(erased="part"),
    )

    guid: str = Field(primary_key=True)
    event: str
    action: str
    received_at: datetime = Field(sa_type=Moment)
    state: str
    attempts: int = 0
    error: str | None = None
    ids: dict[str, Any] = Field(sa_type=JSON)
    pull_id: int | None = Field(default=None, sa_type=BigId)
    sequence: int | None = None


class PullRecord(MailboxRow, table=True):
    """The mailbox of one pull request: deliveries raise `latest`, a review of the newest state raises `evaluated`.

    `label` is the one of ours that is on it, `labelled_at` the change of the pull request that GitHub named last before
    it was put there (None: it may not be there), `quiet` that nothing is to be shown there, `by_labels` that other
    labels may decide something.
    """

    __tablename__ = "pull"
    __table_args__ = (
        # Numeric ids are the identity: owner and name change hands, and are labels.
        UniqueConstraint("repository_id", "number", name="pull_repository_id_number"),
        Index("ix_pull_owner_id", "owner_id"),
        Index("ix_pull_head_sha", "head_sha"),
        *mailbox_rules("pull"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    repository_id: int = Field(sa_type=BigId)
    number: int
    installation_id: int = Field(sa_type=BigId)
    owner_id: int = Field(sa_type=BigId)
    owner: str
    name: str
    private: bool = True  # Until GitHub said otherwise: what was never looked at is shown to no visitor.
    open: bool = True
    head_sha: str = ""  # "" before the first look.
    updated_at: datetime | None = Field(default=None, sa_type=Moment)
    evaluated: int = 0
    attributed: int = 0
    evaluated_at: datetime | None = Field(default=None, sa_type=Moment)
    label: str = ""
    labelled_at: datetime | None = Field(default=None, sa_type=Moment)
    quiet: bool = False
    by_labels: bool = True


class PushRecord(SQLModel, table=True):
    """A push by a sender whom GitHub authenticated; `batches` names the commits that may be theirs (see FirstSeen)."""

    __tablename__ = "push"
    __table_args__ = (UniqueConstraint("pull_id", "sequence", name="push_pull_id_sequence"), declare(erased="part"))

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    pull_id: int = Field(sa_type=BigId, foreign_key="pull.id")
    sequence: int
    sender_id: int = Field(sa_type=BigId)
    sender_type: str
    sender_login: str  # A label of the moment, for pages; an erasure takes it away.
    after: str
    before: str = ""  # "" where GitHub does not say: opened, reopened.
    batches: list[int] = Field(sa_type=JSON)


class FirstSeen(SQLModel, table=True):
    """The commits that a review saw for the first time in this pull request; `sequence` is that review's."""

    __tablename__ = "first_seen"

    pull_id: int = Field(sa_type=BigId, primary_key=True, foreign_key="pull.id")
    sequence: int = Field(primary_key=True)
    shas: list[str] = Field(sa_type=JSON)


class Participant(SQLModel, table=True):
    """A person whose agreement matters for a pull request; by account id alone."""

    __table_args__ = declare(erased="part")

    pull_id: int = Field(sa_type=BigId, primary_key=True, foreign_key="pull.id")
    account_id: int = Field(sa_type=BigId, primary_key=True, index=True)


class PublishedItemRow(SQLModel, table=True):
    """Something of ours at GitHub: intended before it is made; `remote_id` is known once GitHub has answered."""

    __tablename__ = "publication"
    __table_args__ = (CheckConstraint("kind IN ('check', 'comment', 'licenses')", name="publication_kind_known"),)

    pull_id: int = Field(sa_type=BigId, primary_key=True, foreign_key="pull.id")
    kind: str = Field(primary_key=True)
    head_sha: str = Field(primary_key=True)
    remote_id: int | None = Field(default=None, sa_type=BigId)
    digest: str = ""
    intended_at: datetime = Field(sa_type=Moment)


class VerdictRecord(SQLModel, table=True):
    """A verdict as it was given; `codes` holds check, code, commit, role, account id and values that can't be personal."""

    __tablename__ = "verdict"
    __table_args__ = (
        Index("ix_verdict_pull_id_judged_at", "pull_id", "judged_at"),
        Index("ix_verdict_judged_at", "judged_at"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    pull_id: int = Field(sa_type=BigId, foreign_key="pull.id")
    head_sha: str
    judged_at: datetime = Field(sa_type=Moment)
    conclusion: str
    codes: list[dict[str, Any]] = Field(sa_type=JSON)


class Executor(SQLModel, table=True):
    """A process that takes jobs, and when it last said that it lives."""

    id: str = Field(primary_key=True)
    beat_at: datetime = Field(sa_type=Moment)
