"""Open pull requests whose newest verdict does not pass, with its codes; and open pull requests and verdicts in numbers."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, ScalarSelect, Select, String, case, cast, func, literal
from sqlalchemy import select as select_rows
from sqlalchemy.orm import aliased
from sqlmodel import Session, SQLModel, col, select

from agreements.store.lookup import account_chunks
from agreements.store.tables.columns import Moment
from bot.store.pulls.stored_facts import StoredFacts
from bot.store.records import Participant, PullRecord, VerdictRecord
from bot.store.statements import table

PASSES: Final = ("success", "neutral")
"""The conclusions that GitHub takes as passed where a branch rule requires the check."""

_LONG_AGO: Final = literal(datetime(2000, 1, 1, tzinfo=UTC), Moment())


@dataclass(frozen=True, slots=True, kw_only=True)
class RedPull:
    """A red pull request, `number` in `owner`/`name`: `conclusion` and `codes`, each once, of its newest verdict.

    It has been red `since` then, also by the verdicts that came later.
    """

    owner: str
    name: str
    number: int
    since: datetime
    conclusion: str
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RedFilter:
    """The pull requests asked for: by `repository` (name or `owner/name`) and `code`, "" for all; `oldest` first.

    `owner_id`: only those of that account; None for all.
    """

    repository: str = ""
    code: str = ""
    oldest: bool = False
    owner_id: int | None = None


def listed(session: Session, wanted: RedFilter, *, skip: int, most: int) -> tuple[RedPull, ...]:
    """The red pull requests: those that are red since last come first, or last if `oldest`."""
    since = state_since().label("since")
    query = (
        select(PullRecord, VerdictRecord, since)
        .join(VerdictRecord, col(VerdictRecord.id) == newest_verdict())
        .where(*_conditions(wanted))
    )
    order = (since, col(PullRecord.id)) if wanted.oldest else (since.desc(), col(PullRecord.id).desc())
    rows = session.exec(query.order_by(*order).offset(skip).limit(most))
    return tuple(
        RedPull(
            owner=pull.owner,
            name=pull.name,
            number=pull.number,
            since=at,
            conclusion=judged.conclusion,
            codes=tuple(dict.fromkeys(str(code["code"]) for code in judged.codes)),
        )
        for pull, judged, at in rows
    )


@dataclass(frozen=True, slots=True)
class RedName:
    """The `owner`, repository `name` and `number` of a pull request. The name of a `private` one is not shown."""

    owner: str
    name: str
    number: int
    private: bool


def of_accounts(session: Session, account_ids: Collection[int]) -> tuple[RedName, ...]:
    """The red pull requests in which any of these accounts takes part, by name."""
    found: dict[int, RedName] = {}
    for chunk in account_chunks(account_ids):
        part = select(Participant.pull_id).where(col(Participant.account_id).in_(chunk))
        query = (
            select(PullRecord)
            .join(VerdictRecord, col(VerdictRecord.id) == newest_verdict())
            .where(*_conditions(RedFilter()))
        )
        for pull in session.exec(query.where(col(PullRecord.id).in_(part))):
            # Once, though several take part.
            found[pull.id or 0] = RedName(pull.owner, pull.name, pull.number, pull.private)
    return tuple(sorted(found.values(), key=lambda pull: (pull.owner.lower(), pull.name.lower(), pull.number)))


def repositories_with(session: Session, code: str) -> int:
    """The number of repositories that have a red pull request with that code."""
    query = select(func.count(func.distinct(col(PullRecord.repository_id))))
    query = query.join(VerdictRecord, col(VerdictRecord.id) == newest_verdict())
    return session.exec(query.where(*_conditions(RedFilter(code=code)))).one()


def reasons(pulls: Sequence[RedPull]) -> Counter[str]:
    """The number of these pull requests that have each code."""
    return Counter(code for pull in pulls for code in pull.codes)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTotals:
    """Numbers of open pull requests: all that are `known`, the `red` and the `passing` ones, and the rest without a verdict.

    Of those that pass, `before_since` were opened before the rules began. `replayable` can be judged by other rules.
    """

    known: int
    red: int
    passing: int
    before_since: int
    replayable: int


def open_totals(session: Session, owner_id: int | None = None) -> OpenTotals:
    """The numbers of that account's open pull requests, or of all."""
    passes = col(VerdictRecord.conclusion).in_(PASSES)
    query = (
        select_rows(
            func.count(),
            func.count(col(VerdictRecord.id)),
            func.count(case((passes, 1))),
            func.count(case((passes & has_code("rules/before-since"), 1))),
            func.count(col(StoredFacts.pull_id)),
        )
        .select_from(PullRecord)
        .outerjoin(VerdictRecord, col(VerdictRecord.id) == newest_verdict())
        .outerjoin(StoredFacts, col(StoredFacts.pull_id) == col(PullRecord.id))
        .where(*_open(owner_id))
    )
    known, judged, passing, before_since, replayable = session.execute(query).one()
    return OpenTotals(
        known=known, red=judged - passing, passing=passing, before_since=before_since, replayable=replayable
    )


def people_of_open(owner_id: int | None = None) -> Select[Any]:
    """The query for the accounts that take part in that account's open pull requests, each once."""
    taking_part = select_rows(col(Participant.account_id)).join(
        PullRecord, col(PullRecord.id) == col(Participant.pull_id)
    )
    return taking_part.where(*_open(owner_id)).distinct()


def judged_between(session: Session, *spans: tuple[datetime, datetime]) -> tuple[int, ...]:
    """The number of verdicts in each span: from its beginning on and before its end."""
    at = col(VerdictRecord.judged_at)
    counts = (select(func.count()).select_from(VerdictRecord).where(at >= since, at < until) for since, until in spans)
    return tuple(session.execute(select_rows(*(count.scalar_subquery() for count in counts))).one())


def times_to_green(session: Session, since: datetime) -> Iterator[tuple[datetime, timedelta]]:
    """For each pull request first judged from `since` on, red, then green: that moment, and the time it took."""
    passed = case((col(VerdictRecord.conclusion).in_(PASSES), col(VerdictRecord.judged_at)))
    query = (
        select(func.min(col(VerdictRecord.judged_at)), func.min(passed))
        .group_by(col(VerdictRecord.pull_id))
        .having(
            func.min(col(VerdictRecord.judged_at)) >= since, func.min(passed) > func.min(col(VerdictRecord.judged_at))
        )
    )
    for first, green in session.exec(query):
        yield green, green - first


def red_by_reason(session: Session, since: datetime) -> Iterator[tuple[datetime, int, frozenset[str]]]:
    """Each verdict from `since` on that did not pass: its moment, its pull request and its codes."""
    query = select(VerdictRecord.judged_at, VerdictRecord.pull_id, VerdictRecord.codes).where(
        col(VerdictRecord.judged_at) >= since, col(VerdictRecord.conclusion).not_in(PASSES)
    )
    # A few at a time: there may be more than fit into memory.
    for at, pull_id, codes in session.exec(query.execution_options(yield_per=1000)):
        yield at, pull_id, frozenset(str(code["code"]) for code in codes)


def newest_verdict() -> ScalarSelect[Any]:
    """The query for the id of a pull request's newest verdict."""
    last = aliased(VerdictRecord)
    newest = select(last.id).where(col(last.pull_id) == col(PullRecord.id))
    return (
        # The id decides between verdicts of one moment.
        newest.order_by(col(last.judged_at).desc(), col(last.id).desc())
        .limit(1)
        .correlate(PullRecord)
        .scalar_subquery()
    )


def state_since() -> ColumnElement[datetime]:
    """The moment since which a pull request passes, or does not pass, as its newest verdict in the same query says."""
    first, other = aliased(VerdictRecord), aliased(VerdictRecord)
    turned = (
        select(func.max(col(other.judged_at)))
        .where(col(other.pull_id) == col(PullRecord.id), _passes(other) != _passes(VerdictRecord))
        .correlate(PullRecord, VerdictRecord)
        .scalar_subquery()
    )
    since = (
        select(func.min(col(first.judged_at)))
        # A bound of the index, which a condition with OR would not be: each row would ask for the turn anew.
        .where(col(first.pull_id) == col(PullRecord.id), col(first.judged_at) > func.coalesce(turned, _LONG_AGO))
        .correlate(PullRecord, VerdictRecord)
        .scalar_subquery()
    )
    # None follows the turn where two verdicts are of one moment.
    return func.coalesce(since, col(VerdictRecord.judged_at))


def red_or_green_since(session: Session, newest: VerdictRecord) -> datetime:
    """The moment since which a pull request passes, or does not pass, as its `newest` verdict says."""
    query = select(state_since()).select_from(PullRecord)
    query = query.join(VerdictRecord, col(VerdictRecord.pull_id) == col(PullRecord.id))
    return session.exec(query.where(col(VerdictRecord.id) == newest.id)).one()


def _passes(verdict: type[VerdictRecord]) -> ColumnElement[int]:
    # A number: not every database compares conditions.
    return case((col(verdict.conclusion).in_(PASSES), 1), else_=0)


def _conditions(wanted: RedFilter) -> list[ColumnElement[bool]]:
    found: list[Any] = [*_open(wanted.owner_id), col(VerdictRecord.conclusion).not_in(PASSES)]
    found += in_repository(wanted.repository)
    return [*found, has_code(wanted.code)] if wanted.code else found


def in_repository(repository: str, model: type[SQLModel] = PullRecord) -> list[ColumnElement[bool]]:
    """The conditions that a row of the model is of that repository, by name or `owner/name`; none for ""."""
    owner, _, name = repository.lower().rpartition("/")
    found: list[Any] = [func.lower(table(model).c.name) == name] if name else []
    return [*found, func.lower(table(model).c.owner) == owner] if owner else found


def _open(owner_id: int | None) -> list[ColumnElement[bool]]:
    found: list[Any] = [col(PullRecord.open)]
    return found if owner_id is None else [*found, col(PullRecord.owner_id) == owner_id]


def has_code(code: str) -> ColumnElement[bool]:
    """The condition that a verdict has that whole code."""
    # Both databases keep JSON as Python wrote it, and share no JSON operator. Escaped: `_` is a wildcard to LIKE.
    return cast(col(VerdictRecord.codes), String).contains(f'"code": "{code}"', autoescape=True)
