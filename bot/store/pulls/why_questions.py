"""Pull requests on which a person asked why: the answer is for one head, the one that is judged next."""

from typing import Final

from sqlmodel import Field, Session, SQLModel

from agreements.store.tables.columns import BigId
from bot.store.statements import Upsert, change, run


class QuestionRecord(SQLModel, table=True):
    """`waiting` until a review answers; `head_sha` is the head that was answered for last, "" before."""

    __tablename__ = "question"

    pull_id: int = Field(
        sa_type=BigId, primary_key=True, foreign_key="pull.id", sa_column_kwargs={"autoincrement": False}
    )
    waiting: bool
    head_sha: str


# An existing row keeps its `head_sha`: the evidence stays shown there until the answer on a newer head.
_ASK: Final = Upsert.replacing(QuestionRecord, "pull_id", "waiting")


def ask(session: Session, pull_id: int) -> None:
    """Note that a person asked why; asking again changes nothing."""
    run(session, _ASK, {"pull_id": pull_id, "waiting": True, "head_sha": ""})


def is_asked(question: QuestionRecord | None, head_sha: str) -> bool:
    """True if the evidence is to be shown on that head."""
    return question is not None and (question.waiting or question.head_sha == head_sha)


def answer(session: Session, pull_id: int, head_sha: str) -> None:
    """A question that waits is answered on that head from now on."""
    # Only a question that waits moves on: else each review would carry it to its own head.
    change(session, QuestionRecord, {"pull_id": pull_id, "waiting": True}, waiting=False, head_sha=head_sha)
