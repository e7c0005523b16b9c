"""Verdicts as they were given: codes, commits and account ids, for the explain page; no name and no address."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from agreements.facts import Note, Problem, Verdict
from bot.store.records import Judgement


def add(session: Session, pull_id: int, head_sha: str, verdict: Verdict, *, at: datetime) -> None:
    """Keep the verdict on that head; the same again is not kept twice in a row."""
    codes = list(_codes(verdict))
    last = latest(session, pull_id)
    if last is not None and (last.head_sha, last.conclusion, last.codes) == (head_sha, verdict.conclusion.value, codes):
        return
    session.add(
        Judgement(pull_id=pull_id, head_sha=head_sha, judged_at=at, conclusion=verdict.conclusion.value, codes=codes)
    )
    session.flush()


def latest(session: Session, pull_id: int) -> Judgement | None:
    """The verdict given last on that pull request."""
    query = select(Judgement).where(Judgement.pull_id == pull_id)
    return session.exec(query.order_by(col(Judgement.judged_at).desc(), col(Judgement.id).desc()).limit(1)).first()


def first(session: Session, pull_id: int, head_sha: str) -> datetime | None:
    """When that head of the pull request was judged for the first time; None when it never was."""
    query = select(func.min(Judgement.judged_at)).where(Judgement.pull_id == pull_id, Judgement.head_sha == head_sha)
    return session.exec(query).one()


def _codes(verdict: Verdict) -> Iterator[dict[str, Any]]:
    for check in verdict.checks:
        items: tuple[Problem | Note, ...] = (*check.problems, *check.notes)
        for item in items:
            account = item.account.id if item.account else None
            yield {"check": check.name, "code": item.code, "sha": item.sha, "account": account}
