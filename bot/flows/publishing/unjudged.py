"""The notice on a head that it could not be judged, and why."""

from contextlib import suppress
from functools import partial

from bot.flows.flow_services import Services
from bot.flows.gather import is_quiet_at
from bot.flows.journey import hold
from bot.flows.publishing import published_items
from bot.flows.publishing.review_publisher import NAME, check_again, place_of
from bot.github.ports import CheckRun, HubError
from bot.report import check_run
from bot.store import inbox
from bot.store.pulls import heads, pull_state, review_mailbox
from bot.store.pulls.named_pulls import FoundPull
from bot.store.pulls.published_item_rows import PullRequestItem
from bot.store.pulls.review_mailbox import REVIEWS, ReviewClaim
from bot.webhook import external_ids


def could_not_judge(claim: ReviewClaim, services: Services, why: str) -> None:
    """Say on the newest head that it could not be judged; a failure to say so changes nothing."""
    with suppress(HubError):
        with services.sessions() as session:
            pull = review_mailbox.get(session, claim.pull_id)
        if pull is None or pull.owner_id not in services.served:
            return
        if not pull.head_sha:  # Never looked at: even its head is to be asked for.
            pull = _seen(pull, services)
        if pull is None or not pull.head_sha or _is_kept_quiet(pull, services):
            return
        # Also where a run is there: it may be green for another pull request.
        is_first = _show_doubt(claim, pull, services, why)
        if is_first and pull.updated_at is None:
            _seen(pull, services)


def _show_doubt(claim: ReviewClaim, pull: FoundPull, services: Services, why: str) -> bool:
    with services.sessions() as session:
        keeper = heads.keep(session, pull.repository_id, pull.head_sha, claim.pull_id, pull.number)
        item = PullRequestItem(keeper.pull_id, "check", pull.head_sha)
        is_first = item.get(session) is None
        siblings = heads.siblings(session, pull.repository_id, pull.head_sha, claim.pull_id)
        since = inbox.waiting_since(session, claim.pull_id)
    if is_first and not pull.open:  # A closed pull request gets no first run.
        return False
    text = check_run.could_not_judge(why, since, judged=pull.evaluated_at, is_first=is_first)
    run = CheckRun(
        name=NAME,
        head_sha=pull.head_sha,
        external_id=external_ids.of_pull(pull.repository_id, keeper.number),
        details_url=f"{services.url}/pr/{pull.owner}/{pull.name}/{pull.number}",
        title=text.title,
        summary=text.summary,
        # Most outages end before the second try: in progress until then.
        conclusion=None if is_first else "action_required",
        buttons=() if is_first else (check_again("both"),),
    )
    writer = published_items.check_writer(place_of(pull), run, services.hub)
    held = partial(hold, REVIEWS, claim, services)
    published_items.put(item, writer, services, hold=held, shared=bool(siblings), since=services.clock())
    return is_first


def _seen(pull: FoundPull, services: Services) -> FoundPull | None:
    found = services.hub.fetch_head(place_of(pull), pull.number)
    if pull.id is None or found.place.repository_id != pull.repository_id:  # Another repository has the name by now.
        return None
    with services.sessions() as session:
        pull_state.seen(session, services.engine, pull, found)
        return review_mailbox.get(session, pull.id)


def _is_kept_quiet(pull: FoundPull, services: Services) -> bool:
    if pull.evaluated_at is not None or pull.quiet:  # As the rules said when it was judged.
        return pull.quiet
    try:
        return is_quiet_at(place_of(pull), services)
    except HubError:  # Not known: an outage is not to be silent.
        return False
