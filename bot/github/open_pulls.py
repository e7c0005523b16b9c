"""Open pull requests of many repositories at once, by GraphQL, the most recently updated first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.github.client.failures import judge_graphql
from bot.github.client.transport import Json
from bot.github.documents import MORE_OPEN_PULLS, OPEN_PULLS
from bot.github.ports import Missing
from bot.github.reading import moment, next_page, understanding
from bot.github.renames import RepositoryClient

REPOSITORIES_PER_QUERY = 100
"""Repositories in one query, the most that GitHub takes: with ten pull requests of each it stays a cheap one."""


@dataclass(frozen=True, slots=True)
class OpenPull:
    """An open pull request and the head that GitHub shows for it now.

    `trial_sha`: the commit of its trial merge while it waits in the merge queue of its base branch, "" else.
    """

    number: int
    head_sha: str
    updated_at: datetime
    base: str
    trial_sha: str


@dataclass(frozen=True, slots=True)
class OpenPullPage:
    """Open pull requests of one repository, the most recently updated first; `cursor` None means there are no more."""

    pulls: tuple[OpenPull, ...]
    cursor: str | None


class OpenPulls(Protocol):
    """Which pull requests are open, many repositories at once."""

    def open_pulls(self, installation: int, nodes: Sequence[str]) -> Mapping[str, OpenPullPage]:
        """The first page of each repository, by its GraphQL id; 100 repositories for each request. One that is gone is left out."""

    def more_open_pulls(self, installation: int, node: str, cursor: str) -> OpenPullPage:
        """The next page of one repository."""


class GitHubOpenPulls(RepositoryClient):
    """Fulfils OpenPulls."""

    def open_pulls(self, installation: int, nodes: Sequence[str]) -> Mapping[str, OpenPullPage]:
        """`Unavailable` while GraphQL is of no use: REST would need a request for each repository."""
        transport = self._pool.installation(installation)
        found: dict[str, OpenPullPage] = {}
        for start in range(0, len(nodes), REPOSITORIES_PER_QUERY):
            asked = list(nodes[start : start + REPOSITORIES_PER_QUERY])
            answer = transport.query(OPEN_PULLS, {"nodes": asked})
            judge_graphql(answer, optional=("nodes",))
            with understanding():
                pages = zip(asked, answer.data["nodes"], strict=True)
                found |= {node: _page(one["pullRequests"]) for node, one in pages if one and "pullRequests" in one}
        return found

    def more_open_pulls(self, installation: int, node: str, cursor: str) -> OpenPullPage:
        """A hundred more. `Missing` when the repository went away meanwhile."""
        answer = self._pool.installation(installation).query(MORE_OPEN_PULLS, {"node": node, "after": cursor})
        judge_graphql(answer, optional=("node",))
        with understanding():
            repository = answer.data["node"]
            if repository and "pullRequests" in repository:
                return _page(repository["pullRequests"])
        raise Missing("the repository was not found, or the App may not read it")


def _page(connection: Json) -> OpenPullPage:
    return OpenPullPage(tuple(_pull(one) for one in connection["nodes"] if one), next_page(connection))


def _pull(node: Json) -> OpenPull:
    trial = (node["mergeQueueEntry"] or {}).get("headCommit") or {}
    return OpenPull(
        number=int(node["number"]),
        head_sha=str(node["headRefOid"]),
        updated_at=moment(node["updatedAt"]),
        base=str(node["baseRefName"]),
        trial_sha=str(trial.get("oid") or ""),
    )
