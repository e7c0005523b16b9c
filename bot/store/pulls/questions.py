"""Pull requests on which somebody asked why: the answer is for one head, the one that is judged next."""

from sqlmodel import Field, Session, SQLModel

from agreements.store.tables.columns import BigId
from bot.store.upserts import insert


class Question(SQLModel, table=True):
    """`waiting` until a review answers; `head_sha` is the head that was answered for last, "" before."""

    __tablename__ = "question"

    pull_id: int = Field(
        sa_type=BigId, primary_key=True, foreign_key="pull.id", sa_column_kwargs={"autoincrement": False}
    )
    waiting: bool
    head_sha: str


def ask(session: Session, pull_id: int) -> None:
    """Somebody wants to know why; once is as good as often."""
    statement = insert(session, Question).values(pull_id=pull_id, waiting=True, head_sha="")
    session.execute(statement.on_conflict_do_update(index_elements=["pull_id"], set_={"waiting": True}))


def answered(session: Session, pull_id: int, head_sha: str) -> bool:
    """True when the evidence is to be shown on that head; a question that waits is bound to it."""
    row = session.get(Question, pull_id, populate_existing=True)
    if row is None:
        return False
    if row.waiting:
        row.waiting, row.head_sha = False, head_sha
        session.add(row)
        session.flush()
    return row.head_sha == head_sha
