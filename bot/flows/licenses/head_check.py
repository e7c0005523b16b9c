"""The check of what the pull requests with a head change about licences: before and after are compared and shown."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time
from functools import partial

import structlog
from structlog.contextvars import bound_contextvars

from audit.licenses.data_age import outdated
from audit.verdict.pull_request import Severity
from audit.verdict.repository_verdict import Judge
from bot.clock import monotonic
from bot.flows import gather, journey
from bot.flows.flow_services import Services
from bot.flows.journey import Journey, LostClaim, shown_when_slow
from bot.flows.licenses import check_publisher
from bot.flows.licenses.before_and_after import change, touches
from bot.flows.licenses.check_publisher import LicensePublisher, publisher_of
from bot.flows.publishing.review_publisher import language
from bot.github.ports import PullRequestSnapshot, RepositoryPlace, Unreachable
from bot.report import license_check
from bot.report.check_run import Language
from bot.report.license_check import PullOutcome
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.store import license_checks
from bot.store.license_checks import LICENSE_CHECKS, LicenseClaim
from bot.store.pulls import delivery_trail
from bot.store.pulls.delivery_trail import HeadTrail
from bot.telemetry import metrics, tracing

log = structlog.get_logger()


def judge_licenses(claim: LicenseClaim, services: Services) -> None:
    """Judge what the pull requests with that head change by now; safe to run twice, late or beside itself."""
    head = claim.head
    with services.sessions() as session:
        trail = delivery_trail.of_head(session, head.repository_id, head.sha)
    about = trail.about
    guids = [str(about["delivery"])] if "delivery" in about else []
    with bound_contextvars(**about, head=head.sha), tracing.job("licenses", guids, about):
        Journey(
            name="licenses",
            about={},
            judge=lambda: _judge(claim, trail, services),
            show_doubt=lambda why: check_publisher.could_not_judge(claim, services, why),
            give_up=lambda why, wait: journey.give_up(LICENSE_CHECKS, claim, services, why, wait),
            write_anew=lambda: check_publisher.write_anew(head, services),
        ).run()


def _judge(claim: LicenseClaim, trail: HeadTrail, services: Services) -> None:
    begun = monotonic()
    snapshots = tuple(_fetch_snapshots(claim, services))
    rulebook = gather.rulebook(snapshots[0], services) if snapshots else None
    if rulebook is None or gather.is_quiet(snapshots[0].place, snapshots[0].rule_files, rulebook, services):
        return _finish(claim, services, None)
    again_at = None
    publisher = publisher_of(claim, snapshots[0], services)
    if isinstance(rulebook, RulebookProblem):  # A run that is there would go on showing what the old rules said.
        if publisher.is_there:
            asked = [PullOutcome(snapshot.number, snapshot.base, rulebook) for snapshot in snapshots]
            _show(publisher, asked, "both", begun, trail)
    elif not rulebook.policy.stated:
        if publisher.is_there:
            publisher.put(license_check.not_asked_for(_comment_language(rulebook, snapshots)), "neutral")
    else:
        again_at = _compare(publisher, snapshots, rulebook, begun, trail)
    return _finish(claim, services, again_at)


def _compare(
    publisher: LicensePublisher,
    snapshots: Sequence[PullRequestSnapshot],
    rulebook: Rulebook,
    begun: float,
    trail: HeadTrail,
) -> datetime | None:
    """Show the change that each pull request with the head asks for; nothing where none touches what is read.

    Gives when time alone may change what was shown; None for never.
    """
    services = publisher.services
    since = rulebook.rules.since
    asking = [snapshot for snapshot in snapshots if since is None or snapshot.created_at >= since]
    files = [services.hub.files(snapshot) for snapshot in asking]
    if not asking or not (publisher.is_there or any(touches(file, rulebook.policy.headers) for file in files)):
        return None
    comment_language = _comment_language(rulebook, snapshots)
    judge = Judge(rulebook.policy, services.licenses(), services.clock().date())
    show = partial(publisher.in_progress, comment_language)
    try:
        with shown_when_slow(show, begun=begun):
            asked = []
            for snapshot, touched in zip(asking, files, strict=True):
                # Each takes seconds or minutes: another run must not take the head over meanwhile.
                journey.hold(LICENSE_CHECKS, publisher.claim, services)
                old = outdated((judge.data.date,), services.clock())
                found = change(snapshot, touched, judge, services)
                asked.append(PullOutcome(snapshot.number, snapshot.base, found, old))
    except Exception:
        show()  # Why it could not be judged is said on a run that is there.
        raise
    _show(publisher, asked, comment_language, begun, trail)
    # A waiver ends with the beginning of its day, UTC.
    ends = (datetime.combine(waiver.until, time.min, UTC) for waiver in rulebook.policy.waivers)
    return min((end for end in ends if end > services.clock()), default=None)


def _reasons(asked: PullOutcome) -> Iterator[str]:
    """The reasons why it does not pass: codes of the rulebook and of findings, and of what happens to dependencies."""
    if isinstance(asked.found, RulebookProblem):
        yield asked.found.code
        return
    yield from (finding.finding.code for finding in asked.found.findings if finding.weight is not Severity.TOLD)
    yield from (f"dependency/{move.kind.value}" for move in asked.found.moves if move.fails)


def _show(
    publisher: LicensePublisher,
    asked: Sequence[PullOutcome],
    comment_language: Language,
    begun: float,
    trail: HeadTrail,
) -> None:
    conclusion = license_check.conclusion(asked)
    publisher.put(license_check.check_run(asked, comment_language), conclusion.value)
    log.info(
        "licenses.judged",
        pulls=[outcome.number for outcome in asked],
        conclusion=conclusion.value,
        reasons=sorted({code for outcome in asked for code in _reasons(outcome)}),
        seconds=round(monotonic() - begun, 3),
    )
    metrics.VERDICTS.labels("licenses", conclusion.value).inc()
    # Only the first judgement of a head is measured: no person waits for the ones after a change of rules.
    if publisher.claim.latest == 1 and trail.received_at is not None:
        waited = publisher.services.clock() - trail.received_at
        metrics.VERDICT_SECONDS.labels("licenses").observe(waited.total_seconds())


def _fetch_snapshots(claim: LicenseClaim, services: Services) -> Iterator[PullRequestSnapshot]:
    """The open pull requests with that head, as GitHub has them now, of accounts that we serve. Raises HubError."""
    with services.sessions() as session:
        known = [
            (RepositoryPlace(pull.installation_id, pull.owner, pull.name, pull.repository_id), pull.number)
            for pull in license_checks.open_pulls(session, claim.head)
        ]
    for place, number in known:
        snapshot = gather.fetch_snapshot(place, number, services)
        if snapshot.state != "open" or snapshot.owner_id not in services.served:
            continue
        # GitHub shows an older head than the one that we were told of, or we will be told of a newer one.
        if snapshot.head_sha != claim.head.sha:
            raise Unreachable("GitHub does not show the newest commit of the pull request yet")
        yield snapshot


def _comment_language(rulebook: Rulebook, snapshots: Sequence[PullRequestSnapshot]) -> Language:
    found = {language(rulebook.rules.comment_language, snapshot) for snapshot in snapshots}
    return found.pop() if len(found) == 1 else "both"  # They share the run.


def _finish(claim: LicenseClaim, services: Services, again_at: datetime | None) -> None:
    with services.sessions() as session:
        if not LICENSE_CHECKS.finish(session, services.engine, claim, at=services.clock(), again_at=again_at):
            raise LostClaim
