"""When a pull request's commits are complete: counted, unique, and of one head from the first page to the last."""

from agreements.facts import Commit
from bot.hub.ports import History, Look


def settle(look: Look, *, commits: tuple[Commit, ...], head_sha: str, count: int | None, why: str = "") -> History:
    """The history from all that was read; `head_sha` and `count` as of the last page, `why` a doubt known already."""
    unique = {commit.sha: commit for commit in commits}
    cause = why or look.doubt or _cause(look, frozenset(unique), head_sha, count)
    return History(look.head_sha, count, tuple(unique.values()), complete=not cause, why=cause)


def _cause(look: Look, shas: frozenset[str], head_sha: str, count: int | None) -> str:
    if head_sha != look.head_sha:
        return "the head moved while the commits were read"
    if count is None or look.commit_count is None:
        return "GitHub did not say how many commits there are"
    if count != look.commit_count:
        return "the number of commits changed while they were read"
    if len(shas) != count:
        return f"{len(shas)} of {count} commits could be read"
    if shas and look.head_sha not in shas:
        return "the head is not among the commits"
    return ""
