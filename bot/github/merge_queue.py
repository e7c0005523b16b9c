"""The merge queue of a branch, by GraphQL alone: who waits, on which commit each was merged on trial, and on what that stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.github.client.transport import Transport
from bot.github.documents import MERGE_QUEUE
from bot.github.ports import Missing, RepositoryPlace, Unreachable, Unsupported
from bot.github.reading import Json, next_page, understanding
from bot.github.renames import RepositoryClient, by_name, current, same_name

MAX_PAGES: Final = 20  # Of 100 entries; a queue that is longer cannot be told in time.
# A pull request that GitHub hides matters to its own group alone; the commits of a group have to be known.
_UNNEEDED: Final = ("repository.mergeQueue.entries.nodes.*.pullRequest",)


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A pull request at a `position` in the queue, and its trial merge: `head_sha` and `base_sha` are "" before it.

    `number` and `pull_head_sha` are None where GitHub does not show the pull request.
    """

    position: int
    number: int | None
    pull_head_sha: str | None
    head_sha: str
    base_sha: str


@dataclass(frozen=True, slots=True)
class MergeQueue:
    """The `entries` of a branch's queue, the first one first. `place`: the repository under its present name."""

    place: RepositoryPlace
    entries: tuple[QueueEntry, ...]


def in_group(entries: Sequence[QueueEntry], head_sha: str) -> tuple[QueueEntry, ...]:
    """The entry whose trial merge is that commit, and all below it; none when no entry has it."""
    by_head: Mapping[str, QueueEntry] = {entry.head_sha: entry for entry in entries if entry.head_sha}
    top = by_head.get(head_sha)
    if top is None:
        return ()
    # GitHub does not say whether an entry's base is the entry before it or what the whole group stands on:
    # all ahead of it in the queue count, and all that it stands on, commit by commit. None may be left out.
    found = {entry.head_sha: entry for entry in by_head.values() if entry.position <= top.position}
    walked: set[str] = set()
    below: QueueEntry | None = top
    while below is not None and below.head_sha not in walked:
        walked.add(below.head_sha)
        found[below.head_sha] = below
        below = by_head.get(below.base_sha)
    return tuple(sorted(found.values(), key=lambda entry: entry.position))


class GitHubMergeQueues(RepositoryClient):
    """Merge queues."""

    def merge_queue(self, place: RepositoryPlace, branch: str) -> MergeQueue:
        """The queue of that branch, all pages.

        `Unreachable` when it changed between two of them, `Missing` without the repository, `Unsupported`.
        """
        transport = self._transport(place)
        try:
            return _entries(transport, place, branch)
        except Unsupported:
            raise
        except Missing:
            there = current(transport, place)
            if same_name(there, place):
                raise
        return _entries(transport, there, branch)


def _entries(transport: Transport, place: RepositoryPlace, branch: str) -> MergeQueue:
    found: list[QueueEntry] = []
    now = place
    after: str | None = None
    for _ in range(MAX_PAGES):
        # None also when another repository has that name now.
        repository, _ = by_name(transport, place, MERGE_QUEUE, optional=_UNNEEDED, branch=branch, after=after)
        if repository is None:
            raise Missing("the repository was not found, or the App may not read it")
        with understanding():
            now = replace(place, owner=str(repository["owner"]["login"]), name=str(repository["name"]))
            if not (queue := repository["mergeQueue"]):  # The queue is empty
                break
            page = queue["entries"]
            found += [_entry(node) for node in page["nodes"] if node]
            total, after = int(page["totalCount"]), next_page(page)
        if after is None:
            # Entries moved between two pages: one may be missing.
            if len({entry.position for entry in found}) != total:
                break
            return MergeQueue(now, tuple(sorted(found, key=lambda entry: entry.position)))
    if found:
        raise Unreachable("the merge queue changed while it was being read")
    return MergeQueue(now, ())


def _entry(node: Json) -> QueueEntry:
    pull = node.get("pullRequest") or {}
    return QueueEntry(
        position=int(node["position"]),
        number=int(pull["number"]) if pull else None,
        pull_head_sha=str(pull["headRefOid"]) if pull else None,
        head_sha=str((node.get("headCommit") or {}).get("oid") or ""),
        base_sha=str((node.get("baseCommit") or {}).get("oid") or ""),
    )
