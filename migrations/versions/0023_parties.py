"""Add with which party an agreement was made: a column of new signatures, and rows for those whose own row does not say it."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment
from migrations.frozen_rows import freeze

revision = "0023"
down_revision = "0022"
kind = "expand"


def upgrade() -> None:
    """Add the column and the table. What was signed before stays as it is; `bot.records.party_derivation` finds its party.

    The release before goes on signing without a party: such rows are found in the same way.
    """
    op.add_column("signature", sa.Column("party", sa.String(), nullable=True))
    op.create_index(
        "ix_signature_without_party",
        "signature",
        ["id"],
        sqlite_where=sa.text("party IS NULL"),
        postgresql_where=sa.text("party IS NULL"),
    )
    op.create_index("ix_imported_signature_id", "imported", ["signature_id"])
    op.create_table(
        "agreement_party",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("signature_id", sa.String(), nullable=True),
        sa.Column("company_id", sa.String(), nullable=True),
        sa.Column("party", sa.String(), nullable=False),
        sa.Column("how", sa.String(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("by_account_id", BigId(), nullable=True),
        sa.CheckConstraint("(signature_id IS NULL) <> (company_id IS NULL)", name="agreement_party_of_one"),
        sa.CheckConstraint("how IN ('derived', 'administrator', 'recorded')", name="agreement_party_how_known"),
        sa.ForeignKeyConstraint(["signature_id"], ["signature.id"]),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    for column in ("signature_id", "company_id"):
        op.create_index(f"ix_agreement_party_{column}", "agreement_party", [column], unique=True)
    freeze("agreement_party", ("id",), ("signature_id",), ("company_id",))
