"""When a pull request's commits are complete: counted, unique, and of one head from the first page to the last."""

from agreements.completeness import AUTHORS, CHANGED, COAUTHORS, DIFFERS, MOVED, NO_COUNT, NO_HEAD
from agreements.facts import Commit
from bot.github.ports import History, PullRequestSnapshot


def settle(
    snapshot: PullRequestSnapshot, *, commits: tuple[Commit, ...], head_sha: str, count: int | None, doubt: str = ""
) -> History:
    """The history from all that was read; `head_sha` and `count` as of the last page, `doubt` what is known already.

    That co-authors are missing says least: any other doubt goes before it.
    """
    unique = {commit.sha: commit for commit in commits}
    found = _doubt(snapshot, frozenset(unique), head_sha, count)
    found = found or doubt if doubt in (AUTHORS, COAUTHORS) else doubt or found
    return History(snapshot.head_sha, count, tuple(unique.values()), found)


def _doubt(snapshot: PullRequestSnapshot, shas: frozenset[str], head_sha: str, count: int | None) -> str:
    if head_sha != snapshot.head_sha:
        return MOVED
    if count is None or snapshot.commit_count is None:
        return NO_COUNT
    if count != snapshot.commit_count:
        return CHANGED
    if len(shas) != count:
        return DIFFERS
    return NO_HEAD if shas and snapshot.head_sha not in shas else ""
