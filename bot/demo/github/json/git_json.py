"""Git's objects as JSON: trees, blobs, commits, references, comparisons, changed files, and the activity of branches."""

import base64
from collections.abc import Sequence
from urllib.parse import quote

from bot.demo.github.git.bare_repository import GitCommit, GitIdentity
from bot.demo.github.git.changed_files import ChangedFile
from bot.demo.github.git.objects import NO_SHA, TreeItem
from bot.demo.github.json.account_json import account
from bot.demo.github.simulated_state import SimulatedState
from bot.demo.github.state import Activity, Json, StoredRepository, timestamp


def tree(
    world: SimulatedState, repo: StoredRepository, sha: str, items: Sequence[TreeItem], *, truncated: bool = False
) -> Json:
    """`git-tree`."""
    base = f"/repos/{repo.full_name}/git"
    places = {"blob": "blobs", "tree": "trees"}
    listed = []
    for item in items:
        entry: Json = {"path": item.path, "mode": item.mode, "type": item.kind, "sha": item.sha}
        if item.size is not None:  # Only blobs have a size.
            entry["size"] = item.size
        if item.kind in places:  # A submodule's commit is in another repository.
            entry["url"] = world.api_url(f"{base}/{places[item.kind]}/{item.sha}")
        listed.append(entry)
    return {"sha": sha, "url": world.api_url(f"{base}/trees/{sha}"), "tree": listed, "truncated": truncated}


def blob(world: SimulatedState, repo: StoredRepository, sha: str, data: bytes) -> Json:
    """`blob`."""
    return {
        "sha": sha, "node_id": f"B_{sha}", "size": len(data), "encoding": "base64",
        # In lines of Base64, as GitHub writes them.
        "content": base64.encodebytes(data).decode(), "url": world.api_url(f"/repos/{repo.full_name}/git/blobs/{sha}"),
    }  # fmt: skip


def commit(world: SimulatedState, repo: StoredRepository, stored_commit: GitCommit) -> Json:
    """`commit`: what git says, and the accounts that GitHub links to the two addresses."""
    own = f"/repos/{repo.full_name}/commits/{stored_commit.sha}"
    page = f"/{repo.full_name}/commit"
    verified = stored_commit.sha in world.verified_commits
    return {
        "sha": stored_commit.sha, "node_id": f"C_{stored_commit.sha}", "url": world.api_url(own),
        "html_url": world.web_url(f"{page}/{stored_commit.sha}"),
        "comments_url": world.api_url(f"{own}/comments"),
        "commit": {
            "author": _person(stored_commit.author), "committer": _person(stored_commit.committer),
            "message": stored_commit.message,
            "tree": {
                "sha": stored_commit.tree,
                "url": world.api_url(f"/repos/{repo.full_name}/git/trees/{stored_commit.tree}"),
            },
            "url": world.api_url(f"/repos/{repo.full_name}/git/commits/{stored_commit.sha}"), "comment_count": 0,
            "verification": {
                "verified": verified, "reason": "valid" if verified else "unsigned",
                "signature": None, "payload": None, "verified_at": None,
            },
        },
        "author": _linked(world, stored_commit.author), "committer": _linked(world, stored_commit.committer),
        "parents": [
            {"sha": sha, "url": world.api_url(f"/repos/{repo.full_name}/commits/{sha}"), "html_url": world.web_url(f"{page}/{sha}")}
            for sha in stored_commit.parents
        ],
    }  # fmt: skip


def _person(signed: GitIdentity) -> Json:
    return {"name": signed.name, "email": signed.email, "date": timestamp(signed.at)}


def _linked(world: SimulatedState, signed: GitIdentity) -> Json | None:
    who = world.account_of_email(signed.email)
    return None if who is None else account(world, who)


def git_commit(world: SimulatedState, repo: StoredRepository, stored_commit: GitCommit) -> Json:
    """`git-commit`: a commit without accounts."""
    whole = commit(world, repo, stored_commit)
    named = ("url", "author", "committer", "tree", "message", "verification")
    return {
        **{name: whole["commit"][name] for name in named},
        **{name: whole[name] for name in ("sha", "node_id", "html_url", "parents")},
    }


def reference(world: SimulatedState, repo: StoredRepository, name: str, sha: str) -> Json:
    """`git-ref`."""
    base = f"/repos/{repo.full_name}/git"
    return {
        "ref": name, "node_id": f"REF_{repo.id}", "url": world.api_url(f"{base}/{name}"),
        "object": {"type": "commit", "sha": sha, "url": world.api_url(f"{base}/commits/{sha}")},
    }  # fmt: skip


def comparison(
    world: SimulatedState, repo: StoredRepository, ends: str, starts: tuple[GitCommit, GitCommit],
    apart: tuple[Sequence[GitCommit], Sequence[GitCommit]],
) -> Json:  # fmt: skip
    """`commit-comparison` but for its commits and files; `starts`: base and where they part, `apart` each side's."""
    ahead, behind = (len(side) for side in apart)
    status = {(False, False): "identical", (True, False): "ahead", (False, True): "behind"}
    ends = quote(ends)  # A branch may have any character in its name.
    page = world.web_url(f"/{repo.full_name}/compare/{ends}")
    base, origin = (commit(world, repo, start) for start in starts)
    return {
        "url": world.api_url(f"/repos/{repo.full_name}/compare/{ends}"), "html_url": page, "permalink_url": page,
        "diff_url": f"{page}.diff", "patch_url": f"{page}.patch", "base_commit": base, "merge_base_commit": origin,
        "status": status.get((ahead > 0, behind > 0), "diverged"), "ahead_by": ahead, "behind_by": behind,
        "total_commits": ahead,
    }  # fmt: skip


def activity(world: SimulatedState, stored_activity: Activity) -> Json:
    """`activity`."""
    return {
        # Where a branch was created or deleted, GitHub writes zeros.
        "id": stored_activity.id, "node_id": f"PSH_{stored_activity.id}", "before": stored_activity.before or NO_SHA,
        "after": stored_activity.after or NO_SHA, "ref": f"refs/heads/{stored_activity.branch}",
        "timestamp": timestamp(stored_activity.at), "activity_type": stored_activity.kind,
        "actor": account(world, stored_activity.actor),
    }  # fmt: skip


def file(world: SimulatedState, repo: StoredRepository, head_sha: str, change: ChangedFile, patch: str = "") -> Json:
    """`diff-entry`; without a `patch` as for big files."""
    place = quote(change.path)
    return {
        "sha": change.sha, "filename": change.path, "status": change.status, "additions": change.additions,
        "deletions": change.deletions, "changes": change.additions + change.deletions,
        "contents_url": world.api_url(f"/repos/{repo.full_name}/contents/{place}?ref={head_sha}"),
        "blob_url": world.web_url(f"/{repo.full_name}/blob/{head_sha}/{place}"),
        "raw_url": world.web_url(f"/{repo.full_name}/raw/{head_sha}/{place}"),
        **({"previous_filename": change.previous} if change.previous else {}), **({"patch": patch} if patch else {}),
    }  # fmt: skip
