"""A pull request may have changed: look at it, judge it, show the answer on its head commit."""

from datetime import datetime, timedelta

import structlog
from sqlmodel import Session
from structlog.contextvars import bind_contextvars, bound_contextvars

from agreements.facts import Verdict
from agreements.judge import judge
from bot.clock import monotonic
from bot.flows import facts_storage, gather, journey, publish, pushers
from bot.flows.flow_services import Services
from bot.flows.journey import Journey, LostClaim
from bot.flows.licenses import check_request
from bot.flows.unit_of_work import unit_of_work
from bot.github.availability import write_priority
from bot.github.ports import Missing, PullRequestSnapshot, RepositoryPlace
from bot.notifications import payloads
from bot.report.check_run import is_asked_again
from bot.report.words.phrases import public_code
from bot.rulebook.effective import RulebookProblem
from bot.store import merge_groups
from bot.store.pulls import delivery_trail, heads, pull_state, review_mailbox, verdicts
from bot.store.pulls.delivery_trail import DeliveryTrail
from bot.store.pulls.review_mailbox import REVIEWS, ReviewClaim
from bot.store.pulls.verdicts import RecordedVerdict
from bot.store.retry_policy import MAX_QUICK_RETRIES, MAX_RECHECK, MIN_RECHECK, recheck_delay
from bot.telemetry import metrics, tracing

STALE_HEAD_DELAY = timedelta(seconds=30)
"""When to look once more after GitHub showed a head that is older than the push it told us of."""

INVALID_RULEBOOK_CODE = "rulebook/invalid"
NO_RULES = frozenset({"rulebook/unreachable", INVALID_RULEBOOK_CODE})
"""Once one pull request has a rulebook again, so have its owner's others: they are hurried up."""

log = structlog.get_logger()


def review(pull_id: int, job_id: str, services: Services) -> None:
    """Judge the newest state of one pull request; safe to run twice, late or beside itself."""
    with unit_of_work(services) as work:
        _review(pull_id, job_id, work)


def _review(pull_id: int, job_id: str, services: Services) -> None:
    claim = journey.begin(REVIEWS, pull_id, job_id, services)
    if claim is None:
        return
    with services.sessions() as session:
        trail = delivery_trail.of_review(session, pull_id, claim.latest)
    row = claim.row
    judge_it = _judge_as_urgent if row.urgent else _judge
    about: dict[str, str | int | None] = {
        "repository": f"{row.owner}/{row.name}",
        "number": row.number,
        "head": row.head_sha or None,
    }
    named = {"delivery": trail.newest} if trail.newest else {}
    with bound_contextvars(**about, **named), tracing.job("review", trail.guids, about):
        log.info("review.begun", pull=pull_id, deliveries=trail.guids, attempts=row.attempts)
        Journey(
            name="review",
            about={"pull": pull_id},
            judge=lambda: judge_it(claim, trail, services),
            show_doubt=lambda why: publish.could_not_judge(claim, services, why),
            give_up=lambda why, wait: journey.give_up(REVIEWS, claim, services, why, wait),
            write_anew=lambda: _write_anew(claim, services),
        ).run()


def _judge_as_urgent(claim: ReviewClaim, trail: DeliveryTrail, services: Services) -> None:
    """Somebody waits for it: what it writes goes before what is written to many others."""
    with write_priority("urgent"):
        _judge(claim, trail, services)


def _judge(claim: ReviewClaim, trail: DeliveryTrail, services: Services) -> None:
    begun = monotonic()
    snapshot = _fetch_snapshot(claim, services)
    if snapshot is None:
        return _leave_alone(claim, services, "it is gone")
    bind_contextvars(repository=snapshot.place.full_name, head=snapshot.head_sha)
    tracing.annotate(repository=snapshot.place.full_name, head=snapshot.head_sha)
    is_judged = snapshot.state == "open" and snapshot.owner_id in services.served
    # Before anything is written: to read a large file takes a while, and others want to write, too.
    rulebook = gather.rulebook(snapshot, services) if is_judged else None
    with services.sessions() as session:
        pull_state.seen(session, services.engine, claim.pull_id, snapshot)
    if rulebook is None:
        why = snapshot.state if snapshot.state != "open" else "its account is not served"
        return _leave_alone(claim, services, why)
    publisher = publish.publisher(claim, snapshot, rulebook, services)
    publisher.in_progress()
    if isinstance(rulebook, RulebookProblem):
        verdict, facts, until = rulebook.verdict(), None, None
    else:
        facts, until = gather.facts(claim, snapshot, rulebook.rules, services)
        verdict = judge(facts)
    store = facts_storage.prepared(claim.pull_id, snapshot, facts, services)
    journey.hold(REVIEWS, claim, services)
    with services.sessions() as session:
        # Written down first: whoever shares the head and is judged at this moment has to see it.
        recorded = verdicts.add(session, claim.pull_id, snapshot.head_sha, verdict, at=services.clock())
        store(session)
        check_request.ask(session, claim, snapshot, rulebook, services)
        _notify(session, claim, snapshot, verdict, recorded, services)
        if NO_RULES & recorded.gone:
            review_mailbox.make_due(session, snapshot.owner_id, at=services.clock())
    publisher.verdict(verdict, facts, since=recorded.since)
    if pushers.is_behind(claim, snapshot, services):  # queued when all is done: before, it would be taken for news
        with services.sessions() as session:
            review_mailbox.enqueue_review(session, services.engine, claim.pull_id, delay=STALE_HEAD_DELAY)
    _log(claim, verdict, trail, services, seconds=monotonic() - begun)
    again_at = _again_at(verdict, recorded.since, until, services)
    return _finish(claim, services, again_at=again_at, is_in_doubt=not verdict.conclusion.passes)


def _notify(
    session: Session,
    claim: ReviewClaim,
    snapshot: PullRequestSnapshot,
    verdict: Verdict,
    recorded: RecordedVerdict,
    services: Services,
) -> None:
    """Tell the servers that want to know when a verdict changed, once this transaction is committed."""
    changed = payloads.of_verdict(
        verdict,
        repository={"id": claim.row.repository_id, "name": snapshot.place.full_name},
        number=claim.row.number,
        head=snapshot.head_sha,
        before=recorded.before.conclusion if recorded.before else None,
        at=services.clock(),
    )
    services.notify(session, [changed] if changed else [])


def _leave_alone(claim: ReviewClaim, services: Services, why: str) -> None:
    log.info("review.left-alone", pull=claim.pull_id, why=why)
    _finish(claim, services)


def _log(claim: ReviewClaim, verdict: Verdict, trail: DeliveryTrail, services: Services, *, seconds: float) -> None:
    """How it ended, why, and how long it took; of people no more than the check says: how somebody is covered is theirs."""
    problems = [item for check in verdict.checks for item in check.problems]
    conclusion = verdict.conclusion.value
    waited = (services.clock() - trail.since).total_seconds() if trail.since else None
    log.info(
        "review.judged",
        pull=claim.pull_id,
        conclusion=conclusion,
        checks={check.name: check.conclusion.value for check in verdict.checks},
        reasons=sorted({public_code(item) for item in problems}),
        problems=len(problems),
        seconds=round(seconds, 3),
        waited=None if waited is None else round(waited, 3),
    )
    tracing.annotate(conclusion=conclusion)
    metrics.VERDICTS.labels("review", conclusion).inc()
    if waited is not None:
        metrics.VERDICT_SECONDS.labels("review").observe(waited)


def _fetch_snapshot(claim: ReviewClaim, services: Services) -> PullRequestSnapshot | None:
    """What GitHub says now; None for a pull request that has long been gone."""
    row = claim.row
    place = RepositoryPlace(row.installation_id, row.owner, row.name, row.repository_id)
    try:
        return gather.fetch_snapshot(place, row.number, services)
    except Missing:
        if row.attempts < MAX_QUICK_RETRIES:
            raise
        with services.sessions() as session:
            pull_state.mark_missing(session, services.engine, claim.pull_id)
        return None


def _again_at(verdict: Verdict, since: datetime, until: datetime | None, services: Services) -> datetime | None:
    """When to look again by ourselves: what passes, when time alone may end that; what is in doubt, after as long as it has been."""
    if verdict.conclusion.passes:
        return until
    now, problems = services.clock(), [problem for check in verdict.checks for problem in check.problems]
    if any(map(is_asked_again, problems)):
        return now + recheck_delay(now - since)
    # Mending it is an event; what it names may be released without one.
    return now + MAX_RECHECK if any(problem.code == INVALID_RULEBOOK_CODE for problem in problems) else None


def _finish(
    claim: ReviewClaim, services: Services, *, again_at: datetime | None = None, is_in_doubt: bool = False
) -> None:
    now = services.clock()
    with services.sessions() as session:
        is_ours = REVIEWS.finish(session, services.engine, claim, at=now, again_at=again_at)
        # Longer waits are left to the sweep: a job that waits holds back what comes in. What passes counts until then.
        if is_ours and is_in_doubt and again_at is not None and again_at - now <= MIN_RECHECK:
            review_mailbox.enqueue_review(session, services.engine, claim.pull_id, delay=again_at - now)
        if is_ours and claim.row.attempts:
            # Those who share the head could not rely on what was said of it; now they can.
            pull_state.enqueue_siblings(session, services.engine, claim.pull_id)
        if is_ours:
            merge_groups.wake(session, services.engine, claim.row.repository_id, claim.row.number)
    if not is_ours:
        raise LostClaim


def _write_anew(claim: ReviewClaim, services: Services) -> None:
    with services.sessions() as session:
        heads.write_anew(session, claim.pull_id)
        review_mailbox.enqueue_review(session, services.engine, claim.pull_id, queue="now")
