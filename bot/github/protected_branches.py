"""The commits that protected branches hold already, proven by SHA: by the commit from which a branch and a head both come."""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import Final

from agreements.facts import Commit
from bot.github.client.transport import Transport
from bot.github.contents.trees import merge_base
from bot.github.ports import History, Missing, RepositoryPlace
from bot.github.reading import understanding
from bot.github.renames import RepositoryClient, root
from bot.github.required_checks import RequiredCheck, required

MAX_HEADS: Final = 1000  # Of one repository; ten calls.
MAX_BRANCHES: Final = 20  # One call each; what only further branches hold counts as not held.


class GitHubProtectedBranches(RepositoryClient):
    """Protected branches."""

    def protected_heads(self, place: RepositoryPlace) -> dict[str, str]:
        """The newest commit of each protected branch, by the branch's name; MAX_HEADS at most."""
        return self._following(place, lambda transport, there: dict(islice(_protected(transport, there), MAX_HEADS)))

    def merged(self, place: RepositoryPlace, history: History, wanted: Collection[str], check: str) -> frozenset[str]:
        """The SHAs of those `wanted` of the history's commits that a protected branch holds which requires this App's `check`."""
        ours = RequiredCheck(check, self._pool.app_id)

        def ask(transport: Transport, there: RepositoryPlace) -> frozenset[str]:
            def held_by(newest: str, _left: Collection[str]) -> frozenset[str]:
                return _held(transport, there, newest, history)

            return held(transport, there, wanted, ours, held_by)

        return self._following(place, ask)


def held(
    transport: Transport,
    place: RepositoryPlace,
    wanted: Collection[str],
    ours: RequiredCheck,
    held_by: Callable[[str, Collection[str]], Collection[str]],
) -> frozenset[str]:
    """Those `wanted` that a protected branch holds which requires `ours`; `held_by` says what a newest commit holds of those left."""
    left = set(wanted)
    for branch, newest in islice(_protected(transport, place), MAX_BRANCHES):
        found = left.intersection(held_by(newest, left))
        # A rule that only forbids to delete a branch protects it, too, and has had no commit judged.
        if found and ours in required(transport, place, branch):
            left -= found
        if not left:
            break
    return frozenset(wanted) - left


def _protected(transport: Transport, place: RepositoryPlace) -> Iterator[tuple[str, str]]:
    """The name and the newest commit of each branch that classic protection or a ruleset protects."""
    # "Only branches protected by branch protections or rulesets": REST, List branches (@octokit/openapi 23.0.2).
    for item in transport.pages(f"{root(place)}/branches", {"protected": "true"}):
        with understanding():
            # A server that does not know the parameter lists all.
            if item["protected"] is True:
                yield str(item["name"]), str(item["commit"]["sha"])


def _held(transport: Transport, place: RepositoryPlace, newest: str, history: History) -> frozenset[str]:
    """The SHAs of the history's commits that are in the past of `newest`."""
    try:
        # By SHA on both sides: a tag may have the branch's name.
        start = merge_base(transport, root(place), newest, history.head_sha)
    except Missing:  # They have no common past.
        return frozenset()
    return frozenset(past(history.commits, start))


def past(commits: Iterable[Commit], start: str) -> Iterator[str]:
    """SHAs of the commit `start` and of its ancestors, as far as they are among these commits."""
    parents, waiting = {commit.sha: commit.parents for commit in commits}, [start]
    while waiting:
        sha = waiting.pop()
        if sha in parents:
            yield sha
            waiting += parents.pop(sha)
