"""Pull requests on which somebody asked why: the answer is for one head, the one that is judged next."""

from typing import Final

from sqlmodel import Field, Session, SQLModel

from agreements.store.tables.columns import BigId
from bot.store.statements import Upsert, change, read, run


class QuestionRecord(SQLModel, table=True):
    """`waiting` until a review answers; `head_sha` is the head that was answered for last, "" before."""

    __tablename__ = "question"

    pull_id: int = Field(
        sa_type=BigId, primary_key=True, foreign_key="pull.id", sa_column_kwargs={"autoincrement": False}
    )
    waiting: bool
    head_sha: str


_ASK: Final = Upsert.replacing(QuestionRecord, "pull_id", "waiting")


def ask(session: Session, pull_id: int) -> None:
    """Somebody wants to know why; once is as good as often."""
    run(session, _ASK, {"pull_id": pull_id, "waiting": True, "head_sha": ""})


def answered(session: Session, pull_id: int, head_sha: str) -> bool:
    """True when the evidence is to be shown on that head; a question that waits is bound to it."""
    row = read(session, QuestionRecord, pull_id=pull_id)
    if row is None:
        return False
    if row.waiting:
        change(session, QuestionRecord, {"pull_id": pull_id}, waiting=False, head_sha=head_sha)
    return row.waiting or row.head_sha == head_sha
