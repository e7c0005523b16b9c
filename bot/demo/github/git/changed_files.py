"""The changes of commits: paths, kinds and numbers of lines, as git says."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bot.demo.github.git.bare_repository import GitCommit, commit, merge_base, run


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A `path` that commits touch, and its blob's `sha`; `status` in GitHub's words, `previous` a former name.

    `additions` and `deletions` are numbers of lines.
    """

    path: str
    status: str
    sha: str
    additions: int
    deletions: int
    previous: str = ""


_DIFF = ("--find-renames", "--raw", "--abbrev=40", "--numstat", "-z")
_OF_COMMIT: dict[str, tuple[ChangedFile, ...]] = {}  # What a commit changes never changes.


@lru_cache(maxsize=1024)
def between(folder: Path, base: str, head: str) -> tuple[ChangedFile, ...]:
    """Paths that differ between the merge base and head; without a common past, between base and head themselves."""
    start = merge_base(folder, base, head) or base
    newest = commit(folder, head)
    if newest.parents[:1] == (start,):
        return of_each(folder, [newest])[head]
    return _changed_files(_parts(run("diff", *_DIFF, start, head, cwd=folder)))


def of_each(folder: Path, commits: Sequence[GitCommit]) -> dict[str, tuple[ChangedFile, ...]]:
    """The changes of each of these commits to its first parent, by its hash; nothing of one without a parent."""
    parents = {
        git_commit.sha: git_commit.parents[0]
        for git_commit in commits
        if git_commit.parents and git_commit.sha not in _OF_COMMIT
    }
    found: dict[str, list[str]] = {sha: [] for sha in parents}
    listed: list[str] = []
    pairs = "".join(f"{sha} {first}\n" for sha, first in parents.items())
    # One process for all: `--stdin` takes pairs, and each commit's hash stands before its changes.
    for part in _parts(run("diff-tree", "--stdin", "-r", *_DIFF, cwd=folder, feed=pairs.encode()) if pairs else b""):
        if part in found:
            listed = found[part]
        else:
            listed.append(part)
    _OF_COMMIT.update({sha: _changed_files(parts) for sha, parts in found.items()})
    return {git_commit.sha: _OF_COMMIT.get(git_commit.sha, ()) for git_commit in commits}


def _parts(out: bytes) -> list[str]:
    return out.decode(errors="replace").split("\0")[:-1]


def _changed_files(parts: list[str]) -> tuple[ChangedFile, ...]:
    # Of one comparison git writes first a kind for each path, then its lines.
    words = {"A": "added", "M": "modified", "D": "removed", "R": "renamed", "T": "changed"}
    kinds: dict[str, tuple[str, str, str]] = {}
    found = []
    rest = iter(parts)
    for first in rest:
        if first.startswith(":"):
            *_, sha, kind = first.split()
            previous = next(rest) if kind[0] == "R" else ""
            kinds[next(rest)] = (words.get(kind[0], "modified"), sha, previous)
            continue
        added, deleted, path = first.split("\t", 2)
        if not path:  # A renamed one: both names follow
            _, path = next(rest), next(rest)
        status, sha, previous = kinds[path]
        # Of a binary file git writes `-` for both.
        more, less = (int(count.replace("-", "0")) for count in (added, deleted))
        found.append(ChangedFile(path, status, sha, more, less, previous))
    return tuple(found)


def patch(folder: Path, base: str, head: str, *paths: str) -> list[str]:
    """The changed lines of one path, each with its `+`, `-` or blank, by their places; none for a binary file.

    `paths` are its new name and, of a renamed one, the one before.
    """
    start = merge_base(folder, base, head) or base
    # Literal, since a path may have the characters of a pattern.
    places = [f":(literal){path}" for path in paths if path]
    lines = run("diff", "--no-color", "--no-ext-diff", "--find-renames", start, head, "--", *places, cwd=folder)
    text = lines.decode(errors="replace").removesuffix("\n").split("\n")
    return text[next((number for number, line in enumerate(text) if line.startswith("@@")), len(text)) :]
