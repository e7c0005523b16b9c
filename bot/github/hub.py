"""All of GitHub that Countersign uses: what flows, pages and commands are given."""

from bot.clock import Clock
from bot.github.app_registration import GitHubAppRegistration
from bot.github.availability import GitHubState
from bot.github.check_runs import GitHubChecks
from bot.github.client.transport_pool import TransportPool
from bot.github.comments import GitHubComments
from bot.github.contents.blobs import GitHubBlobs
from bot.github.contents.changed_lines import GitHubChangedLines
from bot.github.contents.clean_reverts import GitHubCleanReverts
from bot.github.contents.sbom import GitHubSboms
from bot.github.contents.trees import GitHubTrees
from bot.github.delivery_log import GitHubDeliveries
from bot.github.merge_queue import GitHubMergeQueues
from bot.github.open_pulls import GitHubOpenPulls
from bot.github.ports import AppIdentity
from bot.github.proposals import GitHubProposals
from bot.github.protected_branches import GitHubProtectedBranches
from bot.github.pull_requests import GitHubPulls
from bot.github.push_activity import GitHubPushes
from bot.github.pushed_commits import GitHubPushedCommits
from bot.github.repositories import GitHubRepositories
from bot.github.required_checks import GitHubRequiredChecks


class Hub(
    GitHubPulls, GitHubPushes, GitHubOpenPulls, GitHubDeliveries, GitHubChecks, GitHubComments, GitHubRepositories,
    GitHubTrees, GitHubBlobs, GitHubSboms, GitHubProposals, GitHubMergeQueues, GitHubAppRegistration,
    GitHubRequiredChecks, GitHubProtectedBranches, GitHubChangedLines, GitHubPushedCommits, GitHubCleanReverts,
):  # fmt: skip
    """One for each App; many threads may use it. Its methods stand in the classes above, by subject."""

    def __init__(self, pool: TransportPool, now: Clock) -> None:
        super().__init__(pool, now)
        self._control = pool.control

    def identity(self, *, again: bool = False) -> AppIdentity:
        """The App's identity, asked once, or `again`: proof that App id and private key fit together, or `Refused`."""
        return self._pool.identity(again=again)

    def state(self, installation: int | None = None) -> GitHubState:
        """The state that a call for that installation (None: for the App) meets now: the worse of GitHub's as a whole and its own."""
        return self._control.state("app" if installation is None else installation)

    def states(self) -> tuple[GitHubState, ...]:
        """The state of GitHub as a whole first, then of each caller for whom a call was made."""
        return self._control.states()

    def probe(self) -> int:
        """Send one cheap call for each caller whose wait is over; gives how many. To be called each second or so."""
        return self._pool.probe()

    def share_writes(self, among: int) -> None:
        """So many processes write, this one included: they share GitHub's limit for writes."""
        self._control.share_writes(among)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()
