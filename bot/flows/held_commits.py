"""What protected branches hold, or held before a commit was reverted: asked of GitHub only where a verdict depends on it."""

from dataclasses import replace

import structlog

from agreements.facts import Facts
from agreements.judge import merged_matters, reverts_matter
from bot.flows.flow_services import Services
from bot.flows.publishing.review_publisher import NAME
from bot.github.ports import History, Missing, PullRequestSnapshot, Refused, RevertClaim

log = structlog.get_logger()


def with_held(facts: Facts, snapshot: PullRequestSnapshot, history: History, services: Services) -> Facts:
    """The facts, with what is known of the commits because protected branches hold them, or those that they revert."""
    return _with_reverts(_with_merged(facts, snapshot, history, services), snapshot, services)


def _with_merged(facts: Facts, snapshot: PullRequestSnapshot, history: History, services: Services) -> Facts:
    """The facts, with what protected branches hold, where it matters; not known where GitHub refuses to say."""
    wanted = merged_matters(facts)
    if not wanted:  # The usual case costs no request.
        return facts
    try:
        merged = services.hub.merged(snapshot.place, history, wanted, NAME)
    except (Missing, Refused) as error:  # It stays so: the commits need a sign-off.
        log.warning("merged.not-looked-up", why=str(error))
        return facts
    commits = (
        replace(commit, merged=commit.sha in merged) if commit.sha in wanted else commit for commit in facts.commits
    )
    return replace(facts, commits=tuple(commits))


def _with_reverts(facts: Facts, snapshot: PullRequestSnapshot, services: Services) -> Facts:
    """The facts, with which commits are clean reverts, where it matters; not known where GitHub refuses to say."""
    wanted = reverts_matter(facts)
    if not wanted:
        return facts
    parents = {commit.sha: commit.parents[0] for commit in facts.commits if commit.sha in wanted}
    claims = [RevertClaim(sha, parents[sha], reverted) for sha, reverted in wanted.items()]
    try:
        clean = services.hub.reverts(snapshot.place, claims, NAME)
    except (Missing, Refused) as error:  # It stays so: the commits need a sign-off.
        log.warning("reverts.not-looked-up", why=str(error))
        return facts
    commits = (
        replace(commit, reverts=commit.sha in clean) if commit.sha in wanted else commit for commit in facts.commits
    )
    return replace(facts, commits=tuple(commits))
