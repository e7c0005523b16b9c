"""What the licence audit reads of GitHub and proposes to it, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.github.ports import RepositoryPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationRepository:
    """A repository as the list of an installation shows it: `node` is its id in GraphQL, `branch` the default one.

    `pushed_at` is when anything was last pushed to any branch (None: never).
    """

    place: RepositoryPlace
    node: str
    branch: str
    pushed_at: datetime | None
    private: bool
    archived: bool
    fork: bool


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file of a tree: its path below the root, the SHA of its blob, its size in bytes.

    Of a link the blob is the path that it leads to, as text.
    """

    path: str
    sha: str
    size: int
    link: bool = False


@dataclass(frozen=True, slots=True)
class GitTree:
    """All files of a commit. `complete` False: GitHub cut it short, and walking its folders was too much, too."""

    commit: str
    entries: tuple[TreeEntry, ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class PendingReport:
    """An answer that GitHub still works on; `report` is what to ask again with."""

    report: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestProposal:
    """Files for the default branch, to be proposed from a branch of ours; `body` holds `marker`, `message` is the commit's."""

    branch: str
    files: Mapping[str, bytes]
    title: str
    body: str
    marker: str
    message: str
