"""One check run speaks for a commit: it passes only when every open pull request with that head does."""

from collections.abc import Sequence

from agreements.facts import WORST_FIRST, Conclusion
from bot.store.pulls.heads import Sibling


def shared_conclusion(own: Conclusion, siblings: Sequence[Sibling]) -> Conclusion | None:
    """The conclusion for all of them: the worst; None (in progress) while one that could be worse is not known."""
    if own.passes and any(sibling.conclusion is None for sibling in siblings):
        return None
    known = [own, *(sibling.conclusion for sibling in siblings if sibling.conclusion is not None)]
    return min(known, key=WORST_FIRST.index)


def blocking_numbers(siblings: Sequence[Sibling]) -> tuple[int, ...]:
    """The numbers of the pull requests that do not pass, or not yet."""
    return tuple(one.number for one in siblings if one.conclusion is None or not one.conclusion.passes)
