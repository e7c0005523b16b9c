"""Who pushed the commits of a pull request: known from events, else asked of GitHub, else unknown."""

from collections.abc import Collection, Iterable

import structlog

from agreements.facts import Account, Sender
from bot.flows import redelivery
from bot.flows.flow_services import Services
from bot.flows.journey import TryAgain
from bot.github.ports import History, HubError, PullRequestSnapshot
from bot.job_queue import QueueName
from bot.store.pulls import pushes, review_mailbox
from bot.store.pulls.pushes import PushHistory
from bot.store.pulls.review_mailbox import ReviewClaim

log = structlog.get_logger()


def is_behind(claim: ReviewClaim, known: PushHistory, head_sha: str) -> bool:
    """True when GitHub shows an older head than the push that it told us of last, or the events came out of order."""
    last = pushes.last(known, claim.latest)
    return last is not None and last.after != head_sha and last.sequence > claim.row.evaluated


def unknown_pushes(
    claim: ReviewClaim, known: PushHistory, snapshot: PullRequestSnapshot, services: Services, *, asked: bool
) -> tuple[str, ...]:
    """The heads whose pusher nobody can tell: we were not told of the push, and GitHub was asked and does not say.

    `asked`: whether the rules ask for pushers; if not, a GitHub that does not answer now holds up no verdict.

    Raises TryAgain when something came in after the claim, perhaps just that, or GitHub said who it was: the next
    review has them. What GitHub could not deliver is sent again meanwhile. Raises HubError.
    """
    chain = pushes.chain(known, claim.latest, snapshot.head_sha)
    missing = chain.missing(snapshot.head_sha)
    if not missing:
        return ()
    with services.sessions() as session:
        pull = review_mailbox.get(session, claim.pull_id)
    if pull is not None and pull.latest > claim.latest:
        raise TryAgain("a newer push is waiting")
    try:
        recorded = services.hub.pushes(snapshot)
    except HubError as error:
        if asked:
            raise
        log.warning("pushes.not-looked-up", pull=claim.pull_id, why=str(error))
        return tuple(sorted(missing))
    found = pushes.pushes_to_missing_heads(missing, recorded, chain.heads | chain.seen)
    if found:
        with services.sessions() as session:
            for push in found:
                queue: QueueName = "now" if claim.row.urgent else "later"
                sequence = review_mailbox.enqueue_review(session, services.engine, claim.pull_id, queue=queue)
                before = push.before or pushes.NO_COMMIT
                pushes.record(session, claim.pull_id, push.account, after=push.after, before=before, sequence=sequence)
        raise TryAgain("GitHub was asked who pushed")
    try:
        redelivery.redeliver_of(snapshot.place, services)
    except HubError as error:  # what is known is said all the same, and the next review asks for them again
        log.warning("pushes.not-redelivered", pull=claim.pull_id, why=str(error))
    return tuple(sorted(missing))


def senders(
    accounts: Iterable[Account],
    snapshot: PullRequestSnapshot,
    history: History,
    services: Services,
    *,
    check: Collection[str],
) -> tuple[Sender, ...]:
    """Who pushed commits that are still in the pull request; GitHub is asked who may write, for those on whom it may depend.

    `check`: whom the rules ask for.
    """
    known = _judged_anyway(snapshot, history, check)
    return tuple(
        Sender(account, account.id not in known and services.hub.role(snapshot.place, account) != "none")
        for account in accounts
    )


def _judged_anyway(snapshot: PullRequestSnapshot, history: History, check: Collection[str]) -> frozenset[int]:
    """Ids of the opener and of authors, whom the rules ask for whoever may write; a merge of the base makes no author."""
    found = [snapshot.opener] if "opener" in check else []
    if "authors" in check:
        found += [commit.author_account for commit in history.commits if len(commit.parents) < 2]
    return frozenset(one.id for one in found if one is not None)
