"""Open pull requests of many repositories at once, by GraphQL, the most recently updated first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog

from bot.github.client.graphql_errors import Withheld, judge_graphql, withheld_nodes
from bot.github.documents import MORE_OPEN_PULLS, OPEN_PULLS
from bot.github.ports import Missing
from bot.github.reading import Garbled, Json, moment, next_page, understanding
from bot.github.renames import RepositoryClient

log = structlog.get_logger()

_UNNEEDED = "pullRequests.nodes.*.mergeQueueEntry"  # A merge group that is missed here is heard of by its event.
REPOSITORIES_PER_QUERY = 100  # GitHub takes no more; with ten pull requests of each, the query stays cheap.


@dataclass(frozen=True, slots=True)
class OpenPull:
    """An open pull request: the `number`, `head_sha`, `updated_at` and `base` branch that GitHub shows for it now.

    `trial_sha`: the commit of its trial merge while it waits in the merge queue of its base branch, "" else.
    """

    number: int
    head_sha: str
    updated_at: datetime
    base: str
    trial_sha: str


@dataclass(frozen=True, slots=True)
class OpenPullPage:
    """Open `pulls` of one repository, the most recently updated first; `cursor` None means there are no more."""

    pulls: tuple[OpenPull, ...]
    cursor: str | None


class GitHubOpenPulls(RepositoryClient):
    """The open pull requests of many repositories at once."""

    def open_pulls(self, installation: int, nodes: Sequence[str]) -> Mapping[str, OpenPullPage]:
        """The first page of each repository, by its GraphQL id. One that is gone or withheld is left out.

        A hundred with each query; `Unavailable` while GraphQL is of no use: REST would need a request for each repository.
        """
        transport = self._pool.installation(installation)
        found: dict[str, OpenPullPage] = {}
        for start in range(0, len(nodes), REPOSITORIES_PER_QUERY):
            asked = list(nodes[start : start + REPOSITORIES_PER_QUERY])
            answer = transport.query(OPEN_PULLS, {"nodes": asked})
            withheld = judge_graphql(answer, optional=("nodes.*",))
            lost = withheld_nodes(field for field in withheld if not field.is_within(f"nodes.*.{_UNNEEDED}"))
            with understanding():
                pages = list(zip(asked, answer.data["nodes"], strict=True))
            for at, (node, repository) in enumerate(pages):
                page = None if at in lost else _page_of(repository)
                found |= {} if page is None else {node: page}
        return found

    def more_open_pulls(self, installation: int, node: str, cursor: str) -> OpenPullPage:
        """The next hundred of one repository. `Missing` when it went away meanwhile, or GitHub shows no more of it."""
        answer = self._pool.installation(installation).query(MORE_OPEN_PULLS, {"node": node, "after": cursor})
        try:
            judge_graphql(answer, optional=(f"node.{_UNNEEDED}",))
        except Withheld as error:
            raise Missing(str(error)) from error
        page = _page_of(answer.data.get("node"))
        if page is None:
            raise Missing("the repository was not found, or the App may not read it")
        return page


def _page_of(repository: Json | None) -> OpenPullPage | None:
    if not repository or "pullRequests" not in repository:
        return None
    try:
        with understanding():
            found = repository["pullRequests"]
            return OpenPullPage(tuple(_pull(node) for node in found["nodes"] if node), next_page(found))
    except Garbled as error:  # Half an answer about one repository must not stop the others.
        log.warning("open-pulls.left-out", why=str(error))
        return None


def _pull(node: Json) -> OpenPull:
    trial = (node.get("mergeQueueEntry") or {}).get("headCommit") or {}
    return OpenPull(
        number=int(node["number"]),
        head_sha=str(node["headRefOid"]),
        updated_at=moment(node["updatedAt"]),
        base=str(node["baseRefName"]),
        trial_sha=str(trial.get("oid") or ""),
    )
