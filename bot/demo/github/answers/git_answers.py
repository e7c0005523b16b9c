"""How trees, blobs, commits, references and comparisons look in JSON."""

import base64
from collections.abc import Sequence

from bot.demo.github.answers.common import account, api, moment, web
from bot.demo.github.answers.pull_answers import commit as whole_commit
from bot.demo.github.git import bare_repository
from bot.demo.github.git.objects import TreeItem
from bot.demo.github.register import Register
from bot.demo.github.state import Activity, Json, Repository

_NOTHING = "0" * 40


def tree(world: Register, repo: Repository, sha: str, items: Sequence[TreeItem], *, truncated: bool = False) -> Json:
    """`git-tree`."""
    base = f"/repos/{repo.full_name}/git"
    places = {"blob": "blobs", "tree": "trees"}
    listed = []
    for item in items:
        one: Json = {"path": item.path, "mode": item.mode, "type": item.kind, "sha": item.sha}
        if item.size is not None:
            one["size"] = item.size
        if item.kind in places:
            one["url"] = api(world, f"{base}/{places[item.kind]}/{item.sha}")
        listed.append(one)
    return {"sha": sha, "url": api(world, f"{base}/trees/{sha}"), "tree": listed, "truncated": truncated}


def blob(world: Register, repo: Repository, sha: str, data: bytes) -> Json:
    """`blob`, in lines of Base64 as GitHub writes them."""
    return {
        "sha": sha, "node_id": f"B_{sha}", "size": len(data), "encoding": "base64",
        "content": base64.encodebytes(data).decode(), "url": api(world, f"/repos/{repo.full_name}/git/blobs/{sha}"),
    }  # fmt: skip


def commit(world: Register, repo: Repository, one: bare_repository.GitCommit) -> Json:
    """`git-commit`: without accounts."""
    whole = whole_commit(world, repo, one)
    told = whole["commit"]
    return {
        "sha": one.sha, "node_id": whole["node_id"], "url": told["url"], "html_url": whole["html_url"],
        "author": _person(one.author), "committer": _person(one.committer), "tree": told["tree"], "message": one.message,
        "parents": whole["parents"], "verification": told["verification"],
    }  # fmt: skip


def _person(signed: bare_repository.Signed) -> Json:
    return {"name": signed.name, "email": signed.email, "date": moment(signed.at)}


def reference(world: Register, repo: Repository, name: str, sha: str) -> Json:
    """`git-ref`."""
    base = f"/repos/{repo.full_name}/git"
    return {
        "ref": name, "node_id": f"REF_{repo.id}", "url": api(world, f"{base}/{name}"),
        "object": {"type": "commit", "sha": sha, "url": api(world, f"{base}/commits/{sha}")},
    }  # fmt: skip


def comparison(
    world: Register, repo: Repository, ends: str, starts: tuple[bare_repository.GitCommit, bare_repository.GitCommit],
    apart: tuple[Sequence[bare_repository.GitCommit], Sequence[bare_repository.GitCommit]],
) -> Json:  # fmt: skip
    """`commit-comparison` but for its commits and files; `starts` are the base and where they part, `apart` each side's."""
    ahead, behind = (len(side) for side in apart)
    status = {(False, False): "identical", (True, False): "ahead", (False, True): "behind"}
    page = web(world, f"/{repo.full_name}/compare/{ends}")
    base, origin = (whole_commit(world, repo, one) for one in starts)
    return {
        "url": api(world, f"/repos/{repo.full_name}/compare/{ends}"), "html_url": page, "permalink_url": page,
        "diff_url": f"{page}.diff", "patch_url": f"{page}.patch", "base_commit": base, "merge_base_commit": origin,
        "status": status.get((ahead > 0, behind > 0), "diverged"), "ahead_by": ahead, "behind_by": behind,
        "total_commits": ahead,
    }  # fmt: skip


def activity(world: Register, one: Activity) -> Json:
    """`activity`; where a branch was created or deleted a SHA is all zeros."""
    return {
        "id": one.id, "node_id": f"PSH_{one.id}", "before": one.before or _NOTHING, "after": one.after or _NOTHING,
        "ref": f"refs/heads/{one.branch}", "timestamp": moment(one.at), "activity_type": one.kind,
        "actor": account(world, one.actor),
    }  # fmt: skip
