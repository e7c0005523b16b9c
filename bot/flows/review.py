"""A pull request may have changed: look at it, judge it, show the answer on its head commit."""

from datetime import timedelta

import structlog

from agreements.judge import judge
from bot.flows import gather, publish
from bot.flows.parts import Parts
from bot.flows.publish import LEASE, LostClaim
from bot.hub.ports import HubError, Look, Place
from bot.rulebook import RulebookProblem
from bot.store import heads, pulls, verdicts
from bot.store.pulls import Claim

AGAIN = timedelta(seconds=30)
"""When to look once more after GitHub showed a head that is older than the push it told us of."""

log = structlog.get_logger()


def review(pull_id: int, job_id: str, parts: Parts) -> None:
    """Judge the newest state of one pull request; safe to run twice, late or beside itself."""
    with parts.sessions() as session:
        claim = pulls.begin(session, pull_id, job_id, at=parts.clock(), lease=LEASE)
    if claim is None:
        return
    try:
        _judge(claim, parts)
    except LostClaim:
        _lost(claim, parts)
    except gather.Overtaken:
        _again(claim, parts, "a newer push is waiting")
    except HubError as error:
        log.warning("review.postponed", pull=pull_id, why=str(error))
        _postpone(claim, parts, str(error))
    except Exception as error:
        log.exception("review.failed", pull=pull_id)
        _postpone(claim, parts, f"internal error ({type(error).__name__})")


def _judge(claim: Claim, parts: Parts) -> None:
    look = gather.look(Place(claim.installation_id, claim.owner, claim.name, claim.repository_id), claim.number, parts)
    _remember(claim, look, parts)
    if look.state != "open" or look.owner_id not in parts.served:
        return _finish(claim, parts)
    rulebook = gather.rulebook(look, parts)
    show = publish.showing(claim, look, rulebook, parts)
    show.in_progress()
    if gather.is_behind(claim, look, parts):
        with parts.sessions() as session:
            pulls.touch(session, parts.engine, claim.pull_id, delay=AGAIN)
    if isinstance(rulebook, RulebookProblem):
        verdict = rulebook.verdict()
    else:
        verdict = judge(gather.facts(claim, look, rulebook.rules, parts))
    publish.hold(claim, parts)
    with parts.sessions() as session:
        # Written down first: whoever shares the head and is judged at this moment has to see it.
        verdicts.add(session, claim.pull_id, look.head_sha, verdict, at=parts.clock())
    show.verdict(verdict)
    return _finish(claim, parts)


def _remember(claim: Claim, look: Look, parts: Parts) -> None:
    """What GitHub just said counts at once; those who shared a head that is left behind are judged without it."""
    left = look.head_sha != claim.head_sha or look.state != "open"
    with parts.sessions() as session:
        pulls.seen(session, claim.pull_id, look)
        if left:
            for pull_id in pulls.by_head(session, claim.repository_id, claim.head_sha):
                if pull_id != claim.pull_id:
                    pulls.touch(session, parts.engine, pull_id, queue="now")


def _finish(claim: Claim, parts: Parts) -> None:
    with parts.sessions() as session:
        if not pulls.finish(session, parts.engine, claim, at=parts.clock()):
            raise LostClaim


def _postpone(claim: Claim, parts: Parts, why: str) -> None:
    try:
        publish.could_not_judge(claim, parts, why)
        _again(claim, parts, why)
    except LostClaim:
        _lost(claim, parts)


def _again(claim: Claim, parts: Parts, why: str) -> None:
    with parts.sessions() as session:
        pulls.give_up(session, parts.engine, claim, why, at=parts.clock())


def _lost(claim: Claim, parts: Parts) -> None:
    """What we wrote last may have come after what the other run wrote: have it all written anew."""
    log.warning("review.overtaken", pull=claim.pull_id)
    with parts.sessions() as session:
        heads.write_anew(session, claim.pull_id)
        pulls.touch(session, parts.engine, claim.pull_id, queue="now")
