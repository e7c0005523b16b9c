"""Add the tables of the records: people, signatures, withdrawals, companies, proven addresses."""

import sqlalchemy as sa
from alembic import op

from migrations.frozen_rows import freeze

revision = "0001"
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables, and the triggers that keep signatures and withdrawals as they were written."""
    _people()
    _signatures()
    _companies()
    _proofs()
    freeze("signature", ("id",), ("receipt",))
    freeze("withdrawal", ("signature_id",))


def _people() -> None:
    op.create_table(
        "person",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", _ID, nullable=False),
        sa.Column("login", sa.String(), nullable=False),
        sa.Column("login_since", _MOMENT, nullable=False),
        sa.Column("wrapped_key", sa.LargeBinary(), nullable=False),
        sa.Column("ring_key_id", sa.String(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="person_pkey"),
    )
    op.create_index("ix_person_account_id", "person", ["account_id"], unique=True)
    op.create_index("ix_person_ring_key_id", "person", ["ring_key_id"])


def _signatures() -> None:
    words = ("agreement", "version", "language", "source_sha256", "shown_sha256")
    proofs = ("statement_id", "statement_sha256", "identity_proof")
    op.create_table(
        "signature",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("account_id", _ID, nullable=False),
        sa.Column("login", sa.String(), nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in words + proofs),
        sa.Column("signed_at", _MOMENT, nullable=False),
        sa.Column("receipt", sa.String(), nullable=False),
        sa.Column("evidence", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="signature_pkey"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="signature_person_id_fkey"),
    )
    op.create_index("ix_signature_account_id_agreement", "signature", ["account_id", "agreement"])
    op.create_index("ix_signature_person_id", "signature", ["person_id"])
    op.create_index("ix_signature_receipt", "signature", ["receipt"], unique=True)
    op.create_table(
        "withdrawal",
        sa.Column("signature_id", sa.String(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("by_account_id", _ID, nullable=False),
        sa.PrimaryKeyConstraint("signature_id", name="withdrawal_pkey"),
        sa.ForeignKeyConstraint(["signature_id"], ["signature.id"], name="withdrawal_signature_id_fkey"),
    )


def _companies() -> None:
    op.create_table(
        "company",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("agreement", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("signed_at", _MOMENT, nullable=False),
        sa.Column("countersigned_at", _MOMENT, nullable=True),
        sa.Column("ended_at", _MOMENT, nullable=True),
        sa.Column("domains", sa.String(), nullable=True),
        sa.Column("wrapped_key", sa.LargeBinary(), nullable=False),
        sa.Column("ring_key_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="company_pkey"),
        sa.CheckConstraint("domains IN ('linked', 'enrolled')", name="company_domains_known"),
    )
    op.create_index("ix_company_ring_key_id", "company", ["ring_key_id"])
    op.create_table(
        "company_entry",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("company_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("excluded", sa.Boolean(), nullable=False),
        sa.Column("domain", sa.String(), nullable=True),
        sa.Column("subdomains", sa.Boolean(), nullable=False),
        sa.Column("email", sa.LargeBinary(), nullable=True),
        sa.Column("email_index", sa.LargeBinary(), nullable=True),
        sa.Column("account_id", _ID, nullable=True),
        sa.Column("since", _MOMENT, nullable=True),
        sa.Column("until", _MOMENT, nullable=True),
        sa.Column("added_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="company_entry_pkey"),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"], name="company_entry_company_id_fkey"),
        sa.CheckConstraint(_ONE_KEY, name="company_entry_has_one_key"),
    )
    for column in ("company_id", "domain", "email_index", "account_id"):
        op.create_index(f"ix_company_entry_{column}", "company_entry", [column])


_ONE_KEY = (
    "(kind = 'domain' AND domain IS NOT NULL AND email IS NULL AND email_index IS NULL AND account_id IS NULL)"
    " OR (kind = 'email' AND domain IS NULL AND email IS NOT NULL AND email_index IS NOT NULL AND account_id IS NULL)"
    " OR (kind = 'account' AND domain IS NULL AND email IS NULL AND email_index IS NULL AND account_id IS NOT NULL)"
)


def _proofs() -> None:
    op.create_table(
        "proof",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("account_id", _ID, nullable=False),
        sa.Column("address", sa.LargeBinary(), nullable=False),
        sa.Column("address_index", sa.LargeBinary(), nullable=False),
        sa.Column("how", sa.String(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("until", _MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name="proof_pkey"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="proof_person_id_fkey"),
    )
    for column in ("person_id", "account_id", "address_index"):
        op.create_index(f"ix_proof_{column}", "proof", [column])
