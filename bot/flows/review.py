"""A pull request may have changed: look at it, judge it, show the answer on its head commit."""

from datetime import timedelta

import structlog
from agreements.judge import judge

from bot.flows import gather, publish
from bot.flows.parts import Parts
from bot.hub.ports import HubError, Look, Place
from bot.rulebook import RulebookProblem
from bot.store import pulls, verdicts
from bot.store.pulls import Claim

LEASE = timedelta(minutes=10)
"""How long one run may hold a pull request; a crashed run is taken up again under its own id before that."""

log = structlog.get_logger()


def review(pull_id: int, job_id: str, parts: Parts) -> None:
    """Judge the newest state of one pull request; safe to run twice, late or beside itself."""
    with parts.sessions() as session:
        claim = pulls.begin(session, pull_id, job_id, at=parts.clock(), lease=LEASE)
    if claim is None:
        return
    try:
        _judge(claim, parts)
    except HubError as error:
        log.warning("review.postponed", pull=pull_id, why=str(error))
        _postpone(claim, parts, str(error))
    except Exception as error:
        log.exception("review.failed", pull=pull_id)
        _postpone(claim, parts, f"internal error ({type(error).__name__})")


def _judge(claim: Claim, parts: Parts) -> None:
    place = Place(claim.installation_id, claim.owner, claim.name, claim.repository_id)
    look = gather.look(place, claim.number, parts)
    if look.state != "open" or look.owner_id not in parts.served:
        return _finish(claim, parts, look)
    rulebook = gather.rulebook(look, parts)
    show = publish.Showing(claim, look, rulebook, parts)
    show.in_progress()
    if isinstance(rulebook, RulebookProblem):
        verdict = rulebook.verdict()
    else:
        verdict = judge(gather.facts(claim, look, rulebook.rules, parts))
    show.verdict(verdict)
    with parts.sessions() as session:
        verdicts.add(session, claim.pull_id, look.head_sha, verdict, at=parts.clock())
    return _finish(claim, parts, look)


def _finish(claim: Claim, parts: Parts, look: Look) -> None:
    with parts.sessions() as session:
        pulls.seen(session, claim.pull_id, look)
        pulls.finish(session, parts.engine, claim, at=parts.clock())


def _postpone(claim: Claim, parts: Parts, why: str) -> None:
    publish.could_not_judge(claim, parts, why)
    with parts.sessions() as session:
        pulls.give_up(session, parts.engine, claim, why, at=parts.clock())
