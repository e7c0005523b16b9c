"""A pull request may have changed: look at it, judge it, show the answer on its head commit."""

from datetime import datetime, timedelta

import structlog

from agreements.facts import Verdict
from agreements.judge import judge
from bot.flows import facts_storage, gather, publish, pushers
from bot.flows.flow_services import Parts
from bot.flows.licenses import check_request
from bot.flows.publish import LEASE, LostClaim, NotAllShown
from bot.github.ports import HubError, Look, Missing, Place
from bot.logs import where
from bot.report.check_run import is_asked_again
from bot.rulebook.effective import RulebookProblem
from bot.store.pulls import heads, pull_state, review_mailbox, verdicts
from bot.store.pulls.review_mailbox import TIRED, Claim

AGAIN = timedelta(seconds=30)
"""When to look once more after GitHub showed a head that is older than the push it told us of."""

UNKNOWN = "rulebook/unreachable"
"""Once it is no longer so for one pull request, it is none of the same owner's: they need not wait their turn."""
SOON, SELDOM = timedelta(minutes=1), timedelta(hours=6)

log = structlog.get_logger()


def review(pull_id: int, job_id: str, parts: Parts) -> None:
    """Judge the newest state of one pull request; safe to run twice, late or beside itself."""
    with parts.sessions() as session:
        claim = review_mailbox.begin(session, pull_id, job_id, at=parts.clock(), lease=LEASE)
    if claim is None:
        return
    try:
        _judge(claim, parts)
    except LostClaim:
        _lost(claim, parts)
    except pushers.Overtaken as error:
        log.info("review.again", pull=pull_id, why=str(error))
        _again(claim, parts, str(error))
    except NotAllShown as error:
        log.warning("review.not-all-shown", pull=pull_id, why=str(error))
        _again(claim, parts, str(error))
    except HubError as error:
        log.warning("review.postponed", pull=pull_id, why=str(error))
        _postpone(claim, parts, str(error))
    except Exception as error:  # noqa: BLE001 - every failure is a reason to try again
        log.error("review.failed", pull=pull_id, why=type(error).__name__, at=where(error))  # noqa: TRY400 - a trace may hold values
        _postpone(claim, parts, f"internal error ({type(error).__name__})")


def _judge(claim: Claim, parts: Parts) -> None:
    look = _look(claim, parts)
    if look is None or look.state != "open" or look.owner_id not in parts.served:
        why = "it is gone" if look is None else look.state if look.state != "open" else "its account is not served"
        log.info("review.left-alone", pull=claim.pull_id, why=why)
        return _finish(claim, parts)
    rulebook = gather.rulebook(look, parts)
    show = publish.showing(claim, look, rulebook, parts)
    show.in_progress()
    if isinstance(rulebook, RulebookProblem):
        verdict, facts = rulebook.verdict(), None
    else:
        facts = gather.facts(claim, look, rulebook.rules, parts)
        verdict = judge(facts)
    store = facts_storage.prepared(claim.pull_id, look, facts, parts)
    publish.hold(claim, parts)
    with parts.sessions() as session:
        before = verdicts.latest(session, claim.pull_id)
        # Written down first: whoever shares the head and is judged at this moment has to see it.
        verdicts.add(session, claim.pull_id, look.head_sha, verdict, at=parts.clock())
        store(session)
        check_request.ask(session, claim, look, rulebook, parts)
        standing = verdicts.latest(session, claim.pull_id)
        if before and standing and UNKNOWN in verdicts.codes(before) and UNKNOWN not in verdicts.codes(standing):
            review_mailbox.hasten(session, look.owner_id, at=parts.clock())
    show.verdict(verdict, facts, since=standing.judged_at if standing else None)
    if pushers.is_behind(claim, look, parts):  # queued when all is done: before, it would be taken for news
        with parts.sessions() as session:
            review_mailbox.touch(session, parts.engine, claim.pull_id, delay=AGAIN)
    _log(claim, look, verdict)
    return _finish(claim, parts, again_at=_again_at(verdict, standing.judged_at, parts) if standing else None)


def _log(claim: Claim, look: Look, verdict: Verdict) -> None:
    """How it ended, and in which doubt; of people only how many problems there are: why is for them to know."""
    problems = [item for check in verdict.checks for item in check.problems]
    why = sorted({item.code for item in problems if item.code.startswith(("facts/", "rulebook/"))})
    log.info(
        "review.judged",
        pull=claim.pull_id,
        repository=look.place.repository_id,
        number=look.number,
        head=look.head_sha,
        conclusion=verdict.conclusion.value,
        problems=len(problems),
        why=why,
    )


def _look(claim: Claim, parts: Parts) -> Look | None:
    """What GitHub says now, remembered at once; None for a pull request that has long been gone."""
    place = Place(claim.installation_id, claim.owner, claim.name, claim.repository_id)
    try:
        look = gather.look(place, claim.number, parts)
    except Missing:
        if claim.attempts < TIRED:
            raise
        with parts.sessions() as session:
            pull_state.gone(session, parts.engine, claim.pull_id)
        return None
    with parts.sessions() as session:
        pull_state.seen(session, parts.engine, claim.pull_id, look)
    return look


def _again_at(verdict: Verdict, since: datetime, parts: Parts) -> datetime | None:
    """When to look again by ourselves: what is in doubt is asked again after as long as it has been in doubt."""
    problems = [problem for check in verdict.checks for problem in check.problems]
    if verdict.conclusion.passes or not any(map(is_asked_again, problems)):
        return None
    now = parts.clock()
    return now + min(max(now - since, SOON), SELDOM)


def _finish(claim: Claim, parts: Parts, *, again_at: datetime | None = None) -> None:
    now = parts.clock()
    with parts.sessions() as session:
        if not review_mailbox.finish(session, parts.engine, claim, at=now, again_at=again_at):
            raise LostClaim
        # Longer waits are left to the sweep: a job that waits holds back what comes in.
        if again_at is not None and again_at - now <= SOON:
            review_mailbox.touch(session, parts.engine, claim.pull_id, delay=again_at - now)
        if claim.attempts:  # those who share the head could not rely on what was said of it; now they can
            pull_state.touch_others(session, parts.engine, claim.pull_id)


def _postpone(claim: Claim, parts: Parts, why: str) -> None:
    try:
        publish.could_not_judge(claim, parts, why)
        _again(claim, parts, why)
    except LostClaim:
        _lost(claim, parts)


def _again(claim: Claim, parts: Parts, why: str) -> None:
    with parts.sessions() as session:
        kept = review_mailbox.give_up(session, parts.engine, claim, why, at=parts.clock())
    if not kept:
        _lost(claim, parts)


def _lost(claim: Claim, parts: Parts) -> None:
    """What we wrote last may have come after what the other run wrote: have it all written anew."""
    log.warning("review.overtaken", pull=claim.pull_id, why="another run took it over after this one's time")
    with parts.sessions() as session:
        heads.write_anew(session, claim.pull_id)
        review_mailbox.touch(session, parts.engine, claim.pull_id, queue="now")
