"""${message}."""

import sqlalchemy as sa
from alembic import op
${imports if imports else ""}

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
kind = "expand"


def upgrade() -> None:
    """${message}."""
    ${upgrades if upgrades else "pass"}
