"""Verdicts as they were given, for the explain page: codes, commits, account ids, and those values that name no person."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast

from sqlalchemy import Text, bindparam, func, insert
from sqlalchemy import cast as cast_to
from sqlalchemy import select as select_rows
from sqlmodel import Session, col, select

from agreements.domains.masking import masked_text
from agreements.facts import Note, Problem, Value, Verdict
from bot import verdict_codes
from bot.store.pulls.overrides import OverrideRow
from bot.store.records import PushRecord, VerdictRecord
from bot.store.statements import run, table

_BATCH_ROWS: Final = 500  # A log of years has too many verdicts to read at once.

_judged = table(VerdictRecord).c
_ADD: Final = insert(table(VerdictRecord))
_LATEST: Final = (
    select_rows(table(VerdictRecord))
    .where(_judged.pull_id == bindparam("of"))
    .order_by(_judged.judged_at.desc(), _judged.id.desc())
    .limit(1)
)
_FIRST: Final = select_rows(func.min(_judged.judged_at)).where(
    _judged.pull_id == bindparam("of"), _judged.head_sha == bindparam("head")
)


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """The verdict `before`, `since` when the answer stands, codes now `gone`; `row` is to be stored, None if equal."""

    before: VerdictRecord | None
    since: datetime
    gone: frozenset[str] = frozenset()
    row: Mapping[str, Any] | None = None

    def keep(self, session: Session) -> None:
        """Write it down."""
        if self.row is not None:
            run(session, _ADD, self.row)


@dataclass(frozen=True, slots=True)
class RestingVerdict:
    """The verdict `id` on `pull_id`, `judged_at` then; `records` are table and key of each that covered a person."""

    id: int
    pull_id: int
    judged_at: datetime
    records: tuple[tuple[str, str], ...]


def add(session: Session, pull_id: int, head_sha: str, verdict: Verdict, *, at: datetime) -> RecordedVerdict:
    """Store the verdict on that head, unless the last one is the same."""
    found = recorded(latest(session, pull_id), pull_id, head_sha, verdict, at=at)
    found.keep(session)
    return found


def recorded(
    last: VerdictRecord | None, pull_id: int, head_sha: str, verdict: Verdict, *, at: datetime
) -> RecordedVerdict:
    """The verdict to store for that head; the run that holds the pull request has read the `last` one."""
    codes = list(_codes(verdict))
    # The same answer again is no row: the first one's moment says since when it has stood.
    if last is not None and (last.head_sha, last.conclusion, last.codes) == (head_sha, verdict.conclusion.value, codes):
        return RecordedVerdict(last, last.judged_at)
    row = {"pull_id": pull_id, "head_sha": head_sha, "judged_at": at, "conclusion": verdict.conclusion.value}
    gone = {entry["code"] for entry in last.codes} - {entry["code"] for entry in codes} if last is not None else ()
    return RecordedVerdict(last, at, frozenset(gone), {**row, "codes": codes})


def latest(session: Session, pull_id: int) -> VerdictRecord | None:
    """The verdict given last on that pull request."""
    return cast("VerdictRecord | None", run(session, _LATEST, {"of": pull_id}).one_or_none())


def first(session: Session, pull_id: int, head_sha: str) -> datetime | None:
    """The moment when that head of the pull request was judged for the first time; None when it never was."""
    found: datetime | None = run(session, _FIRST, {"of": pull_id, "head": head_sha}).scalar_one()
    return found


def resting(session: Session) -> Iterator[Sequence[RestingVerdict]]:
    """The verdicts that name the records which covered people, some at a time; those of earlier releases name none."""
    wanted = (_judged.id, _judged.pull_id, _judged.judged_at, _judged.codes)
    # As text: the two databases share no JSON operator.
    query = select_rows(*wanted).where(cast_to(_judged.codes, Text).contains('"records"')).order_by(_judged.id)
    for lot in session.execute(query.execution_options(yield_per=_BATCH_ROWS)).partitions():
        yield [RestingVerdict(row.id, row.pull_id, row.judged_at, _records(row.codes)) for row in lot]


def _records(codes: Sequence[dict[str, Any]]) -> tuple[tuple[str, str], ...]:
    named = (str(record) for code in codes for record in code.get("values", {}).get("records", ()))
    return tuple(dict.fromkeys((table, key) for table, _, key in (record.partition(":") for record in named)))


def logins(session: Session, pull_id: int) -> dict[int, str]:
    """Logins by account id, as those who pushed to the pull request or overrode there were last called."""
    # Never from the signatures: that a login is known would then tell that its owner had signed, even after a
    # withdrawal.
    pushed = (
        select(PushRecord.sender_id, PushRecord.sender_login)
        .where(PushRecord.pull_id == pull_id)
        .order_by(col(PushRecord.sequence))
    )
    overrode = select(OverrideRow.by_account_id, OverrideRow.by_login).where(OverrideRow.pull_id == pull_id)
    return {**dict(session.exec(overrode.order_by(col(OverrideRow.at))).all()), **dict(session.exec(pushed).all())}


def _codes(verdict: Verdict) -> Iterator[dict[str, Any]]:
    for check in verdict.checks:
        items: tuple[Problem | Note, ...] = (*check.problems, *check.notes)
        for item in items:
            account = item.account.id if item.account else None
            entry = {"check": check.name, "code": item.code, "sha": item.sha, "account": account}
            declared = verdict_codes.of(item.code)
            # Only values that the code declares as naming no person: verdicts are kept, and no erasure changes them.
            values: dict[str, Any] = {
                name: _plain(item.values[name]) for name in declared.stored if name in item.values
            }
            if item.values.get(declared.unnamed):
                values["why"] = declared.unnamed
            yield entry | ({"role": item.role} if item.role else {}) | ({"values": values} if values else {})


def _plain(value: Value) -> str | int | list[str] | None:
    if isinstance(value, tuple):  # Masked: a maintainer may have typed an address.
        return [masked_text(part) for part in value]
    return masked_text(value) if isinstance(value, str) else value
