"""Add company agreements that are sent to somebody without a GitHub account, and invitations of employees."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0021"
down_revision = "0020"
kind = "expand"


def upgrade() -> None:
    """Create the tables, in which nobody was asked yet."""
    _signatories()
    _employees()


def _signatories() -> None:
    op.create_table(
        "signatory_request",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("account_id", BigId(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("address_index", sa.LargeBinary(), nullable=False),
        sa.Column("made_at", Moment(), nullable=False),
        sa.Column("sent_at", Moment(), nullable=False),
        sa.Column("sent", sa.Integer(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.Column("codes", sa.Integer(), nullable=False),
        sa.Column("codes_since", Moment(), nullable=True),
        sa.Column("code_hash", sa.String(), nullable=True),
        sa.Column("code_expires_at", Moment(), nullable=True),
        sa.Column("code_tries", sa.Integer(), nullable=False),
        sa.Column("opened_at", Moment(), nullable=True),
        sa.Column("answered_at", Moment(), nullable=True),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("company_id", sa.String(), nullable=True),
        sa.CheckConstraint("outcome IN ('signed', 'declined', 'revoked')", name="signatory_request_outcome_known"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    for column in ("person_id", "account_id", "address_index", "expires_at"):
        op.create_index(f"ix_signatory_request_{column}", "signatory_request", [column])
    op.create_index("ix_signatory_request_token_hash", "signatory_request", ["token_hash"], unique=True)


def _employees() -> None:
    op.create_table(
        "employee_invitation",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("company_id", sa.String(), nullable=False),
        sa.Column("address", sa.LargeBinary(), nullable=False),
        sa.Column("address_index", sa.LargeBinary(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("invited_at", Moment(), nullable=False),
        sa.Column("invited_by", BigId(), nullable=False),
        sa.Column("reminders", sa.Integer(), nullable=False),
        sa.Column("reminded_at", Moment(), nullable=True),
        sa.Column("withdrawn_at", Moment(), nullable=True),
        sa.Column("enrolled_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("company_id", "address_index", name="employee_invitation_once"),
    )
    for column in ("company_id", "address_index", "invited_at"):
        op.create_index(f"ix_employee_invitation_{column}", "employee_invitation", [column])
