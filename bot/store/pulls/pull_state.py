"""The state of a pull request and who takes part; those that shared a head that it left are judged again."""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import bindparam, delete, func
from sqlalchemy import select as select_rows
from sqlmodel import Session, col, select

from agreements.store.lookup import account_key
from bot.github.ports import PullRequestSnapshot
from bot.job_queue import Engine
from bot.store.pulls import review_mailbox
from bot.store.records import Participant, PullRecord
from bot.store.retry_policy import MAX_CLOCK_SKEW
from bot.store.statements import Upsert, change, read, run, table

_participant = table(Participant).c
_ALL: Final = select_rows(_participant.account_id).where(_participant.pull_id == bindparam("of"))
_LEFT: Final = delete(table(Participant)).where(
    _participant.pull_id == bindparam("of"), _participant.account_id.in_(bindparam("gone", expanding=True))
)
_CAME: Final = Upsert.unless_there(Participant)


@dataclass(frozen=True, slots=True)
class LeftLabel:
    """The label of ours that is there, by `name`, "" for none; `at` is GitHub's last change before we put it there."""

    name: str  # Stored, as the rules may name another label tomorrow.
    at: datetime | None = None  # None: it may not be there.


@dataclass(frozen=True, slots=True)
class RuleEffects:
    """The effects of the rules on a pull request: `quiet`, nothing is shown; `by_labels`, labels decide something."""

    quiet: bool
    by_labels: bool


def seen(
    session: Session,
    engine: Engine,
    pull: PullRecord,
    snapshot: PullRequestSnapshot,
    effects: RuleEffects | None = None,
) -> None:
    """Store the pull request as GitHub has it now; `pull` is its row. With `effects` those are stored, too."""
    assert pull.id is not None
    # Before the row changes: the others are found by the head that it still has.
    _leave(session, engine, pull, head_sha=snapshot.head_sha, stays=snapshot.state == "open")
    _set(
        session,
        pull.id,
        installation_id=snapshot.place.installation,
        owner_id=snapshot.owner_id,
        owner=snapshot.place.owner,
        name=snapshot.place.name,
        private=snapshot.private,  # GitHub's own answer: an event never makes a repository public, see `moved`.
        open=snapshot.state == "open",
        head_sha=snapshot.head_sha,
        updated_at=last_change(pull, snapshot.updated_at) if snapshot.state == "open" else snapshot.updated_at,
        **({} if effects is None else asdict(effects)),
    )


def last_change(pull: PullRecord, changed_at: datetime) -> datetime:
    """The moment of the last change of that pull request that was not our label; GitHub, which says `changed_at`, counts it, too."""
    left_at, seen_at, judged_at = pull.labelled_at, pull.updated_at, pull.evaluated_at
    if left_at is None or seen_at is None or seen_at > left_at:  # It changed since the label was put there.
        return changed_at
    # A change after the review that put the label there is not the label.
    return changed_at if judged_at is not None and changed_at > judged_at + MAX_CLOCK_SKEW else seen_at


def mark_missing(session: Session, engine: Engine, pull_id: int) -> None:
    """Mark a pull request that GitHub does not know any more as closed, until an event or a look finds it again.

    It is hidden: its repository may be private by now, or gone.
    """
    if (pull := read(session, PullRecord, id=pull_id)) is not None:
        _leave(session, engine, pull, head_sha="", stays=False)
    _set(session, pull_id, open=False, private=True)


def moved(session: Session, repository_id: int, *, owner_id: int, owner: str, name: str, private: bool) -> None:
    """The repository has another name, owner or visibility: the labels follow, the id stays."""
    now: dict[str, object] = {"owner_id": owner_id, "owner": owner, "name": name}
    # An event is believed only when it makes a repository private: an old one that came late would show a private
    # one. Whether it is public, GitHub itself is asked.
    if private:
        now["private"] = True
    change(session, PullRecord, {"repository_id": repository_id}, **now)


def labelled(session: Session, pull_id: int, label: str, *, at: datetime | None = None) -> None:
    """Store which label of ours is on the pull request, see `LeftLabel`."""
    _set(session, pull_id, label=label, labelled_at=at)


def judged(session: Session, pull: PullRecord, *, attributed: int, label: LeftLabel | None) -> None:
    """Store with a verdict up to which push all are tied to commits, and the label about to be set, if changed."""
    # Most reviews change neither: then no write.
    values: dict[str, object] = {} if attributed == pull.attributed else {"attributed": attributed}
    if label is not None:
        values |= {"label": label.name, "labelled_at": label.at}
    if values and pull.id is not None:
        _set(session, pull.id, **values)


def was_quiet(session: Session, repository_id: int) -> bool | None:
    """True if the rules last forbade showing anything in that repository; None when no review was done there."""
    query = select(PullRecord.quiet).where(  # A row that was never judged has the default only.
        PullRecord.repository_id == repository_id, col(PullRecord.evaluated_at).is_not(None)
    )
    return session.exec(query.order_by(col(PullRecord.evaluated_at).desc(), col(PullRecord.id).desc()).limit(1)).first()


def enqueue_siblings(session: Session, engine: Engine, pull_id: int) -> None:
    """Have the pull requests with the same head judged again, since this one changed."""
    pull = read(session, PullRecord, id=pull_id)
    for other in review_mailbox.by_head(session, pull.repository_id, pull.head_sha) if pull else ():
        if other != pull_id:
            review_mailbox.enqueue_review(session, engine, other, queue="now")


def _leave(session: Session, engine: Engine, pull: PullRecord, *, head_sha: str, stays: bool) -> None:
    # The shared run showed this one's verdict, too, and may pass without it.
    if pull.open and pull.id is not None and not (stays and pull.head_sha == head_sha):
        enqueue_siblings(session, engine, pull.id)


def _set(session: Session, pull_id: int, **values: object) -> None:
    change(session, PullRecord, {"id": pull_id}, **values)


def replace_participants(
    session: Session, pull_id: int, account_ids: Collection[int], *, known: frozenset[int] | None = None
) -> None:
    """Make these accounts the participants of that pull request, in place of those `known` (None: as stored)."""
    wanted, known = frozenset(account_ids), participants(session, pull_id) if known is None else known
    if known - wanted:  # Only what differs is written: participants seldom change from one review to the next.
        run(session, _LEFT, {"of": pull_id, "gone": sorted(known - wanted)})
    if wanted - known:
        rows = [{"pull_id": pull_id, "account_id": account_id} for account_id in sorted(wanted - known)]
        run(session, _CAME, rows)


def add_participant(session: Session, pull_id: int, account_id: int) -> None:
    """Add a participant, until the next review finds who takes part."""
    run(session, _CAME, [{"pull_id": pull_id, "account_id": account_key(account_id)}])


def participants(session: Session, pull_id: int) -> frozenset[int]:
    """The account ids of the participants of that pull request."""
    return frozenset(run(session, _ALL, {"of": pull_id}).scalars())


def pulls_of(session: Session, account_ids: Collection[int], *, owner_id: int | None = None) -> list[int]:
    """Row ids of the open pull requests in which any of these accounts takes part, if need be only of `owner_id`."""
    # No account gives no pull request: an empty IN is never true.
    query = (
        select(Participant.pull_id)
        .join(PullRecord, col(PullRecord.id) == col(Participant.pull_id))
        .where(col(Participant.account_id).in_(sorted(frozenset(account_ids))), col(PullRecord.open))
        .distinct()
        .order_by(col(Participant.pull_id))
    )
    return list(session.exec(query if owner_id is None else query.where(PullRecord.owner_id == owner_id)))


def pulls_with_others(session: Session, account_ids: Collection[int]) -> list[int]:
    """Row ids of the open pull requests in which any other account takes part, too, in this order."""
    taking_part = select(Participant.pull_id, Participant.account_id).join(PullRecord).where(col(PullRecord.open))
    known = frozenset(account_ids)
    return sorted({pull_id for pull_id, account_id in session.exec(taking_part) if account_id not in known})


def open_pulls(session: Session, account_id: int, *, most: int) -> list[tuple[str, str, int]]:
    """Owner, name and number (sorted so) of `most` of the open pull requests in which the account takes part."""
    query = (
        select(PullRecord.owner, PullRecord.name, PullRecord.number)
        .join(Participant, col(PullRecord.id) == col(Participant.pull_id))
        .where(col(Participant.account_id) == account_key(account_id), col(PullRecord.open))
        .order_by(func.lower(col(PullRecord.owner)), func.lower(col(PullRecord.name)), col(PullRecord.number))
    )
    return list(session.exec(query.limit(most)).all())
