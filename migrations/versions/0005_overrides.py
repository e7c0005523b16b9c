"""Overrides by maintainers, which never change, and pull requests on which somebody asked why."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create both tables, and the triggers that keep overrides as they were written, but for the key that seals them."""
    op.create_table(
        "override",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("pull_id", BigId(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("account_id", BigId(), nullable=True),
        sa.Column("head_sha", sa.String(), nullable=False),
        sa.Column("by_account_id", BigId(), nullable=False),
        sa.Column("by_login", sa.String(), nullable=False),
        sa.Column("by_role", sa.String(), nullable=False),
        sa.Column("comment_id", BigId(), nullable=False),
        sa.Column("reason", sa.LargeBinary(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.CheckConstraint(
            "(kind = 'cla' AND account_id IS NOT NULL) OR (kind = 'dco' AND account_id IS NULL)",
            name="override_for_one_account_or_the_dco",
        ),
        sa.CheckConstraint("account_id <> by_account_id", name="override_never_for_oneself"),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_override_pull_id_head_sha", "override", ["pull_id", "head_sha"])
    op.create_index("ix_override_comment_id", "override", ["comment_id"], unique=True)
    op.create_table(
        "question",
        sa.Column("pull_id", BigId(), autoincrement=False, nullable=False),
        sa.Column("waiting", sa.Boolean(), nullable=False),
        sa.Column("head_sha", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"]),
        sa.PrimaryKeyConstraint("pull_id"),
    )
    for statement in ON_SQLITE if op.get_bind().dialect.name == "sqlite" else _ON_POSTGRESQL:
        op.execute(statement)


# All columns but `reason`, which is sealed anew when keys are rotated; its seal says which row it belongs to.
_FIXED = "id, pull_id, kind, account_id, head_sha, by_account_id, by_login, by_role, comment_id, at"
ON_SQLITE = (
    f"""CREATE TRIGGER override_no_update BEFORE UPDATE OF {_FIXED} ON override
    BEGIN SELECT RAISE(ABORT, 'override rows never change'); END""",
    """CREATE TRIGGER override_no_delete BEFORE DELETE ON override
    BEGIN SELECT RAISE(ABORT, 'override rows never change'); END""",
    # INSERT OR REPLACE would delete the row that is there without a word.
    """CREATE TRIGGER override_no_replace BEFORE INSERT ON override WHEN EXISTS
    (SELECT 1 FROM override WHERE rowid = NEW.rowid OR id = NEW.id OR comment_id = NEW.comment_id)
    BEGIN SELECT RAISE(ABORT, 'override rows never change'); END""",
)
_ON_POSTGRESQL = (
    """CREATE FUNCTION override_never_changes() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'override rows never change'; END $$""",
    f"""CREATE TRIGGER override_no_change BEFORE UPDATE OF {_FIXED} OR DELETE ON override
    FOR EACH ROW EXECUTE FUNCTION override_never_changes()""",
    """CREATE TRIGGER override_no_truncate BEFORE TRUNCATE ON override
    FOR EACH STATEMENT EXECUTE FUNCTION override_never_changes()""",
)
