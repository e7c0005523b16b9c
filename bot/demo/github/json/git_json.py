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
        one: Json = {"path": item.path, "mode": item.mode, "type": item.kind, "sha": item.sha}
        if item.size is not None:  # Only blobs have a size.
            one["size"] = item.size
        if item.kind in places:  # A submodule's commit is in another repository.
            one["url"] = world.api_url(f"{base}/{places[item.kind]}/{item.sha}")
        listed.append(one)
    return {"sha": sha, "url": world.api_url(f"{base}/trees/{sha}"), "tree": listed, "truncated": truncated}


def blob(world: SimulatedState, repo: StoredRepository, sha: str, data: bytes) -> Json:
    """`blob`."""
    return {
        "sha": sha, "node_id": f"B_{sha}", "size": len(data), "encoding": "base64",
        # In lines of Base64, as GitHub writes them.
        "content": base64.encodebytes(data).decode(), "url": world.api_url(f"/repos/{repo.full_name}/git/blobs/{sha}"),
    }  # fmt: skip


def commit(world: SimulatedState, repo: StoredRepository, one: GitCommit) -> Json:
    """`commit`: what git says, and the accounts that GitHub links to the two addresses."""
    own = f"/repos/{repo.full_name}/commits/{one.sha}"
    page = f"/{repo.full_name}/commit"
    verified = one.sha in world.verified_commits
    return {
        "sha": one.sha, "node_id": f"C_{one.sha}", "url": world.api_url(own), "html_url": world.web_url(f"{page}/{one.sha}"),
        "comments_url": world.api_url(f"{own}/comments"),
        "commit": {
            "author": _person(one.author), "committer": _person(one.committer), "message": one.message,
            "tree": {"sha": one.tree, "url": world.api_url(f"/repos/{repo.full_name}/git/trees/{one.tree}")},
            "url": world.api_url(f"/repos/{repo.full_name}/git/commits/{one.sha}"), "comment_count": 0,
            "verification": {
                "verified": verified, "reason": "valid" if verified else "unsigned",
                "signature": None, "payload": None, "verified_at": None,
            },
        },
        "author": _linked(world, one.author), "committer": _linked(world, one.committer),
        "parents": [
            {"sha": sha, "url": world.api_url(f"/repos/{repo.full_name}/commits/{sha}"), "html_url": world.web_url(f"{page}/{sha}")}
            for sha in one.parents
        ],
    }  # fmt: skip


def _person(signed: GitIdentity) -> Json:
    return {"name": signed.name, "email": signed.email, "date": timestamp(signed.at)}


def _linked(world: SimulatedState, signed: GitIdentity) -> Json | None:
    who = world.account_of_email(signed.email)
    return None if who is None else account(world, who)


def git_commit(world: SimulatedState, repo: StoredRepository, one: GitCommit) -> Json:
    """`git-commit`: a commit without accounts."""
    whole = commit(world, repo, one)
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
    base, origin = (commit(world, repo, one) for one in starts)
    return {
        "url": world.api_url(f"/repos/{repo.full_name}/compare/{ends}"), "html_url": page, "permalink_url": page,
        "diff_url": f"{page}.diff", "patch_url": f"{page}.patch", "base_commit": base, "merge_base_commit": origin,
        "status": status.get((ahead > 0, behind > 0), "diverged"), "ahead_by": ahead, "behind_by": behind,
        "total_commits": ahead,
    }  # fmt: skip


def activity(world: SimulatedState, one: Activity) -> Json:
    """`activity`."""
    return {
        # Where a branch was created or deleted, GitHub writes zeros.
        "id": one.id, "node_id": f"PSH_{one.id}", "before": one.before or NO_SHA, "after": one.after or NO_SHA,
        "ref": f"refs/heads/{one.branch}", "timestamp": timestamp(one.at), "activity_type": one.kind,
        "actor": account(world, one.actor),
    }  # fmt: skip


def file(world: SimulatedState, repo: StoredRepository, head_sha: str, one: ChangedFile, patch: str = "") -> Json:
    """`diff-entry`; without a `patch` as for big files."""
    place = quote(one.path)
    return {
        "sha": one.sha, "filename": one.path, "status": one.status, "additions": one.additions, "deletions": one.deletions,
        "changes": one.additions + one.deletions, "contents_url": world.api_url(f"/repos/{repo.full_name}/contents/{place}?ref={head_sha}"),
        "blob_url": world.web_url(f"/{repo.full_name}/blob/{head_sha}/{place}"),
        "raw_url": world.web_url(f"/{repo.full_name}/raw/{head_sha}/{place}"),
        **({"previous_filename": one.previous} if one.previous else {}), **({"patch": patch} if patch else {}),
    }  # fmt: skip
