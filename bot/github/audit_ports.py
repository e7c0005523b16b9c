"""What the licence audit asks of GitHub and proposes to it, as protocols and plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

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


class Trees(Protocol):
    """Reading repositories without a clone."""

    def listed(self, installation: int) -> tuple[InstallationRepository, ...]:
        """Repositories that the installation reaches, all pages; 100 for each request."""

    def heads(self, installation: int, nodes: Sequence[str]) -> Mapping[str, str | None]:
        """Node → SHA of the default branch's newest commit; None: empty, or gone. 100 for each request.

        One of which GitHub withholds it is left out.
        """

    def tree(self, place: RepositoryPlace, commit: str) -> GitTree:
        """All files of a commit; none for a repository without commits. `Missing` when the commit is not there."""

    def blobs(self, place: RepositoryPlace, sizes: Mapping[str, int]) -> Mapping[str, bytes]:
        """The blobs of these SHAs, whose sizes a tree has told; each hashes to its SHA. One that is gone is left out."""

    def merge_base(self, place: RepositoryPlace, base: str, head: str) -> str:
        """SHA of the commit from which both come. `Missing` when they have none in common."""

    def dependency_sbom(self, place: RepositoryPlace, report: str = "") -> str | PendingReport | None:
        """The SPDX 2.3 document (JSON) of the default branch as GitHub knows it; None: the dependency graph is off.

        `report` is that of a PendingReport, whose work is asked for again; without it new work begins.
        """


class Proposals(Protocol):
    """What we put before a repository's people: one pull request and one issue for each marker."""

    def propose(self, place: RepositoryPlace, proposal: PullRequestProposal) -> int | None:
        """Number of our open pull request with these files; None: nothing differs from the default branch, or declined.

        Our open one is brought up to date, unless others have committed to its branch: then it is theirs. Bytes that
        people declined by closing it are not proposed again. `Refused` without the permission (contents: write).
        """

    def issue(self, place: RepositoryPlace, *, marker: str, title: str, body: str, wanted: bool) -> int | None:
        """Number of our App's issue with that marker, open when `wanted`, else closed; None: there is none, none is wanted.

        `body` holds the marker. `Missing` where issues are switched off.
        """
