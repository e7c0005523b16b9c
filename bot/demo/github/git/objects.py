"""Blobs, trees, commits and references one by one, as GitHub's git database serves them: all of it is real git."""

from dataclasses import dataclass
from pathlib import Path

from bot.demo.github.git.bare_repository import commit, read_object, resolve, run

NO_SHA = "0" * 40  # GitHub and git write it where there is no commit.


@dataclass(frozen=True, slots=True)
class TreeItem:
    """One line of a tree: `path`, `mode`, `sha`; `kind` is `blob`, `tree` or `commit`; `size` of a blob, else None."""

    path: str
    mode: str
    kind: str
    sha: str
    size: int | None


def tree_sha(folder: Path, name: str) -> str | None:
    """The tree that a branch, a commit or a tree stands for; None when there is none."""
    if read_object(folder, name)[0] == "tree":
        return name
    sha = resolve(folder, f"refs/heads/{name}") or resolve(folder, name)
    return commit(folder, sha).tree if sha else None


def tree(folder: Path, sha: str, *, recursive: bool) -> tuple[TreeItem, ...]:
    """The lines of a tree; with `recursive` those of its folders, too."""
    more = ["-r", "-t"] if recursive else []
    lines = run("ls-tree", "-z", "-l", *more, sha, cwd=folder).decode(errors="replace").split("\0")[:-1]
    found = []
    for entry in lines:
        columns, _, path = entry.partition("\t")
        mode, kind, sha, size = columns.split()
        found.append(TreeItem(path, mode, kind, sha, None if size == "-" else int(size)))
    return tuple(found)


def content(folder: Path, sha: str) -> bytes | None:
    """The bytes of a blob; None when there is no such blob."""
    kind, data = read_object(folder, sha)
    return data if kind == "blob" else None


def point(folder: Path, reference: str, sha: str, before: str | None) -> None:
    """Let a reference show a commit; raises GitFailed when it has moved meanwhile, or has no good name."""
    run("check-ref-format", reference, cwd=folder)
    run("update-ref", reference, sha, before or NO_SHA, cwd=folder)  # Git refuses if it has moved.


def delete(folder: Path, reference: str, before: str) -> None:
    """Take a reference away; raises GitFailed when it has moved meanwhile."""
    run("update-ref", "-d", reference, before, cwd=folder)
