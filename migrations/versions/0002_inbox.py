"""Add the inbox: deliveries, the mailboxes of pull requests, who takes part, what was published and judged."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables."""
    _deliveries()
    _pulls()
    _pushes()
    _published()
    _judged()


def _deliveries() -> None:
    op.create_table(
        "delivery",
        sa.Column("guid", sa.String(), nullable=False),
        sa.Column("event", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("received_at", _MOMENT, nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("ids", sa.JSON(), nullable=False),
        sa.Column("pull_id", _ID, nullable=True),
        sa.Column("sequence", sa.Integer(), nullable=True),
        sa.CheckConstraint("state IN ('received', 'done', 'failed')", name="delivery_state_known"),
        sa.PrimaryKeyConstraint("guid"),
    )
    op.create_index("ix_delivery_state_received_at", "delivery", ["state", "received_at"])
    op.create_index("ix_delivery_pull_id_sequence", "delivery", ["pull_id", "sequence"])


def _pulls() -> None:
    op.create_table(
        "pull",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("repository_id", _ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("installation_id", _ID, nullable=False),
        sa.Column("owner_id", _ID, nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("open", sa.Boolean(), nullable=False),
        sa.Column("head_sha", sa.String(), nullable=False),
        sa.Column("updated_at", _MOMENT, nullable=True),
        sa.Column("latest", sa.Integer(), nullable=False),
        sa.Column("evaluated", sa.Integer(), nullable=False),
        sa.Column("attributed", sa.Integer(), nullable=False),
        sa.Column("queued", sa.Integer(), nullable=False),
        sa.Column("urgent", sa.Boolean(), nullable=False),
        sa.Column("lease_by", sa.String(), nullable=True),
        sa.Column("lease_until", _MOMENT, nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", _MOMENT, nullable=True),
        sa.Column("evaluated_at", _MOMENT, nullable=True),
        sa.CheckConstraint("queued IN (0, 1, 2)", name="pull_queued_known"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("repository_id", "number", name="pull_repository_id_number"),
    )
    op.create_index("ix_pull_owner_id", "pull", ["owner_id"])
    op.create_index("ix_pull_head_sha", "pull", ["head_sha"])


def _pushes() -> None:
    op.create_table(
        "push",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("pull_id", _ID, nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("sender_id", _ID, nullable=False),
        sa.Column("sender_type", sa.String(), nullable=False),
        sa.Column("sender_login", sa.String(), nullable=False),
        sa.Column("after", sa.String(), nullable=False),
        sa.Column("batches", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("pull_id", "sequence", name="push_pull_id_sequence"),
    )
    op.create_table(
        "first_seen",
        sa.Column("pull_id", _ID, nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("shas", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"]),
        sa.PrimaryKeyConstraint("pull_id", "sequence"),
    )


def _published() -> None:
    op.create_table(
        "participant",
        sa.Column("pull_id", _ID, nullable=False),
        sa.Column("account_id", _ID, nullable=False),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"]),
        sa.PrimaryKeyConstraint("pull_id", "account_id"),
    )
    op.create_index("ix_participant_account_id", "participant", ["account_id"])
    op.create_table(
        "publication",
        sa.Column("pull_id", _ID, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("head_sha", sa.String(), nullable=False),
        sa.Column("remote_id", _ID, nullable=True),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("intended_at", _MOMENT, nullable=False),
        sa.CheckConstraint("kind IN ('check', 'comment')", name="publication_kind_known"),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"]),
        sa.PrimaryKeyConstraint("pull_id", "kind", "head_sha"),
    )


def _judged() -> None:
    op.create_table(
        "verdict",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("pull_id", _ID, nullable=False),
        sa.Column("head_sha", sa.String(), nullable=False),
        sa.Column("judged_at", _MOMENT, nullable=False),
        sa.Column("conclusion", sa.String(), nullable=False),
        sa.Column("codes", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_verdict_pull_id_judged_at", "verdict", ["pull_id", "judged_at"])
    op.create_table(
        "executor",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("beat_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
