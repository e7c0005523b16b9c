"""A pull request may have changed: look at it, judge it, show the answer on its head commit."""

from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, partial

import structlog
from sqlmodel import Session
from structlog.contextvars import bind_contextvars, bound_contextvars

from agreements.facts import Verdict
from agreements.judge import judge
from agreements.rulebook.rules import Rules
from bot.clock import monotonic
from bot.flows import facts_storage, gather, journey, pushers
from bot.flows.flow_services import Services
from bot.flows.gather import Gathered
from bot.flows.journey import ClaimHolder, Journey, LostClaim
from bot.flows.licenses import check_request
from bot.flows.publishing import unjudged
from bot.flows.publishing.in_progress import shown_when_slow
from bot.flows.publishing.labels import LabelChange
from bot.flows.publishing.review_publisher import Publication, ReviewPublisher
from bot.flows.shadow import is_quiet
from bot.github.availability import write_priority
from bot.github.ports import Missing, PullRequestSnapshot, RepositoryPlace
from bot.notifications import payloads
from bot.report.check_run import is_asked_again
from bot.report.words.phrases import public_code
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.store import merge_groups
from bot.store.pulls import heads, pull_state, pushes, review_case, review_mailbox, verdicts
from bot.store.pulls.heads import CheckRunOwner
from bot.store.pulls.pull_state import LeftLabel, RuleEffects
from bot.store.pulls.review_case import ReviewCase
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


def review(claim: ReviewClaim, services: Services) -> None:
    """Judge the newest state of one pull request; safe to run twice, late or beside itself."""
    # One run judges by the same texts from its beginning to its end.
    services = replace(services, texts=cache(services.texts))
    row, trail = claim.row, claim.trail
    about: dict[str, str | int | None] = {
        "repository": f"{row.owner}/{row.name}",
        "number": row.number,
        "head": row.head_sha or None,
    }
    named = {"delivery": trail.newest} if trail.newest else {}
    with bound_contextvars(**about, **named), tracing.job("review", trail.guids, about):
        log.info("review.begun", pull=claim.pull_id, deliveries=trail.guids, attempts=row.attempts)
        Journey(
            name="review",
            about={"pull": claim.pull_id},
            judge=lambda: _judge_in_turn(claim, services),
            show_doubt=lambda why: unjudged.could_not_judge(claim, services, why),
            give_up=lambda why, wait: journey.give_up(REVIEWS, claim, services, why, wait),
            write_anew=lambda: _write_anew(claim, services),
        ).run()


def _judge_in_turn(claim: ReviewClaim, services: Services) -> None:
    """Where somebody waits for it, what it writes goes before what is written to many others."""
    with write_priority("urgent") if claim.row.urgent else nullcontext():
        _judge(claim, services)


def _judge(claim: ReviewClaim, services: Services) -> None:
    """Ask GitHub, write down what it said, decide, write down the verdict, show it, write down that it is shown."""
    begun = monotonic()
    snapshot = _fetch_snapshot(claim, services)
    if snapshot is None:
        return _leave_alone(claim, services, "it is gone")
    bind_contextvars(repository=snapshot.place.full_name, head=snapshot.head_sha)
    tracing.annotate(repository=snapshot.place.full_name, head=snapshot.head_sha)
    if snapshot.state != "open" or snapshot.owner_id not in services.served:
        with services.sessions() as session:
            pull_state.seen(session, services.engine, claim.row, snapshot)
        why = snapshot.state if snapshot.state != "open" else "its account is not served"
        return _leave_alone(claim, services, why)
    publisher = _remember(claim, snapshot, gather.read_rulebook(snapshot, services), services)
    with shown_when_slow(publisher.in_progress, begun=begun):
        verdict, found = _decide(claim, publisher, services)
        facts = None if found is None else found.facts
        store = facts_storage.prepared(claim.pull_id, snapshot, facts, services)
        label = publisher.label_change(verdict)
        case, now = publisher.case, services.clock()
        recorded = verdicts.recorded(case.last, claim.pull_id, snapshot.head_sha, verdict, at=now)
        shown = publisher.publication(verdict, facts, label, since=recorded.since)

    def record(session: Session) -> None:
        publisher.hold.within(session)
        _record(session, claim, publisher, verdict, recorded, services)
        _remember_pushes(session, case, found, label)
        store(session)
        publisher.intend(session, shown)

    services.write(record)
    publisher.write(shown)
    _log(claim, verdict, services, seconds=monotonic() - begun)
    again_at = _again_at(verdict, recorded.since, None if found is None else found.until, services)
    return _settle(claim, publisher, shown, again_at, services)


def _settle(
    claim: ReviewClaim, publisher: ReviewPublisher, shown: Publication, again_at: datetime | None, services: Services
) -> None:
    """Write down what is there, and that the pull request is judged. Raises LostClaim."""
    is_in_doubt, head_sha = not shown.verdict.conclusion.passes, publisher.snapshot.head_sha

    def settle(session: Session) -> None:
        publisher.confirm(session, shown)
        _finish(session, claim, services, again_at=again_at, is_in_doubt=is_in_doubt)
        if pushers.is_behind(claim, publisher.case.pushes, head_sha):
            # Queued when all is done: before, it would be taken for news.
            review_mailbox.enqueue_review(session, services.engine, claim.pull_id, delay=STALE_HEAD_DELAY)

    try:
        services.write(settle)
    except LostClaim:  # what we made is there all the same
        services.write(partial(publisher.confirm, shown=shown))
        raise


def _remember(
    claim: ReviewClaim, snapshot: PullRequestSnapshot, rulebook: Rulebook | RulebookProblem, services: Services
) -> ReviewPublisher:
    """Write down what GitHub says; what is stored of the pull request, and who shows it."""
    quiet, place = is_quiet(snapshot, rulebook, services), snapshot.place
    rules = rulebook.rules if isinstance(rulebook, Rulebook) else Rules()
    effects = RuleEffects(quiet=quiet, by_labels=rules.changelog.require)

    def remember(session: Session) -> tuple[ReviewCase, CheckRunOwner]:
        case = review_case.read(session, claim.pull_id, snapshot)
        gather.remember_rulebook(session, snapshot, rulebook, services, known=case.owner)
        pull_state.seen(session, services.engine, case.pull, snapshot, effects)
        head = (place.repository_id, snapshot.head_sha, claim.pull_id, claim.row.number)
        return case, case.keeper or heads.keep(session, *head)

    case, keeper = services.write(remember)
    hold = ClaimHolder(REVIEWS, claim, services)
    return ReviewPublisher(claim, case, snapshot, rulebook, services, keeper, hold, quiet)


def _decide(claim: ReviewClaim, publisher: ReviewPublisher, services: Services) -> tuple[Verdict, Gathered | None]:
    """The verdict and what it rests on, None where there are no rules. Raises as `gather.facts` does."""
    rulebook = publisher.rulebook
    if isinstance(rulebook, RulebookProblem):
        return rulebook.verdict(), None
    found = gather.facts(claim, publisher.case, publisher.snapshot, rulebook.rules, services)
    return judge(found.facts), found


def _record(
    session: Session,
    claim: ReviewClaim,
    publisher: ReviewPublisher,
    verdict: Verdict,
    recorded: RecordedVerdict,
    services: Services,
) -> None:
    """Write the verdict down, and what follows from it.

    Before anything is shown: whoever shares the head and is judged at this moment has to see it.
    """
    snapshot, is_known = publisher.snapshot, publisher.case.has_licenses
    recorded.keep(session)
    check_request.ask(session, claim, snapshot, publisher.rulebook, services, is_known=is_known)
    _notify(session, claim, snapshot, verdict, recorded, services)
    if NO_RULES & recorded.gone:
        review_mailbox.make_due(session, snapshot.owner_id, at=services.clock())


def _remember_pushes(session: Session, case: ReviewCase, found: Gathered | None, label: LabelChange | None) -> None:
    """Write down who was found to have pushed what, and the label that is about to be there."""
    assert case.pull.id is not None
    if found is not None:
        pushes.write_attribution(session, case.pull.id, found.pushed)
    pull_state.judged(
        session,
        case.pull,
        attributed=case.pull.attributed if found is None else found.pushed.attributed,
        label=None if label is None else LeftLabel(label.wanted, label.at),
    )


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
    with services.sessions() as session:
        _finish(session, claim, services)


def _log(claim: ReviewClaim, verdict: Verdict, services: Services, *, seconds: float) -> None:
    """How it ended, why, and how long it took; of people no more than the check says: how somebody is covered is theirs."""
    problems = [item for check in verdict.checks for item in check.problems]
    conclusion = verdict.conclusion.value
    since = claim.trail.since
    waited = (services.clock() - since).total_seconds() if since else None
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
    session: Session,
    claim: ReviewClaim,
    services: Services,
    *,
    again_at: datetime | None = None,
    is_in_doubt: bool = False,
) -> None:
    """The pull request is judged. Raises LostClaim, which takes back what else this transaction wrote."""
    now = services.clock()
    if not REVIEWS.finish(session, services.engine, claim, at=now, again_at=again_at):
        raise LostClaim
    # Longer waits are left to the sweep: a job that waits holds back what comes in. What passes counts until then.
    if is_in_doubt and again_at is not None and again_at - now <= MIN_RECHECK:
        review_mailbox.enqueue_review(session, services.engine, claim.pull_id, delay=again_at - now)
    if claim.row.attempts:
        # Those who share the head could not rely on what was said of it; now they can.
        pull_state.enqueue_siblings(session, services.engine, claim.pull_id)
    merge_groups.wake(session, services.engine, claim.row.repository_id, claim.row.number)


def _write_anew(claim: ReviewClaim, services: Services) -> None:
    with services.sessions() as session:
        heads.write_anew(session, claim.pull_id)
        review_mailbox.enqueue_review(session, services.engine, claim.pull_id, queue="now")
