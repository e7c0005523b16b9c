"""The merge queue: pull requests wait in line, are merged on trial in groups, and land together or not at all."""

from bot.demo.github import event_payloads
from bot.demo.github.git import bare_repository
from bot.demo.github.refusal import invalid
from bot.demo.github.state import MergeQueueEntry
from tests.bot.demo.github.github_deeds import holding_lock

_TEMPORARY = "gh-readonly-queue"  # Merge groups have their branches below it; no push may change them.


@holding_lock
def enqueue(world, pull, by, *, jump=False):
    """Put a pull request at the end of its base branch's queue, or let it `jump` to the front; 422 as GitHub."""
    queue = queue_of(world, pull.repository, pull.base)
    if pull.closed_at is not None or any(other.pull is pull for other in queue):
        raise invalid("PullRequest", "state", "the pull request cannot be queued")
    entry = MergeQueueEntry(pull, by)
    if jump:
        # The groups that were made are given up, to be built again on top of it.
        for group in {id(other.group): other.group for other in queue if other.group}.values():
            _end_group(world, group, "invalidated")
        pull.repository.merge_queue.insert(0, entry)
    else:
        pull.repository.merge_queue.append(entry)
    world.emit_pull(pull, "enqueued", by)
    return entry


@holding_lock
def build_group(world, repo, branch, *, size=1):
    """Merge the next entries on trial, each on top of the one before, and ask for the checks of the last commit.

    The first stands on the branch, or on the newest group that waits for its checks. One that conflicts leaves the
    queue.
    """
    queue = queue_of(world, repo, branch)
    built = [member for member in queue if member.head_sha]
    base = built[-1].head_sha if built else bare_repository.resolve(repo.git, f"refs/heads/{branch}")
    group = []
    for entry in queue[len(built) :]:
        if len(group) == size:
            break
        message = f"Merge pull request #{entry.pull.number} from {entry.pull.head}\n\n{entry.pull.title}"
        signed = world.by_web_flow()
        try:
            head = bare_repository.merge_commit(repo.git, base, entry.pull.head_sha, message=message, by=signed)
        except bare_repository.GitFailed:  # It conflicts: the others go on without it.
            _leave(world, entry, world.web_flow, "MERGE_CONFLICT")
            continue
        world.verified_commits.add(head)  # GitHub signs the commits that it makes itself.
        entry.base_sha, entry.head_sha, base = base, head, head
        group.append(entry)
    for entry in group:
        entry.group = group
    if group:
        bare_repository.run("update-ref", _reference(group), base, cwd=repo.git)
        _emit_push(world, group, (None, base))
        _emit_group(world, group, "checks_requested")
    return group


@holding_lock
def merge_group(world, entry):
    """Land the group of an entry, the first of its queue, after its checks passed."""
    group = list(entry.group)
    repo, branch = entry.pull.repository, entry.pull.base
    before, after = group[0].base_sha, group[-1].head_sha
    if queue_of(world, repo, branch)[: len(group)] != group or before is None or after is None:
        raise invalid("PullRequest", "state", "the group is not the first of its queue")
    bare_repository.run("update-ref", f"refs/heads/{branch}", after, before, cwd=repo.git)
    _end_group(world, group, "merged")
    for member in group:
        member.pull.merge_sha, member.pull.merged_by = member.head_sha, member.enqueuer
        member.pull.merged_at = member.pull.closed_at = world.now()
        _leave(world, member, world.web_flow, "MERGE")
        world.emit_pull(member.pull, "closed", member.enqueuer)
    world.landed(repo, world.web_flow, {f"refs/heads/{branch}": (before, after)})


@holding_lock
def dequeue(world, entry, by, reason="MANUAL"):
    """Take a pull request out of its queue, by hand or for a reason such as CI_FAILURE."""
    queue = queue_of(world, entry.pull.repository, entry.pull.base)
    # The groups behind it stood on it: what is left of them waits to be built again.
    stale = [member for member in queue[queue.index(entry) :] if member.head_sha] if entry.group else []
    groups = {id(member.group): member.group for member in [*entry.group, *stale]}
    for group in groups.values():
        _end_group(world, group, "dequeued" if entry in group and reason == "MANUAL" else "invalidated")
    _leave(world, entry, by, reason)


@holding_lock
def queue_of(world, repo, branch):
    """The entries that wait for this branch, the first one first."""
    return [entry for entry in repo.merge_queue if entry.pull.base == branch]


def _leave(world, entry, by, reason):
    entry.pull.repository.merge_queue.remove(entry)
    world.emit_pull(entry.pull, "dequeued", by, reason=reason)


def _end_group(world, group, reason):
    _emit_group(world, group, "destroyed", reason=reason)
    bare_repository.run("update-ref", "-d", _reference(group), cwd=group[0].pull.repository.git)
    _emit_push(world, group, (group[-1].head_sha, None))
    if reason != "merged":
        for entry in group:
            entry.base_sha, entry.head_sha, entry.group = None, None, ()


def _emit_push(world, group, change):
    # GitHub tells of the temporary branch, too: its changelog of 2022-08-18, "Merge group webhook event".
    repo = group[0].pull.repository
    world.emit(
        repo, "push", world.web_flow, **event_payloads.push(world, repo, world.web_flow, (_reference(group), *change))
    )


def _emit_group(world, group, action, **more):
    repo, base, head = group[0].pull.repository, group[0].base_sha, group[-1].head_sha
    about = {
        "head_sha": head, "head_ref": _reference(group), "base_sha": base,
        "base_ref": f"refs/heads/{group[0].pull.base}",
        "head_commit": event_payloads.simple_commit(bare_repository.commit(repo.git, head)),
    }  # fmt: skip
    world.emit(repo, "merge_group", world.web_flow, action=action, merge_group=about, **more)


def _reference(group):
    pull = group[-1].pull
    return f"refs/heads/{_TEMPORARY}/{pull.base}/pr-{pull.number}-{group[0].base_sha}"
