"""Path globs as `.gitignore` and CODEOWNERS have them: `**` is any folders, `*` stays within a name, a folder means all below it."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache


def fits(globs: Iterable[str], path: str) -> bool:
    """Whether one of them names the file, or a folder that it is in. Paths are below the root, with slashes.

    A glob without a slash means that name in any folder. Linear in the path for each part of a glob.

    >>> fits(["docs/**"], "docs/a/b.md"), fits(["*.md"], "docs/a.md"), fits(["/*.md"], "docs/a.md")
    (True, True, False)
    """
    names = path.split("/")
    return any(_fits(_parts(glob), names) for glob in globs)


@lru_cache(maxsize=4096)
def _parts(glob: str) -> tuple[str, ...]:
    plain = glob.removeprefix("./")
    anchored = "/" in plain.rstrip("/")
    found = [one for one in plain.split("/") if one]
    return tuple(found) if anchored else ("**", *found)


def _fits(parts: tuple[str, ...], names: list[str]) -> bool:
    """Walks all ways through the glob at once: which parts may come next."""
    last = len(parts)
    at = _open({0}, parts)
    for name in names:
        following = set()
        for one in at:
            if parts[one] != "**":
                following |= {one + 1} if fnmatchcase(name, parts[one]) else set()
            else:
                following |= {one, one + 1} if one == last - 1 else {one}
        at = _open(following, parts)
        if last in at:
            return True
    return False


def _open(at: set[int], parts: tuple[str, ...]) -> set[int]:
    """With what follows a `**` that stands for no folder; the last one stands for something."""
    found = set(at)
    for one in sorted(at):
        following = one
        while following < len(parts) - 1 and parts[following] == "**":
            following += 1
            found.add(following)
    return found
