"""Pull requests as people name them in an address; the row that is found, not the name, is used from then on."""

from sqlalchemy import ColumnElement, func
from sqlmodel import Session, col, select

from bot.store.records import Participant, PullRecord, VerdictRecord

FoundPull = PullRecord
Past = VerdictRecord
"""The rows of `history`, for modules that may not import the tables."""


def find(session: Session, owner: str, name: str, number: int) -> PullRecord | None:
    """The pull request of that name in any case; None for an unknown name."""
    query = select(PullRecord).where(*_named(owner, name), col(PullRecord.number) == number)
    # A repository that was deleted and made again, or renamed, leaves rows of one name: the newest has it now.
    return session.exec(query.order_by(col(PullRecord.id).desc()).limit(1)).first()


def open_owners(session: Session, owner: str, name: str, *, number: int | None = None) -> dict[int, int]:
    """The open pull requests of a repository under its last seen name (any case), or just that number: row id → owner's id."""
    wanted = [*_named(owner, name), col(PullRecord.open)]
    if number is not None:
        wanted.append(col(PullRecord.number) == number)
    query = select(PullRecord.id, PullRecord.owner_id).where(*wanted).order_by(col(PullRecord.id))
    return {pull_id: account_id for pull_id, account_id in session.exec(query) if pull_id is not None}


def owner_id(session: Session, owner: str, name: str) -> int | None:
    """The account that owns the repository of that name (any case), by its newest pull request; None if unknown."""
    query = select(PullRecord.owner_id).where(*_named(owner, name))
    return session.exec(query.order_by(col(PullRecord.id).desc()).limit(1)).first()


def takes_part(session: Session, pull: PullRecord, account_id: int) -> bool:
    """True when that account's agreement matters for the pull request, as last judged."""
    return session.get(Participant, (pull.id, account_id)) is not None


def is_settled(session: Session, pull_id: int) -> bool:
    """Whether the newest that is known of it has been judged and shown."""
    pull = session.get(PullRecord, pull_id)
    return pull is not None and pull.evaluated == pull.latest


def history(session: Session, pull_id: int, *, most: int = 20) -> list[VerdictRecord]:
    """The verdicts on that pull request, the newest first, at most `most`."""
    query = select(VerdictRecord).where(col(VerdictRecord.pull_id) == pull_id)
    # The id decides between verdicts of one moment.
    newest = query.order_by(col(VerdictRecord.judged_at).desc(), col(VerdictRecord.id).desc())
    return list(session.exec(newest.limit(most)))


def _named(owner: str, name: str) -> tuple[ColumnElement[bool], ...]:
    # GitHub takes both in any case; the row has them as GitHub last wrote them.
    return func.lower(col(PullRecord.owner)) == owner.lower(), func.lower(col(PullRecord.name)) == name.lower()
