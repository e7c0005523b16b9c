"""Globs of files for small changes: a subset of those that `licenses.headers` has, with the same meaning.

`*` stays within a name. A glob without a slash is compared with the file's own name, in any folder; with one, it is
compared from the root. `**` may only be its end, and stands for all that is below.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase


def fits(globs: Iterable[str], path: str) -> bool:
    """Whether one of the globs names the file. Paths are below the root, with slashes; upper and lower case differ.

    >>> fits(["*.md"], "docs/a.md"), fits(["/*.md"], "docs/a.md"), fits(["docs/**"], "docs/a/b.md")
    (True, False, True)
    """
    names = path.split("/")
    return any(_fits(glob, names) for glob in globs)


def is_valid(glob: str) -> bool:
    """Whether the glob can name a file: git has no empty names, and none that lead to another folder."""
    parts = glob.removeprefix("/").split("/")
    return "**" not in parts[:-1] and not {"", ".", ".."}.intersection(parts)


def _fits(glob: str, names: list[str]) -> bool:
    if "/" not in glob:
        return fnmatchcase(names[-1], glob)
    parts = glob.removeprefix("/").split("/")
    if parts[-1] == "**":
        del parts[-1]
        # The folder itself is no file below it.
        names = names[: len(parts)] if len(names) > len(parts) else []
    return len(names) == len(parts) and all(map(fnmatchcase, names, parts))
