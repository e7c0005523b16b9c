"""Verdicts as they were given, for the explain page: codes, commits, account ids, and those values that name nobody."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from sqlalchemy import func
from sqlmodel import Session, col, select

from agreements.domains.domains import masked_text
from agreements.facts import Note, Problem, Value, Verdict
from bot.store.pulls.overrides import OverrideRow
from bot.store.records import Judgement, Push

KEPT: Final = {
    "cla/unsigned": ("agreement", "also"),
    "cla/outdated": ("agreement", "version", "current"),
    "cla/withdrawn": ("agreement",),
    "cla/company-ended": ("agreement",),
    "cla/excluded": ("agreement",),
    "cla/unlinked-email": ("why",),
    "cla/individual": ("agreement", "version"),
    "cla/grace": ("agreement", "version", "until"),
    "cla/overridden": ("by", "of"),
    "dco/malformed": ("why",),
    "dco/invisible": ("why",),
    "dco/invalid-email": ("whose",),
    "dco/remediated": ("by_sha", "kind"),
    "dco/equivalent": ("kinds",),
    "dco/overridden": ("by",),
    "facts/incomplete": ("have", "reported", "why", "of", "heads", "override"),
    "rulebook/invalid": ("errors",),
    "rulebook/unreachable": ("where", "why"),
    "rules/before-since": ("since",),
    "changelog/missing": ("path",),
}
"""The values kept beside a code; every other one may name a person or show an address, and is left out.

`by` is the login of the maintainer who gave an override, which the comment that gave it shows, too.
"""

_UNNAMED: Final = {"dco/missing": "agent"}
"""A value of which is kept only that there is one, as the `why`."""


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


def codes(judged: Judgement) -> frozenset[str]:
    """The codes of a verdict as it was given."""
    return frozenset(str(entry["code"]) for entry in judged.codes)


def first(session: Session, pull_id: int, head_sha: str) -> datetime | None:
    """When that head of the pull request was judged for the first time; None when it never was."""
    query = select(func.min(Judgement.judged_at)).where(Judgement.pull_id == pull_id, Judgement.head_sha == head_sha)
    return session.exec(query).one()


def logins(session: Session, pull_id: int) -> dict[int, str]:
    """Logins by account id, as those who pushed to the pull request or overrode there were last called.

    Never from the signatures: that a login is known would then tell that somebody had signed, also who has withdrawn.
    """
    pushed = select(Push.sender_id, Push.sender_login).where(Push.pull_id == pull_id).order_by(col(Push.sequence))
    overrode = select(OverrideRow.by_account_id, OverrideRow.by_login).where(OverrideRow.pull_id == pull_id)
    return {**dict(session.exec(overrode.order_by(col(OverrideRow.at))).all()), **dict(session.exec(pushed).all())}


def _codes(verdict: Verdict) -> Iterator[dict[str, Any]]:
    for check in verdict.checks:
        items: tuple[Problem | Note, ...] = (*check.problems, *check.notes)
        for item in items:
            account = item.account.id if item.account else None
            entry = {"check": check.name, "code": item.code, "sha": item.sha, "account": account}
            values: dict[str, Any] = {
                name: _plain(item.values[name]) for name in KEPT.get(item.code, ()) if name in item.values
            }
            if (unnamed := _UNNAMED.get(item.code)) and item.values.get(unnamed):
                values["why"] = unnamed
            yield entry | ({"role": item.role} if item.role else {}) | ({"values": values} if values else {})


def _plain(value: Value) -> str | int | list[str] | None:
    """The value as JSON gives it back; what a maintainer typed may hold an address, which is masked."""
    if isinstance(value, tuple):
        return [masked_text(part) for part in value]
    return masked_text(value) if isinstance(value, str) else value
