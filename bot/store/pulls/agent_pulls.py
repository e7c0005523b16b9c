"""Open pull requests in which an AI agent takes part, by their newest verdicts: as what, and who answers for its work."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import or_
from sqlmodel import Session, col, select

from bot import verdict_codes
from bot.store.pulls.red_pulls import PASSES, has_code, in_repository, newest_verdict, state_since
from bot.store.records import PullRecord, VerdictRecord

AGENT_CODES: Final = (
    "cla/agent-ignored", "cla/agent-alone", "cla/agent-blocked", "dco/agent-alone", "dco/agent-blocked", "dco/agent-signoff",
)  # fmt: skip
"""The codes that say that an agent takes part."""
UNANSWERED_CODES: Final = ("cla/agent-alone", "dco/agent-alone")
"""The codes that say that no person answers for an agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPull:
    """A pull request with an agent, `number` in `owner`/`name`: if it `passes`, by its newest verdict, and the time it began (`since`).

    `roles` are those of its agents. `answering` are the account ids of the people who answer for them.
    """

    owner: str
    name: str
    number: int
    since: datetime
    passes: bool
    roles: tuple[str, ...]
    answering: tuple[int, ...]


def listed(
    session: Session, *, repository: str = "", unanswered: bool = False, skip: int, most: int
) -> tuple[AgentPull, ...]:
    """Those of that repository (name or `owner/name`), or all; those of the last change first. `unanswered`: without a person alone."""
    wanted = or_(*(has_code(code) for code in (UNANSWERED_CODES if unanswered else AGENT_CODES)))
    since = state_since().label("since")
    query = (
        select(PullRecord, VerdictRecord, since)
        .join(VerdictRecord, col(VerdictRecord.id) == newest_verdict())
        .where(col(PullRecord.open), *in_repository(repository), wanted)
        .order_by(since.desc(), col(PullRecord.id).desc())
    )
    return tuple(
        AgentPull(
            owner=pull.owner,
            name=pull.name,
            number=pull.number,
            since=at,
            passes=judged.conclusion in PASSES,
            roles=tuple(dict.fromkeys(code["role"] for code in judged.codes if _is_agents(code))),
            answering=_answering(judged.codes),
        )
        for pull, judged, at in session.exec(query.offset(skip).limit(most))
    )


def _is_agents(entry: Mapping[str, Any]) -> bool:
    return entry["code"] in AGENT_CODES and bool(entry.get("role"))


def _answering(codes: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    """The accounts of the person who vouched, or else of the covered people who opened or pushed."""
    if any(code["code"] in UNANSWERED_CODES for code in codes):
        return ()
    vouched = [code["account"] for code in codes if code["code"] == "cla/vouched"]
    acting = [
        code["account"]
        for code in codes
        if code.get("role") in ("opener", "sender") and verdict_codes.of(code["code"]).role == "covered"
    ]
    return tuple(dict.fromkeys(account for account in vouched or acting if account))
