"""The teams that configured names, `organisation/team`, meant when first resolved: their ids, kept across restarts."""

from typing import Final

from sqlalchemy import delete
from sqlmodel import Field, Session, SQLModel, col, select

from agreements.store.tables.columns import BigId
from bot.github.ports import Team
from bot.store.statements import Upsert, run


class TeamRow(SQLModel, table=True):  # By ids: a team that takes another's name later gets none of its rights.
    """One name in lower case, and what it means."""

    __tablename__ = "team"

    name: str = Field(primary_key=True)
    organization_id: int = Field(sa_type=BigId)
    team_id: int = Field(sa_type=BigId)


_KEEP: Final = Upsert.unless_there(TeamRow)


def find(session: Session, name: str) -> Team | None:
    """The team of that name, in any case; None when it was not resolved yet."""
    row = session.get(TeamRow, name.lower())
    return None if row is None else Team(row.organization_id, row.team_id)


def keep(session: Session, name: str, team: Team) -> Team:
    """Store the team of that name, unless another process just did; gives the stored team."""
    values = {"name": name.lower(), "organization_id": team.organization_id, "team_id": team.id}
    run(session, _KEEP, values)  # The first process wins: all go by one team.
    return find(session, name) or team


def all_known(session: Session) -> dict[str, Team]:
    """Every name that was resolved, sorted."""
    rows = session.exec(select(TeamRow).order_by(col(TeamRow.name))).all()
    return {row.name: Team(row.organization_id, row.team_id) for row in rows}


def forget(session: Session, name: str) -> bool:
    """Let that name be resolved anew; False when it was not known."""
    return bool(session.exec(delete(TeamRow).where(col(TeamRow.name) == name.lower())).rowcount)
