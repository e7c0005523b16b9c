"""Overrides of addresses without an account, and people who vouch for the work of AI agents."""

from importlib import import_module

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
kind = "expand"
widened = "override"

_OLD = "override_for_one_account_or_the_dco"
_NEW = "override_of_one_kind"
_KINDS = "(kind = 'cla' AND account_id IS NOT NULL) OR (kind IN ('dco', 'address', 'vouch') AND account_id IS NULL)"


def upgrade() -> None:
    """Let the table hold the new kinds; what it holds stays as it is, and so does what keeps its rows from changes."""
    if op.get_bind().dialect.name != "sqlite":
        op.drop_constraint(_OLD, "override", type_="check")
        op.create_check_constraint(_NEW, "override", _KINDS)
        return
    # SQLite changes no constraint of a table that is there: it is made anew, and with it the triggers that it loses.
    with op.batch_alter_table("override", recreate="always") as table:
        table.drop_constraint(_OLD, type_="check")
        table.create_check_constraint(_NEW, sa.text(_KINDS))
    for statement in import_module("migrations.versions.0005_overrides").ON_SQLITE:
        op.execute(statement)
