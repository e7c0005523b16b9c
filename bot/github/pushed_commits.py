"""Commits that a push brought to a branch, and the pull requests that brought a commit."""

from dataclasses import dataclass
from typing import Final

from agreements.facts import Commit
from bot.github.by_rest import listed_commits, optional, segment
from bot.github.client.requester_pool import PAGE_SIZE
from bot.github.client.transport import Transport
from bot.github.ports import RepositoryPlace
from bot.github.reading import rest_commit, understanding
from bot.github.renames import RepositoryClient, root

MAX_COMMITS: Final = 1000  # Of one push; ten calls.


@dataclass(frozen=True, slots=True)
class PushedCommits:
    """The `commits` of a push, a parent before its children, and GitHub's `total` of them: more than MAX_COMMITS are not read."""

    commits: tuple[Commit, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BringingPull:
    """A pull request (`number`) to the branch `base` that GitHub ties to a commit, and its `head_sha`; `merged`: whether it was."""

    number: int
    base: str
    head_sha: str
    merged: bool


class GitHubPushedCommits(RepositoryClient):
    """Pushes to branches."""

    def branch_head(self, place: RepositoryPlace, branch: str) -> str | None:
        """The SHA of the branch's newest commit; None of one that is gone."""

        def ask(transport: Transport, there: RepositoryPlace) -> str | None:
            found = optional(transport, f"{root(there)}/branches/{segment(branch)}")
            with understanding():
                return None if found is None else str(found["commit"]["sha"])

        return self._following(place, ask)

    def ahead(self, place: RepositoryPlace, base: str, head: str) -> int | None:
        """The number of commits in the past of `head` and not of `base`; None where the two have none in common."""

        def ask(transport: Transport, there: RepositoryPlace) -> int | None:
            # The commits are not read.
            found = optional(transport, f"{root(there)}/compare/{segment(base)}...{segment(head)}", {"per_page": 1})
            with understanding():
                return None if found is None else int(found["total_commits"])

        return self._following(place, ask)

    def pushed_commits(self, place: RepositoryPlace, base: str, head: str) -> PushedCommits:
        """The commits in the past of `head` and not of `base`. `Missing` when one of the two is gone."""

        def ask(transport: Transport, there: RepositoryPlace) -> PushedCommits:
            found: list[Commit] = []
            # "Use a query parameter (per_page or page) to paginate": REST, Compare two commits (@octokit/openapi 23.0.2).
            path = f"{root(there)}/compare/{segment(base)}...{segment(head)}"
            for page in range(1, MAX_COMMITS // PAGE_SIZE + 1):
                data = transport.read(path, {"per_page": PAGE_SIZE, "page": page})
                with understanding():
                    read, total = [rest_commit(item) for item in data["commits"]], int(data["total_commits"])
                found += read
                if not read or len(found) >= total:
                    break
            return PushedCommits(tuple(found), total)

        return self._following(place, ask)

    def bringing_pulls(self, place: RepositoryPlace, sha: str) -> tuple[BringingPull, ...]:
        """The repository's pull requests that brought the commit, or may yet; none for one that was pushed past them.

        Of a commit in the default branch GitHub names the merged one, of any other those open, too (REST, List pull
        requests associated with a commit).
        """

        def ask(transport: Transport, there: RepositoryPlace) -> tuple[BringingPull, ...]:
            items = list(transport.pages(f"{root(there)}/commits/{segment(sha)}/pulls"))
            with understanding():
                return tuple(
                    BringingPull(
                        number=int(item["number"]),
                        base=str(item["base"]["ref"]),
                        head_sha=str(item["head"]["sha"]),
                        merged=item["merged_at"] is not None,
                    )
                    for item in items
                    # A fork's commit may be known by a pull request to the fork.
                    if item["base"]["repo"]["id"] == there.repository_id
                )

        return self._following(place, ask)

    def pull_commits(self, place: RepositoryPlace, number: int) -> tuple[Commit, ...]:
        """The pull request's own commits, a parent before its children: 250 at most, without co-authors."""

        def ask(transport: Transport, there: RepositoryPlace) -> tuple[Commit, ...]:
            items = listed_commits(transport, there, number)
            with understanding():
                return tuple(rest_commit(item) for item in items.values())

        return self._following(place, ask)
