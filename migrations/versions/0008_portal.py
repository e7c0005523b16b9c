"""Add the ledger, mail, codes, companies' requests and managers, papers, released texts, campaigns, erasure, imports."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment
from migrations.frozen_rows import freeze

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the tables and lengthen those that are there; what was recorded before stays as it is."""
    _longer()
    _companies()
    _people()
    _texts()
    _ledger()
    _portal()
    freeze("ledger_entry", ("number",), ("id",))
    freeze("ledger_checkpoint", ("size",))
    freeze("released_text", ("name", "version", "language"))


def _text(name: str, *, nullable: bool = False) -> "sa.Column[str]":
    return sa.Column(name, sa.String(), nullable=nullable)


def _bytes(name: str, *, nullable: bool = False) -> "sa.Column[bytes]":
    return sa.Column(name, sa.LargeBinary(), nullable=nullable)


def _moment(name: str, *, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column(name, Moment(), nullable=nullable)


def _number(name: str, *, nullable: bool = False) -> "sa.Column[int]":
    return sa.Column(name, BigId(), nullable=nullable)


def _table(
    name: str, *columns: "sa.schema.SchemaItem", indexes: tuple[str, ...] = (), unique: tuple[str, ...] = ()
) -> None:
    op.create_table(name, *columns)
    for column in (*indexes, *unique):
        op.create_index(f"ix_{name}_{column}", name, [column], unique=column in unique)


def _to(table: str, column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{table}.id"])


def _longer() -> None:
    """New columns of tables that are there. Each is added alone, so that no trigger of theirs is lost."""
    op.add_column("withdrawal", sa.Column("kind", sa.String(), nullable=False, server_default="withdrawal"))
    op.add_column("withdrawal", _bytes("reason", nullable=True))
    for column in ("restricted_at", "erased_at"):
        op.add_column("person", _moment(column, nullable=True))
    op.add_column("company_entry", _number("added_by", nullable=True))
    op.add_column("company_entry", sa.Column("login", sa.String(), nullable=False, server_default=""))
    for column in ("requested_by", "decided_by"):
        op.add_column("company", _number(column, nullable=True))
    for column in ("refused_at", "renew_by", "reminded_at"):
        op.add_column("company", _moment(column, nullable=True))
    op.add_column("company", _bytes("details", nullable=True))
    _signed_for()


def _signed_for() -> None:
    """The evidence of who signed for a company. SQLite knows a foreign key only within the column's own words."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("ALTER TABLE company ADD COLUMN signature_id VARCHAR REFERENCES signature (id)")
    else:
        op.add_column("company", _text("signature_id", nullable=True))
        op.create_foreign_key(None, "company", "signature", ["signature_id"], ["id"])
    op.create_index("ix_company_signature_id", "company", ["signature_id"])


def _companies() -> None:
    _table(
        "company_manager",
        _text("id"), _text("company_id"), _number("account_id"), _text("login"),
        _moment("since"), _moment("until", nullable=True), _number("added_by"),
        sa.PrimaryKeyConstraint("id"), _to("company", "company_id"),
        indexes=("company_id", "account_id"),
    )  # fmt: skip
    _table(
        "domain_claim",
        _text("id"), _text("company_id"), _text("domain"), sa.Column("subdomains", sa.Boolean(), nullable=False),
        _text("token"), _moment("claimed_at"), _number("claimed_by"), _moment("expires_at"),
        _moment("proven_at", nullable=True), _text("how", nullable=True), _number("decided_by", nullable=True),
        _bytes("reason", nullable=True), _moment("refused_at", nullable=True), _text("entry_id", nullable=True),
        _moment("checked_at", nullable=True), _moment("missing_since", nullable=True),
        sa.PrimaryKeyConstraint("id"), _to("company", "company_id"), _to("company_entry", "entry_id"),
        sa.CheckConstraint("how IN ('dns', 'administrator')", name="domain_claim_how_known"),
        indexes=("company_id", "domain"),
    )  # fmt: skip
    _table(
        "enrolment",
        _text("id"), _text("company_id"), _text("person_id"), _number("account_id"), _text("proof_id"), _text("domain"),
        _moment("since"), _moment("until"), _moment("ended_at", nullable=True), _moment("reminded_at", nullable=True),
        sa.PrimaryKeyConstraint("id"), _to("company", "company_id"), _to("person", "person_id"),
        indexes=("company_id", "person_id", "account_id", "proof_id"),
    )  # fmt: skip


def _people() -> None:
    _table(
        "one_time_code",
        _text("id"), _text("person_id"), _number("account_id"), _text("company_id", nullable=True), _bytes("address"),
        _bytes("address_index"), _text("code_hash"), _moment("made_at"), _moment("expires_at"),
        sa.Column("tries_left", sa.Integer(), nullable=False), _moment("used_at", nullable=True),
        sa.PrimaryKeyConstraint("id"), _to("person", "person_id"), _to("company", "company_id"),
        indexes=("person_id", "account_id", "address_index", "expires_at"),
    )  # fmt: skip
    _table(
        "document",
        _text("id"), *(_text(f"{owner}_id", nullable=True) for owner in ("person", "company", "signature")), _text("service"),
        _bytes("name"), _text("media_type"), sa.Column("size", sa.Integer(), nullable=False), _text("sha256"),
        _bytes("content"), _moment("recorded_at"), _number("recorded_by"),
        sa.PrimaryKeyConstraint("id"), *(_to(owner, f"{owner}_id") for owner in ("person", "company", "signature")),
        indexes=("person_id", "company_id", "signature_id"),
    )  # fmt: skip
    _table(
        "erasure",
        _text("id"), _number("account_id"), _text("person_id", nullable=True), _moment("asked_at"), _text("state"),
        _bytes("reason", nullable=True), _moment("decided_at", nullable=True), _number("decided_by", nullable=True),
        _moment("due_at", nullable=True), _moment("done_at", nullable=True),
        sa.PrimaryKeyConstraint("id"),
        indexes=("account_id", "person_id"),
    )  # fmt: skip
    _table(
        "imported",
        _text("id"), _text("key"), _text("format"), _text("login"), _number("account_id", nullable=True),
        _text("agreement"), _text("version"), _moment("signed_at"), _bytes("sealed"), _text("state"), _text("reason"),
        _moment("imported_at"), _text("signature_id", nullable=True),
        sa.PrimaryKeyConstraint("id"),
        indexes=("account_id", "state"), unique=("key",),
    )  # fmt: skip


def _texts() -> None:
    _table(
        "released_text",
        _text("name"), _text("version"), _text("language"), _text("source"), _text("sha256"), _moment("released_at"),
        _number("released_by"),
        sa.PrimaryKeyConstraint("name", "version", "language"),
    )  # fmt: skip
    _table(
        "campaign",
        _text("id"), _text("agreement"), _text("version"), _moment("until"), _moment("started_at"), _number("started_by"),
        _moment("reminded_at", nullable=True), _moment("ended_at", nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )  # fmt: skip


def _ledger() -> None:
    _table(
        "ledger_entry",
        sa.Column("number", BigId(), autoincrement=False, nullable=False), _text("id"), _moment("at"), _text("kind"),
        _number("actor_id", nullable=True), _text("subject_kind"), _text("subject_id"), _text("rows"), _text("commitment"),
        _bytes("detail"),
        sa.PrimaryKeyConstraint("number"),
        indexes=("kind", "subject_id"), unique=("id",),
    )  # fmt: skip
    _table(
        "ledger_checkpoint",
        sa.Column("size", BigId(), autoincrement=False, nullable=False), _text("root"), _text("frontier"), _bytes("signature"),
        sa.PrimaryKeyConstraint("size"),
    )  # fmt: skip
    _table(
        "ledger_key",
        _text("id"), _bytes("public_key"), _bytes("sealed"),
        sa.PrimaryKeyConstraint("id"),
    )  # fmt: skip


def _portal() -> None:
    _table(
        "mail",
        _text("id"), _text("kind"), _number("account_id", nullable=True), _text("once", nullable=True),
        _bytes("sealed", nullable=True), _text("state"), sa.Column("attempts", sa.Integer(), nullable=False),
        _moment("not_before"), _moment("made_at"), _moment("sent_at", nullable=True), _text("error", nullable=True),
        sa.PrimaryKeyConstraint("id"),
        indexes=("account_id", "state"), unique=("once",),
    )  # fmt: skip
    _table(
        "api_token",
        _text("id"), _text("name"), _text("token_hash"), _text("scopes"), _moment("made_at"), _number("made_by"),
        _moment("expires_at", nullable=True), _moment("revoked_at", nullable=True), _moment("used_at", nullable=True),
        sa.PrimaryKeyConstraint("id"),
        unique=("token_hash",),
    )  # fmt: skip
    _table(
        "key_holder",
        _text("id"), _text("key_ids"), _moment("seen_at"),
        sa.PrimaryKeyConstraint("id"),
    )  # fmt: skip
