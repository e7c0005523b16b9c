"""Where the graph of a repository's packages begins, so that a way leads from the repository to each of them."""

from collections.abc import Collection, Mapping


def entries(needs: Mapping[str, Collection[str]], asked: Collection[str]) -> frozenset[str]:
    """The packages that hang on the repository itself: those it asks for, and what nothing that is reached leads to.

    `needs` has every package, with those that it brings. Of packages that only bring each other, in a ring, the first by
    name is taken.
    """
    brought = set().union(*needs.values())
    found = {name for name in needs if name in asked or name not in brought}
    reached = _reached(found, needs)
    for name in sorted(needs):
        if name not in reached:
            found.add(name)
            reached |= _reached({name}, needs)
    return frozenset(found)


def _reached(names: Collection[str], needs: Mapping[str, Collection[str]]) -> set[str]:
    """These packages, and all that they bring."""
    found, waiting = set(names), list(names)
    while waiting:
        more = {one for one in needs.get(waiting.pop(), ()) if one not in found}
        found |= more
        waiting += more
    return found
