"""The sweep finds what was missed: lost deliveries are sent again, open pull requests without a verdict are judged.

It shows and hides pull requests as GitHub lists their repositories. A full one also has pushes compared of which no
delivery came.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from bot.flows import lost_pushes, lot, redelivery
from bot.flows.flow_services import Services
from bot.flows.recheck import queue_reviews
from bot.flows.redelivery import CLOCK_DIFFERENCE
from bot.github.open_pulls import OpenPull, OpenPullPage
from bot.github.ports import Installation, InstallationRepository, Missing, RepositoryPlace
from bot.job_queue import Engine, Job
from bot.rulebook import effective
from bot.store import inbox, merge_groups, owners, service_record, sweeps
from bot.store.mailbox import lots
from bot.store.merge_groups import MergeGroupKey
from bot.store.pulls import heads, posts, visibility
from bot.store.pulls.heads import KnownPull
from bot.store.pulls.posts import Post, PullRequestIdentity
from bot.telemetry import metrics

SWEEP_INTERVAL: Final = timedelta(minutes=10)
# After so long all open pull requests are compared, not only those that were updated last.
FULL_SWEEP_INTERVAL: Final = timedelta(hours=6)
# A worker leaves its sweep out so shortly after another's: each counts ten minutes by its own clock.
_MIN_INTERVAL: Final = timedelta(minutes=9)
# Of several web servers that begin within this time one asks for a sweep.
WEB_START_INTERVAL: Final = timedelta(minutes=1)
_SINCE_OVERLAP: Final = timedelta(minutes=5)  # GitHub lists a failed delivery some time after it failed.
# A person may be waiting at a pull request that was updated so recently: it goes before the others.
_RECENTLY_UPDATED: Final = timedelta(hours=1)
_BATCH_REPOSITORIES: Final = 100
# What GitHub lists may be older than what these events tell.
_VISIBILITY_EVENTS: Final = ("repository", "installation", "installation_repositories")
# A job's ids are whole numbers: when a sweep was queued is known to the second.
_QUEUE_TIME_PRECISION: Final = timedelta(seconds=1)

log = structlog.get_logger()


def queue(services: Services, *, starting: bool = False, every: timedelta = _MIN_INTERVAL) -> bool:
    """A chore: queue the next sweep, a full one if `starting`; False where one was within `every`."""
    now = services.clock()
    with services.sessions() as session:
        before = sweeps.begin(session, at=now, every=timedelta(0) if starting else every)
        if before is None:  # Another process was quicker.
            return False
        full_at = sweeps.state(session).full_at
        full = starting or full_at is None or now - full_at >= FULL_SWEEP_INTERVAL
        lost = service_record.state(session).lost_deliveries or 0
        # More than one sweep sends again: the others are as old as what GitHub remembers.
        is_left = lost > redelivery.MAX_REDELIVERED
        since = now - redelivery.GITHUB_RETENTION if is_left else before - _SINCE_OVERLAP
        enqueue(session, services.engine, since=None if full else since, at=now)
    lot.repair(services)  # Found without GitHub, so at once.
    return True


def catch_up(services: Services) -> None:
    """Queue a sweep for a web server that begins."""
    try:  # GitHub sends nothing again by itself that came while no server was there.
        queue(services, every=WEB_START_INTERVAL)
    except SQLAlchemyError as error:  # A worker's next sweep finds the same.
        log.warning("sweep.not-queued", why=type(error).__name__)


def enqueue(session: Session, engine: Engine, *, since: datetime | None, at: datetime) -> None:
    """Queue a sweep of what happened since then; None: of everything, as far back as GitHub tells."""
    if since is None:
        sweeps.began_full(session, at=at)
    # Ids of jobs are whole numbers: the moment as seconds.
    begin = at - redelivery.GITHUB_RETENTION if since is None else since
    engine.enqueue(session, Job("sweep", (int(begin.timestamp()), int(since is None)), "now"))


def sweep(since: int, services: Services, *, full: bool) -> None:
    """Send lost deliveries again and queue each installation that we serve. Raises HubError."""
    begin, now = datetime.fromtimestamp(since, UTC), services.clock()
    # A newer full one finds all that this one would: a server that is started again and again has one sweep.
    if full and _is_overtaken(begin + redelivery.GITHUB_RETENTION, services):
        return
    sent, failed = redelivery.redeliver(services.hub, services.sessions, since=begin, at=now)
    metrics.SWEEP_FOUND.labels("deliveries").inc(sent)
    if failed:
        log.info("sweep.redelivered", failed=failed, redelivered=sent)
    odd: list[str] = []
    listed = services.hub.installations(on_odd=odd.append if full else None)
    here = [
        app_installation
        for app_installation in listed
        if not app_installation.suspended and app_installation.account.id in services.served
    ]
    for why in odd:
        log.warning("installations.odd", why=why)
    # An odd entry, or a login that GitHub does not know, may stand for an account that is here.
    if full and not odd and services.served.is_settled:
        _hide_all_but(here, services)
    with services.sessions() as session:
        for app_installation in here:
            services.engine.enqueue(
                session, Job("sweep-installation", (app_installation.id, app_installation.account.id, int(full)), "now")
            )


def _hide_all_but(here: Sequence[Installation], services: Services) -> None:
    """Hide the pull requests that no sweep looks at any more, and count them as closed."""
    reached = {app_installation.account.id for app_installation in here}
    with services.sessions() as session:
        gone = set(visibility.owners(session)) - reached
    for owner_id in sorted(gone):
        with services.sessions() as session:
            lost = visibility.lost_owner(session, owner_id, at=services.clock())
        if lost:
            log.info("sweep.out-of-reach", owner=owner_id, pulls=lost)


def _is_overtaken(queued_at: datetime, services: Services) -> bool:
    with services.sessions() as session:
        newest = sweeps.state(session).full_at
    return newest is not None and newest - queued_at >= _QUEUE_TIME_PRECISION


def installation(installation_id: int, owner_id: int, services: Services, *, full: bool) -> int:
    """Queue the installation's open pull requests whose head has no verdict; gives their number. Raises HubError."""
    if full:  # Where COUNTERSIGN_RULEBOOK says something else than before, all are judged again.
        _changed_file(owner_id, services)
    now = services.clock()
    try:
        reached = services.hub.listed(installation_id)
    except Missing:  # Uninstalled since the sweep listed it: its event hides what it reached, or the next full sweep.
        return 0
    _show_and_hide(reached, owner_id, services, at=now)
    listed = [repository for repository in reached if not repository.archived]
    found = sum(_repositories(some, owner_id, services, full=full) for some in lots(listed, _BATCH_REPOSITORIES))
    metrics.SWEEP_FOUND.labels("pull_requests").inc(found)
    if full:
        metrics.SWEEP_FOUND.labels("pushes").inc(lost_pushes.queue(listed, owner_id, services))
    if found:
        log.info("sweep.found", owner=owner_id, repositories=len(listed), pulls=found)
    return found


def _show_and_hide(
    reached: Sequence[InstallationRepository], owner_id: int, services: Services, *, at: datetime
) -> None:
    """Show and hide the stored pull requests of the account as GitHub, asked at that moment, lists its repositories."""
    is_private = {repository.place.repository_id: repository.private for repository in reached}
    with services.sessions() as session:
        stored = visibility.of_owner(session, owner_id)
        is_sure = not _has_news(session, at)
    lost = 0
    for repository_id, state in stored.items():
        private = is_private.get(repository_id)
        if private is None and is_sure and (state.shown or state.open):
            with services.sessions() as session:
                lost += visibility.lost_repository(session, repository_id, at=at)
        elif (private is True and state.shown) or (private is False and state.hidden and is_sure):
            with services.sessions() as session:
                visibility.set_private(session, repository_id, private=private)
                # Asked once the rows are locked: the job of an event that comes from now on hides them after this.
                if not private and _has_news(session, at):
                    session.rollback()
    if lost:
        log.info("sweep.out-of-reach", owner=owner_id, pulls=lost)


def _has_news(session: Session, listed_at: datetime) -> bool:
    """Whether an event came since GitHub was asked for its list, which knows better: only what hides is believed then."""
    return inbox.came(session, _VISIBILITY_EVENTS, since=listed_at - CLOCK_DIFFERENCE)


def _changed_file(owner_id: int, services: Services) -> None:
    if services.organization_file is None:
        return
    text = services.organization_file[1]  # Read when the server starts: no push tells that it changed.
    valid = effective.is_valid(text, services.texts)
    with services.sessions() as session:
        if owners.remember_rules(session, owner_id, text, valid=valid, at=services.clock()):
            services.engine.enqueue(session, Job("account", (owner_id,), "later"))


def _repositories(listed: Sequence[InstallationRepository], owner_id: int, services: Services, *, full: bool) -> int:
    pages = services.hub.open_pulls(listed[0].place.installation, [repository.node for repository in listed])
    # Nothing is found there that no webhook told of.
    if left_out := sum(repository.node not in pages for repository in listed):
        log.warning("sweep.repositories-not-read", owner=owner_id, repositories=left_out)
    with services.sessions() as session:
        known = heads.open_pulls(
            session, [repository.place.repository_id for repository in listed], at=services.clock()
        )
    return sum(
        _repository(repository, pages[repository.node], known, owner_id, services, full=full)
        for repository in listed
        if repository.node in pages
    )


def _repository(
    listed: InstallationRepository,
    page: OpenPullPage,
    known: Mapping[tuple[int, int], KnownPull],
    owner_id: int,
    services: Services,
    *,
    full: bool,
) -> int:
    place = listed.place
    mine = {number: pull for (repository_id, number), pull in known.items() if repository_id == place.repository_id}
    pulls, lost = list(page.pulls), _without_verdict(page, mine)
    # Updated last first: behind a page without news there is none.
    while page.cursor and (full or _without_verdict(page, mine)):
        try:
            page = services.hub.more_open_pulls(place.installation, listed.node, page.cursor)
        except Missing:  # Deleted, or taken from the App, between two pages.
            break
        pulls += page.pulls
        lost += _without_verdict(page, mine)
    # Only a whole list shows that a pull request is not open any more.
    closed = (
        []
        if page.cursor
        else [known_pull for known_pull in mine.values() if known_pull.number not in {pull.number for pull in pulls}]
    )
    _post(lost, place, owner_id, services)
    with services.sessions() as session:
        _merge_groups(session, pulls, place, owner_id, services)
    queue_reviews([pull.id for pull in closed if not pull.is_pending], services, "later")
    return len(lost)


def _post(lost: Sequence[OpenPull], place: RepositoryPlace, owner_id: int, services: Services) -> None:
    now = services.clock()
    for some in lots(lost):  # A lot that a crash has repeated is at worst judged once more.
        found = [
            Post(
                pull=PullRequestIdentity.of(place, pull.number, owner_id),
                queue="now" if now - pull.updated_at <= _RECENTLY_UPDATED else "later",
                after=pull.head_sha,
            )
            for pull in some
        ]
        with services.sessions() as session:
            posts.post_all(session, services.engine, found)


def _merge_groups(
    session: Session, pulls: Sequence[OpenPull], place: RepositoryPlace, owner_id: int, services: Services
) -> None:
    """Have the groups judged that we never heard of."""
    # Each trial merge may be a group, and its queue waits for our check.
    trials = {MergeGroupKey(place.repository_id, pull.trial_sha): pull for pull in pulls if pull.trial_sha}
    for group in sorted(trials.keys() - merge_groups.known(session, trials)):
        pull = trials[group]
        where = PullRequestIdentity.of(place, pull.number, owner_id)
        merge_groups.requested(session, services.engine, group, where, pull.base, at=services.clock())
        log.info("sweep.merge-group-found", repository=f"{place.owner}/{place.name}", head=group.head_sha)


def _without_verdict(page: OpenPullPage, known: Mapping[int, KnownPull]) -> list[OpenPull]:
    return [
        pull
        for pull in page.pulls
        if (known_pull := known.get(pull.number)) is None
        or (known_pull.judged != pull.head_sha and not known_pull.is_pending)
    ]
