"""Joins Alembic to our tables: it runs on the connection that `migrations.upgrade` hands over."""

from collections.abc import Collection, Mapping
from typing import Any

from alembic import context
from alembic.runtime.migration import MigrationContext, MigrationInfo
from sqlmodel import SQLModel

import agreements.store  # noqa: F401 - importing registers its tables
import audit.store.answer_rows
import audit.store.records  # noqa: F401 - importing registers its tables
import bot.store.keyring_holders
import bot.store.license_checks
import bot.store.merge_groups
import bot.store.notifications
import bot.store.outbox
import bot.store.outgoing_webhooks
import bot.store.owners
import bot.store.portal_sessions
import bot.store.pulls.heads
import bot.store.pulls.overrides
import bot.store.pulls.paused_items
import bot.store.pulls.stored_facts
import bot.store.pulls.why_questions
import bot.store.records
import bot.store.sweeps
import bot.store.team_records
import bot.store.tokens  # noqa: F401 - importing a records module registers its tables

# DBOS keeps its own tables in the same database and looks after them itself: only our tables are compared.
OURS = set(SQLModel.metadata.tables)


def ours(_thing: object, name: str | None, kind: str, _reflected: bool, _other: object) -> bool:  # noqa: FBT001 - Alembic's signature
    """True for our own tables and what belongs to them."""
    return kind != "table" or name in OURS


def note(ctx: MigrationContext, step: MigrationInfo, heads: Collection[Any], run_args: Mapping[str, Any]) -> None:  # noqa: ARG001 - Alembic's names
    """Tell `migrations.upgrade` which step was applied."""
    context.config.attributes["applied"].append(step.up_revision_id)


def run() -> None:
    """Run the steps inside the caller's transaction."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=SQLModel.metadata,
        include_object=ours,
        render_as_batch=True,
        on_version_apply=note,
    )
    with context.begin_transaction():
        context.run_migrations()


run()
