"""The review of a pull request that may have changed: look at it, judge it, show the answer on its head commit."""

import hashlib
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, partial

import structlog
from sqlmodel import Session
from structlog.contextvars import bind_contextvars, bound_contextvars

from agreements.facts import Facts, Verdict
from agreements.judge import judge
from agreements.rulebook.rules import Rules
from bot.clock import monotonic
from bot.flows import gather, journey, small_changes
from bot.flows.flow_services import Services
from bot.flows.gather import Gathered
from bot.flows.journey import ClaimHolder, Journey, LostClaim, shown_when_slow
from bot.flows.publishing import unjudged
from bot.flows.publishing.labels import LabelChange
from bot.flows.publishing.review_publisher import Publication, ReviewPublisher, language
from bot.github.availability import write_priority
from bot.github.ports import Missing, PullRequestSnapshot, RepositoryPlace, RuleFile
from bot.job_queue import QueueName
from bot.notifications import payloads
from bot.report.check_run import is_asked_again
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.rulebook.recorded_facts import HeadBranch, pack
from bot.store import license_checks, merge_groups
from bot.store.license_checks import Head
from bot.store.pulls import heads, pull_state, pushes, review_case, review_mailbox, stored_facts, verdicts
from bot.store.pulls.heads import CheckRunOwner
from bot.store.pulls.pull_state import LeftLabel, RuleEffects
from bot.store.pulls.review_case import ReviewCase
from bot.store.pulls.review_mailbox import REVIEWS, ReviewClaim
from bot.store.pulls.verdicts import RecordedVerdict
from bot.store.retry_policy import MAX_QUICK_RETRIES, MAX_RECHECK, MIN_RECHECK, recheck_delay
from bot.telemetry import metrics, tracing
from bot.telemetry.logs import where
from bot.verdict_codes import public_codes

# GitHub showed a head that is older than the push it told us of: a look after this time shows the newer one.
STALE_HEAD_DELAY = timedelta(seconds=30)

INVALID_RULEBOOK_CODE = "rulebook/invalid"
# Once one pull request has a rulebook again, so have its owner's others: they are hurried up.
NO_RULES = frozenset({"rulebook/unreachable", INVALID_RULEBOOK_CODE})

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
    # What people wait for is written before what a change of rules brings to many others.
    turn = write_priority("urgent") if row.urgent else nullcontext()
    with bound_contextvars(**about, **named), tracing.job("review", trail.guids, about), turn:
        log.info("review.begun", pull=claim.pull_id, deliveries=trail.guids, attempts=row.attempts)
        Journey(
            name="review",
            about={"pull": claim.pull_id},
            judge=lambda: _judge(claim, services),
            show_doubt=lambda why: unjudged.could_not_judge(claim, services, why),
            give_up=lambda why, wait: journey.give_up(REVIEWS, claim, services, why, wait),
            write_anew=lambda: _write_anew(claim, services),
        ).run()


def _judge(claim: ReviewClaim, services: Services) -> None:
    begun = monotonic()
    snapshot = _fetch_snapshot(claim, services)
    if snapshot is None:
        return _leave_alone(claim, services, "it is gone")
    bind_contextvars(repository=snapshot.place.full_name, head=snapshot.head_sha)
    if snapshot.state != "open" or snapshot.owner_id not in services.served:
        with services.change() as context:
            pull_state.seen(context.session, services.engine, claim.row, snapshot)
            small_changes.end(context, claim.pull_id, snapshot.state, services)
        why = snapshot.state if snapshot.state != "open" else "its account is not served"
        return _leave_alone(claim, services, why)
    publisher = _remember(claim, snapshot, gather.read_rulebook(snapshot, services), services)
    with shown_when_slow(publisher.in_progress, begun=begun):
        verdict, found = _decide(claim, publisher, services)
        recorded = verdicts.recorded(
            publisher.case.last, claim.pull_id, snapshot.head_sha, verdict, at=services.clock()
        )
        facts = None if found is None else found.facts
        keep_facts = facts_writer(claim.pull_id, snapshot, facts, services)
        shown = publisher.publication(verdict, facts, since=recorded.since)

    # Order: verdict, then intent, in one transaction; GitHub is written to only after its commit.
    def record(session: Session) -> None:
        # Before anything is shown: a review of another pull request with this head has to see the verdict.
        publisher.hold.within(session)
        recorded.keep(session)
        _ask_for_licenses(session, publisher)
        _notify(session, publisher, verdict, recorded)
        if NO_RULES & recorded.gone:
            review_mailbox.make_due(session, snapshot.owner_id, at=services.clock())
        _remember_pushes(session, publisher.case, found, shown.label)
        keep_facts(session)
        publisher.intend(session, shown)

    services.write(record)
    publisher.write(shown)
    _log(claim, verdict, services, seconds=monotonic() - begun)
    again_at = _again_at(verdict, recorded.since, None if found is None else found.until, services)
    return _settle(publisher, shown, again_at)


def _settle(publisher: ReviewPublisher, shown: Publication, again_at: datetime | None) -> None:
    claim, services = publisher.claim, publisher.services
    is_in_doubt, head_sha = not shown.verdict.conclusion.passes, publisher.snapshot.head_sha

    def settle(session: Session) -> None:
        publisher.confirm(session, shown)
        _finish(session, claim, services, again_at=again_at, is_in_doubt=is_in_doubt)
        if gather.is_behind(claim, publisher.case.pushes, head_sha):
            # Queued when all is done: before, it would be taken for news.
            review_mailbox.enqueue_review(session, services.engine, claim.pull_id, delay=STALE_HEAD_DELAY)

    try:
        services.write(settle)
    except LostClaim:  # What we made is there all the same.
        services.write(partial(publisher.confirm, shown=shown))
        raise


def _remember(
    claim: ReviewClaim, snapshot: PullRequestSnapshot, rulebook: Rulebook | RulebookProblem, services: Services
) -> ReviewPublisher:
    place = snapshot.place
    quiet = gather.is_quiet(place, snapshot.rule_files, rulebook, services)
    rules = rulebook.rules if isinstance(rulebook, Rulebook) else Rules()
    effects = RuleEffects(quiet=quiet, by_labels=rules.changelog.require)

    def remember(session: Session) -> tuple[ReviewCase, CheckRunOwner]:
        # Before `seen` changes the row: what it was is part of the case.
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


def facts_writer(
    pull_id: int, snapshot: PullRequestSnapshot, facts: Facts | None, services: Services
) -> Callable[[Session], None]:
    """A function that stores the sealed facts in the verdict's own transaction, without facts one that does nothing."""
    if facts is None:  # There was no rulebook to judge by: those of the last verdict stay.
        return lambda _session: None
    file = services.organization_file
    files = replace(snapshot.rule_files, organization=RuleFile(*file)) if file else snapshot.rule_files
    try:
        # Here, before the transaction: SQLite has one writer, and this takes long.
        packed = pack(facts, files, HeadBranch(snapshot.head_repository, snapshot.head), snapshot.title)
        sealed = stored_facts.encrypt(services.vault, pull_id, packed)
    except Exception as error:  # noqa: BLE001 - the verdict counts, also without its facts
        log.error("facts.not-stored", pull=pull_id, why=type(error).__name__, at=where(error))  # noqa: TRY400 - a trace may hold values
        # The older ones go: they would be taken for the newest.
        return lambda session: stored_facts.forget(session, pull_id)
    at = services.clock()
    return lambda session: stored_facts.keep(session, pull_id, snapshot.head_sha, sealed, at=at)


def _ask_for_licenses(session: Session, publisher: ReviewPublisher) -> None:
    """Have the licences of the head judged, too, or anew because the rules changed."""
    snapshot, rulebook, services = publisher.snapshot, publisher.rulebook, publisher.services
    head = Head(snapshot.place.repository_id, snapshot.head_sha)
    wanted = isinstance(rulebook, Rulebook) and rulebook.policy.stated
    # A head that was judged by a part on licences is brought up to date when that part goes or can't be read.
    if not wanted and not publisher.case.has_licenses:
        return
    rules: tuple[object, ...] = (rulebook,)
    if isinstance(rulebook, Rulebook):  # The rest of it, such as a label, has nothing to do with licences.
        rules = (rulebook.policy, rulebook.rules.since, language(rulebook.rules.comment_language, snapshot))
    basis = {pull.number: "" for pull in license_checks.open_pulls(session, head)}
    stated = repr((snapshot.base, rules)).encode("utf-8", "surrogatepass")
    basis[snapshot.number] = hashlib.sha256(stated).hexdigest()
    queue: QueueName = "now" if publisher.claim.row.urgent else "later"
    license_checks.ask(session, services.engine, head, basis, queue=queue)


def _notify(session: Session, publisher: ReviewPublisher, verdict: Verdict, recorded: RecordedVerdict) -> None:
    snapshot, services = publisher.snapshot, publisher.services
    changed = payloads.of_verdict(
        verdict,
        repository={"id": publisher.claim.row.repository_id, "name": snapshot.place.full_name},
        number=snapshot.number,
        head=snapshot.head_sha,
        before=recorded.before.conclusion if recorded.before else None,
        at=services.clock(),
    )
    services.notify(session, [changed] if changed else [])


def _remember_pushes(session: Session, case: ReviewCase, found: Gathered | None, label: LabelChange | None) -> None:
    assert case.pull.id is not None
    if found is not None:
        pushes.write_attribution(session, case.pull.id, found.pushed)
    pull_state.judged(
        session,
        case.pull,
        attributed=case.pull.attributed if found is None else found.pushed.attributed,
        label=None if label is None else LeftLabel(label.wanted, label.at),
    )


def _leave_alone(claim: ReviewClaim, services: Services, why: str) -> None:
    log.info("review.left-alone", pull=claim.pull_id, why=why)
    with services.sessions() as session:
        _finish(session, claim, services)


def _log(claim: ReviewClaim, verdict: Verdict, services: Services, *, seconds: float) -> None:
    """Log the conclusion, its reasons and the time it took."""
    conclusion = verdict.conclusion.value
    since = claim.trail.since
    waited = (services.clock() - since).total_seconds() if since else None
    log.info(
        "review.judged",
        pull=claim.pull_id,
        conclusion=conclusion,
        checks={check.name: check.conclusion.value for check in verdict.checks},
        reasons=public_codes(verdict),  # No more than the check says: how a person is covered is private.
        problems=sum(len(check.problems) for check in verdict.checks),
        seconds=round(seconds, 3),
        waited=None if waited is None else round(waited, 3),
    )
    tracing.annotate(conclusion=conclusion)
    metrics.VERDICTS.labels("review", conclusion).inc()
    if waited is not None:
        metrics.VERDICT_SECONDS.labels("review").observe(waited)


def _fetch_snapshot(claim: ReviewClaim, services: Services) -> PullRequestSnapshot | None:
    row = claim.row
    place = RepositoryPlace(row.installation_id, row.owner, row.name, row.repository_id)
    try:
        return gather.fetch_snapshot(place, row.number, services)
    except Missing:
        # A repository that is being moved is missing for a moment, too.
        if row.attempts < MAX_QUICK_RETRIES:
            raise
        with services.sessions() as session:
            pull_state.mark_missing(session, services.engine, claim.pull_id)
        return None


def _again_at(verdict: Verdict, since: datetime, until: datetime | None, services: Services) -> datetime | None:
    """The moment to judge again without an event: a pass when time alone may end it; a doubt after its own duration."""
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
    """Store that the pull request is judged. Raises LostClaim, which takes back what else this transaction wrote."""
    now = services.clock()
    if not REVIEWS.finish(session, services.engine, claim, at=now, again_at=again_at):
        raise LostClaim
    # Counted as news where the wait is short: it is not settled yet. What passes counts meanwhile.
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
