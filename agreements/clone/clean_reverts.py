"""Tells which commits of a clone are clean reverts of commits that the base has: git lists what both change."""

from collections.abc import Callable, Iterator, Sequence

from agreements.clone import commit_objects
from agreements.clone.merges import RunGit
from agreements.dco import reverts
from agreements.dco.reverts import PathChange
from agreements.facts import Commit

# Git's object name of nothing has zeros alone.
_NOTHING = "0"


def clean_reverts(commits: Sequence[Commit], git: RunGit, in_base: Callable[[str], bool]) -> frozenset[str]:
    """The SHAs of the commits that undo exactly what a commit changed that they name and that is `in_base`.

    A merge is reverted against its first parent, what a branch had before it.
    """
    named = ((commit, reverts.named(commit.message)) for commit in commits if len(commit.parents) == 1)
    return frozenset(commit.sha for commit, sha in named if sha and in_base(sha) and _undoes(commit, sha, git))


def _undoes(commit: Commit, sha: str, git: RunGit) -> bool:
    # The object itself: a graft would name another parent.
    reverted = commit_objects.read(sha, git("cat-file", "commit", sha))
    if not reverted.parents:
        return False
    return reverts.undoes(
        frozenset(_changes(commit.parents[0], commit.sha, git)), frozenset(_changes(reverted.parents[0], sha, git))
    )


def _changes(before: str, after: str, git: RunGit) -> Iterator[PathChange]:
    # A `.gitmodules` of the commits may say that changes of a submodule are to be ignored.
    told = git(
        "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none", before, after
    )
    fields = iter(told.decode(errors="surrogateescape").split("\0"))
    for head in fields:
        if head:
            old_mode, mode, old, new, _ = head.removeprefix(":").split(" ")
            ends = (None if not sha.strip(_NOTHING) else (kind, sha) for kind, sha in ((old_mode, old), (mode, new)))
            yield PathChange(next(fields), *ends)
