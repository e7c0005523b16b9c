"""The merge queue: pull requests wait in line, are merged on trial in groups, and land together or not at all."""

from collections.abc import Sequence
from typing import Any

from bot.demo.github import event_payloads
from bot.demo.github.changes import Changes
from bot.demo.github.git import bare_repository
from bot.demo.github.refusal import invalid
from bot.demo.github.state import MergeQueueEntry, StoredAccount, StoredPull, StoredRepository

_TEMPORARY = "gh-readonly-queue"  # Merge groups have their branches below it; no push may change them.


class SimulatedMergeQueues(Changes):
    """The queue of each branch, as GitHub keeps it for a branch that requires one."""

    def enqueue(self, pull: StoredPull, by: StoredAccount, *, jump: bool = False) -> MergeQueueEntry:
        """Put a pull request at the end of its base branch's queue, or let it `jump` to the front; 422 as GitHub."""
        queue = self.queue_of(pull.repository, pull.base)
        if pull.closed_at is not None or any(one.pull is pull for one in queue):
            raise invalid("PullRequest", "state", "the pull request cannot be queued")
        entry = MergeQueueEntry(pull, by)
        if jump:
            # The groups that were made are given up, to be built again on top of it.
            for group in {id(one.group): one.group for one in queue if one.group}.values():
                self._end_group(group, "invalidated")
            pull.repository.merge_queue.insert(0, entry)
        else:
            pull.repository.merge_queue.append(entry)
        self.emit_pull(pull, "enqueued", by)
        return entry

    def build_group(self, repo: StoredRepository, branch: str, *, size: int = 1) -> Sequence[MergeQueueEntry]:
        """Merge the next entries on trial, each on top of the one before, and ask for the checks of the last commit.

        The first stands on the branch, or on the newest group that waits for its checks. One that conflicts leaves the
        queue.
        """
        queue = self.queue_of(repo, branch)
        built = [one for one in queue if one.head_sha]
        base = built[-1].head_sha if built else bare_repository.resolve(repo.git, f"refs/heads/{branch}")
        assert base is not None
        group: list[MergeQueueEntry] = []
        for entry in queue[len(built) :]:
            if len(group) == size:
                break
            message = f"Merge pull request #{entry.pull.number} from {entry.pull.head}\n\n{entry.pull.title}"
            signed = self.by_web_flow()
            try:
                head = bare_repository.merge_commit(repo.git, base, entry.pull.head_sha, message=message, by=signed)
            except bare_repository.GitFailed:  # It conflicts: the others go on without it.
                self._leave(entry, self.web_flow, "MERGE_CONFLICT")
                continue
            self.verified_commits.add(head)  # GitHub signs the commits that it makes itself.
            entry.base_sha, entry.head_sha, base = base, head, head
            group.append(entry)
        for entry in group:
            entry.group = group
        if group:
            bare_repository.run("update-ref", _reference(group), base, cwd=repo.git)
            self._emit_push(group, (None, base))
            self._emit_group(group, "checks_requested")
        return group

    def merge_group(self, entry: MergeQueueEntry) -> None:
        """Land the group of an entry, the first of its queue, after its checks passed."""
        group = list(entry.group)
        repo, branch = entry.pull.repository, entry.pull.base
        before, after = group[0].base_sha, group[-1].head_sha
        if self.queue_of(repo, branch)[: len(group)] != group or before is None or after is None:
            raise invalid("PullRequest", "state", "the group is not the first of its queue")
        bare_repository.run("update-ref", f"refs/heads/{branch}", after, before, cwd=repo.git)
        self._end_group(group, "merged")
        for one in group:
            one.pull.merge_sha, one.pull.merged_by = one.head_sha, one.enqueuer
            one.pull.merged_at = one.pull.closed_at = self.now()
            self._leave(one, self.web_flow, "MERGE")
            self.emit_pull(one.pull, "closed", one.enqueuer)
        self.landed(repo, self.web_flow, {f"refs/heads/{branch}": (before, after)})

    def dequeue(self, entry: MergeQueueEntry, by: StoredAccount, reason: str = "MANUAL") -> None:
        """Take a pull request out of its queue, by hand or for a reason such as CI_FAILURE."""
        queue = self.queue_of(entry.pull.repository, entry.pull.base)
        # The groups behind it stood on it: what is left of them waits to be built again.
        stale = [one for one in queue[queue.index(entry) :] if one.head_sha] if entry.group else []
        groups = {id(one.group): one.group for one in [*entry.group, *stale]}
        for group in groups.values():
            self._end_group(group, "dequeued" if entry in group and reason == "MANUAL" else "invalidated")
        self._leave(entry, by, reason)

    def queue_of(self, repo: StoredRepository, branch: str) -> list[MergeQueueEntry]:
        """The entries that wait for this branch, the first one first."""
        return [one for one in repo.merge_queue if one.pull.base == branch]

    def _leave(self, entry: MergeQueueEntry, by: StoredAccount, reason: str) -> None:
        entry.pull.repository.merge_queue.remove(entry)
        self.emit_pull(entry.pull, "dequeued", by, reason=reason)

    def _end_group(self, group: Sequence[MergeQueueEntry], reason: str) -> None:
        self._emit_group(group, "destroyed", reason=reason)
        bare_repository.run("update-ref", "-d", _reference(group), cwd=group[0].pull.repository.git)
        self._emit_push(group, (group[-1].head_sha, None))
        if reason != "merged":
            for one in group:
                one.base_sha, one.head_sha, one.group = None, None, ()

    def _emit_push(self, group: Sequence[MergeQueueEntry], change: tuple[str | None, str | None]) -> None:
        # GitHub tells of the temporary branch, too: its changelog of 2022-08-18, "Merge group webhook event".
        repo = group[0].pull.repository
        self.emit(
            repo, "push", self.web_flow, **event_payloads.push(self, repo, self.web_flow, (_reference(group), *change))
        )

    def _emit_group(self, group: Sequence[MergeQueueEntry], action: str, **more: Any) -> None:
        repo, base, head = group[0].pull.repository, group[0].base_sha, group[-1].head_sha
        assert head is not None
        about = {
            "head_sha": head, "head_ref": _reference(group), "base_sha": base,
            "base_ref": f"refs/heads/{group[0].pull.base}",
            "head_commit": event_payloads.simple_commit(bare_repository.commit(repo.git, head)),
        }  # fmt: skip
        self.emit(repo, "merge_group", self.web_flow, action=action, merge_group=about, **more)


def _reference(group: Sequence[MergeQueueEntry]) -> str:
    pull = group[-1].pull
    return f"refs/heads/{_TEMPORARY}/{pull.base}/pr-{pull.number}-{group[0].base_sha}"
