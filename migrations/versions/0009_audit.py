"""Add what the nightly licence audit remembers: accounts, repositories, sealed facts and files, nights, what it wrote."""

import sqlalchemy as sa
from alembic import op

from audit.store.columns import GitHubId, Instant

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Create the tables; the first night fills them."""
    _accounts()
    _repositories()
    _table(
        "audit_sealed", _text("id"), _bytes("sealed"), _bytes("wrapped_key"), _text("ring_key_id"), index="ring_key_id"
    )
    _table("audit_blob", _number("repository_id"), _text("sha"), keys=("repository_id", "sha"), index="sha")
    _table(
        "audit_page",
        _number("owner_id"), _text("name"), _number("repository_id", nullable=True), _text("digest"), _moment("made_at"),
        keys=("owner_id", "name"),
    )  # fmt: skip
    _table(
        "audit_night",
        _text("id"), _number("owner_id"), _moment("at"), _count("changes"), _count("violations"), _count("mended"),
        index="owner_id",
    )  # fmt: skip
    _table(
        "audit_post",
        _number("repository_id"), _text("kind"), _count("number", nullable=True), _text("digest"), _moment("intended_at"),
        keys=("repository_id", "kind"),
    )  # fmt: skip


def _accounts() -> None:
    _table(
        "audit_account",
        _number("owner_id"), _text("login"), _moment("began_at"), _text("job_id"), _moment("judged_at", nullable=True),
        _count("repositories"), _count("violations"), _text("why"),
        keys=("owner_id",),
    )  # fmt: skip


def _repositories() -> None:
    _table(
        "audit_repository",
        _number("repository_id"), _number("owner_id"), _number("installation_id"),
        _text("owner"), _text("name"), _text("node"), _text("branch"), _flag("private"), _flag("archived"), _flag("fork"),
        _moment("pushed_at", nullable=True), _moment("looked_at"),
        _text("wanted_sha", nullable=True), _moment("wanted_at", nullable=True),
        _text("head_sha", nullable=True), _text("fingerprint"), _moment("read_at", nullable=True),
        _text("report"), _text("why"),
        keys=("repository_id",), index="owner_id",
    )  # fmt: skip


def _table(name: str, *columns: "sa.schema.SchemaItem", keys: tuple[str, ...] = ("id",), index: str = "") -> None:
    op.create_table(name, *columns, sa.PrimaryKeyConstraint(*keys))
    if index:
        op.create_index(f"ix_{name}_{index}", name, [index])


def _text(name: str, *, nullable: bool = False) -> "sa.Column[str]":
    return sa.Column(name, sa.String(), nullable=nullable)


def _bytes(name: str) -> "sa.Column[bytes]":
    return sa.Column(name, sa.LargeBinary(), nullable=False)


def _moment(name: str, *, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column(name, Instant(), nullable=nullable)


def _number(name: str, *, nullable: bool = False) -> "sa.Column[int]":
    return sa.Column(name, GitHubId, autoincrement=False, nullable=nullable)


def _count(name: str, *, nullable: bool = False) -> "sa.Column[int]":
    return sa.Column(name, sa.Integer(), nullable=nullable)


def _flag(name: str) -> "sa.Column[bool]":
    return sa.Column(name, sa.Boolean(), nullable=False)
