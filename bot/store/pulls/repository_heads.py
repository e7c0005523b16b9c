"""The heads of a repository's branches as its pushes told them: another head at GitHub shows a push that was lost."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final

from sqlmodel import JSON, Field, Session, SQLModel, col, select

from agreements.store.tables.columns import BigId, Moment
from bot.store.statements import Upsert, read, run


class RepositoryHeads(SQLModel, table=True):
    """The `heads` of one repository's branches, name → SHA; `compared_at`: a sweep compared them with GitHub's."""

    __tablename__ = "repository_heads"

    repository_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    compared_at: datetime | None = Field(default=None, sa_type=Moment)
    heads: dict[str, Any] = Field(sa_type=JSON)


_HEADS: Final = Upsert.replacing(RepositoryHeads, "repository_id", "heads")
_COMPARED: Final = Upsert.replacing(RepositoryHeads, "repository_id", "heads", "compared_at")


def find(session: Session, repository_id: int) -> RepositoryHeads:
    """The repository's heads; none yet of one that is not known. For reading only."""
    return read(session, RepositoryHeads, repository_id=repository_id) or RepositoryHeads(
        repository_id=repository_id, heads={}
    )


def compared_at(session: Session, repository_ids: Collection[int]) -> Mapping[int, datetime | None]:
    """The moment when the heads of each of these repositories were compared; of one that was not there is none."""
    wanted = col(RepositoryHeads.repository_id).in_(tuple(repository_ids))
    return dict(session.exec(select(RepositoryHeads.repository_id, RepositoryHeads.compared_at).where(wanted)).all())


def saw(session: Session, repository_id: int, branch: str, sha: str) -> None:
    """A push to the branch was taken up: this is its head now."""
    # Two at once may lose one of two heads: then a sweep has that push compared once more.
    heads = {**find(session, repository_id).heads, branch: sha}
    run(session, _HEADS, {"repository_id": repository_id, "heads": heads})


def compared(session: Session, repository_id: int, heads: Mapping[str, str], *, at: datetime) -> None:
    """The repository's protected branches were compared with these heads."""
    run(session, _COMPARED, {"repository_id": repository_id, "heads": dict(heads), "compared_at": at})
