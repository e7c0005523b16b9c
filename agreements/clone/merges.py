"""Tells if a merge brings more than its parents: git merges them once more, and the results are compared."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from agreements.facts import Commit


class RunGit(Protocol):
    """Runs git and returns its output; `git_dir` names another repository than the clone."""

    def __call__(self, *arguments: str, feed: bytes | None = None, git_dir: str | None = None) -> bytes:
        """Raises what the caller's git raises."""


def merge_changes(merges: Sequence[Commit], git: RunGit) -> Mapping[str, bool]:
    """By SHA, whether each merge holds a file that is neither merged by git itself nor one parent's.

    A conflict that was resolved by taking one side brings nothing; one that was resolved by hand does.
    """
    if not merges:
        return {}
    # A repository that borrows the clone's objects: nothing is written into the clone, and no merge
    # driver runs that its settings name.
    with TemporaryDirectory() as folder:
        _borrow(Path(folder), git)
        borrowed = partial(git, git_dir=folder)
        asked = "".join(f"{merge.sha}^{{tree}}\n" for merge in merges).encode()
        said = borrowed("cat-file", "--batch-check=%(objectname)", feed=asked).decode().split()
        trees = dict(zip((merge.sha for merge in merges), said, strict=True))
        automatic = _automatic(merges, borrowed)
        return {
            merge.sha: automatic.get(merge.sha) != trees[merge.sha]
            and _differs(merge, automatic.get(merge.sha), borrowed)
            for merge in merges
        }


def _automatic(merges: Sequence[Commit], git: RunGit) -> dict[str, str]:
    """By SHA the tree that git makes of two parents, with its marks where there is a conflict."""
    pairs = [merge for merge in merges if len(merge.parents) == 2]  # `git merge-tree` takes just two commits.
    told = ("--stdin", "--name-only", "--no-messages", "--allow-unrelated-histories")  # `--stdin` since git 2.39
    fed = "".join(f"{' '.join(merge.parents)}\n" for merge in pairs).encode()
    answers = git("merge-tree", *told, feed=fed).decode(errors="surrogateescape") if pairs else ""
    return dict(zip((merge.sha for merge in pairs), _first_fields(answers), strict=True))


def _borrow(folder: Path, git: RunGit) -> None:
    """Make an empty repository of the same object format whose objects are the clone's."""
    objects = git("rev-parse", "--path-format=absolute", "--git-path", "objects").rstrip(b"\n")
    kind = git("rev-parse", "--show-object-format").decode().strip()
    (folder / "refs").mkdir()
    (folder / "objects" / "info").mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(f"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = {kind}\n")
    (folder / "objects" / "info" / "alternates").write_bytes(objects + b"\n")  # gitrepository-layout(5)


def _first_fields(told: str) -> Iterator[str]:
    """The tree of each answer: clean or not, the tree, the files in conflict, an empty field."""
    fields = iter(told.split("\0"))
    for is_clean in fields:
        if is_clean:
            yield next(fields)
            while next(fields, ""):
                pass


def _differs(merge: Commit, automatic: str | None, git: RunGit) -> bool:
    """Whether a file differs from what git made and from every parent's."""
    plain = ("diff-tree", "-r", "-z", "--name-only", "--no-renames")
    # `-c`: files that differ from every parent's.
    own = set(git(*plain, "-c", "--no-commit-id", merge.sha).split(b"\0")) - {b""}
    return bool(own if automatic is None else own.intersection(git(*plain, automatic, merge.sha).split(b"\0")))
