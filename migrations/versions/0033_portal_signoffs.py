"""Sign-offs that people give in the portal; of a row only its end is ever written later."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0033"
down_revision = "0032"
kind = "expand"

_TEXTS = ("shas", "text_sha256", "statement_id", "statement_sha256", "language", "identity_proof")


def upgrade() -> None:
    """Create the empty table, and the triggers that keep what was signed as it was written."""
    op.create_table(
        "portal_signoff",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("account_id", BigId(), nullable=False),
        sa.Column("repository_id", BigId(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in _TEXTS),
        sa.Column("signed_at", Moment(), nullable=False),
        sa.Column("evidence", sa.LargeBinary(), nullable=False),
        sa.Column("revoked_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_portal_signoff_account_id", "portal_signoff", ["account_id"])
    op.create_index("ix_portal_signoff_person_id", "portal_signoff", ["person_id"])
    op.create_index("ix_portal_signoff_repository_id_number", "portal_signoff", ["repository_id", "number"])
    for statement in _ON_SQLITE if op.get_bind().dialect.name == "sqlite" else _ON_POSTGRESQL:
        op.execute(statement)


_FIXED = f"id, person_id, account_id, repository_id, number, {', '.join(_TEXTS)}, signed_at, evidence"
_ON_SQLITE = (
    f"""CREATE TRIGGER portal_signoff_no_update BEFORE UPDATE OF {_FIXED} ON portal_signoff
    BEGIN SELECT RAISE(ABORT, 'portal_signoff rows never change'); END""",
    # A sign-off ends once.
    """CREATE TRIGGER portal_signoff_one_end BEFORE UPDATE OF revoked_at ON portal_signoff WHEN OLD.revoked_at IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'portal_signoff rows never change'); END""",
    """CREATE TRIGGER portal_signoff_no_delete BEFORE DELETE ON portal_signoff
    BEGIN SELECT RAISE(ABORT, 'portal_signoff rows never change'); END""",
    # INSERT OR REPLACE would delete the row that is there without a word.
    """CREATE TRIGGER portal_signoff_no_replace BEFORE INSERT ON portal_signoff WHEN EXISTS
    (SELECT 1 FROM portal_signoff WHERE rowid = NEW.rowid OR id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'portal_signoff rows never change'); END""",
)
_ON_POSTGRESQL = (
    """CREATE FUNCTION portal_signoff_never_changes() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'portal_signoff rows never change'; END $$""",
    f"""CREATE TRIGGER portal_signoff_no_change BEFORE UPDATE OF {_FIXED} OR DELETE ON portal_signoff
    FOR EACH ROW EXECUTE FUNCTION portal_signoff_never_changes()""",
    """CREATE TRIGGER portal_signoff_one_end BEFORE UPDATE OF revoked_at ON portal_signoff
    FOR EACH ROW WHEN (OLD.revoked_at IS NOT NULL) EXECUTE FUNCTION portal_signoff_never_changes()""",
    """CREATE TRIGGER portal_signoff_no_truncate BEFORE TRUNCATE ON portal_signoff
    FOR EACH STATEMENT EXECUTE FUNCTION portal_signoff_never_changes()""",
)
