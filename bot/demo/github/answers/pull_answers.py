"""How pull requests, the issues behind them, commits and files look in JSON."""

from bot.demo.github.answers.common import account, api, association, label, maybe, moment, repository, tally, web
from bot.demo.github.git import bare_repository
from bot.demo.github.register import Register
from bot.demo.github.state import Account, Json, Pull, Repository


def pull_simple(world: Register, pull: Pull) -> Json:
    """`pull-request-simple`, as lists carry it."""
    repo = pull.repository
    own = api(world, f"/repos/{repo.full_name}/pulls/{pull.number}")
    issue = api(world, f"/repos/{repo.full_name}/issues/{pull.number}")
    page = web(world, f"/{repo.full_name}/pull/{pull.number}")
    links = {
        "self": own, "html": page, "issue": issue, "comments": f"{issue}/comments", "review_comments": f"{own}/comments",
        "review_comment": f"{own}/comments{{/number}}", "commits": f"{own}/commits",
        "statuses": api(world, f"/repos/{repo.full_name}/statuses/{pull.head_sha}"),
    }  # fmt: skip
    return {
        "id": pull.id, "node_id": f"PR_{pull.id}", "number": pull.number, "url": own, "html_url": page,
        "diff_url": f"{page}.diff", "patch_url": f"{page}.patch", "issue_url": issue,
        "commits_url": links["commits"], "comments_url": links["comments"], "statuses_url": links["statuses"],
        "review_comments_url": links["review_comments"], "review_comment_url": links["review_comment"],
        "_links": {name: {"href": url} for name, url in links.items()},
        "state": pull.state, "locked": False, "draft": pull.draft, "title": pull.title, "body": pull.body or None,
        "user": None if pull.opener is None else account(world, pull.opener),
        "labels": [label(world, repo, one) for one in pull.labels], "author_association": association(pull, pull.opener),
        "assignee": None, "assignees": [], "requested_reviewers": [], "requested_teams": [], "milestone": None,
        "auto_merge": None, "active_lock_reason": None, "merge_commit_sha": pull.merge_sha,
        "created_at": moment(pull.created_at), "updated_at": moment(pull.updated_at),
        "closed_at": maybe(pull.closed_at), "merged_at": maybe(pull.merged_at),
        "head": _side(world, pull.head_repository, pull.head, pull.head_sha),
        "base": _side(world, repo, pull.base, pull.base_sha),
    }  # fmt: skip


def _side(world: Register, repo: Repository | None, branch: str, sha: str) -> Json:
    """Head or base; a deleted fork leaves nulls, as real answers do."""
    owner = None if repo is None else repo.owner
    return {
        "label": f"{owner.login if owner else 'unknown'}:{branch}", "ref": branch, "sha": sha,
        "user": None if owner is None else account(world, owner),
        "repo": None if repo is None else repository(world, repo),
    }  # fmt: skip


def pull(world: Register, one: Pull) -> Json:
    """`pull-request`: the whole."""
    files = bare_repository.files(one.repository.git, one.base_sha, one.head_sha)
    return {
        **pull_simple(world, one),
        "merged": one.merged_at is not None, "mergeable": None, "rebaseable": None, "mergeable_state": "unknown",
        "merged_by": None if one.merged_by is None else account(world, one.merged_by),
        "comments": len(one.comments), "review_comments": 0, "maintainer_can_modify": False,
        "commits": len(bare_repository.between(one.repository.git, one.base_sha, one.head_sha)), "changed_files": len(files),
        "additions": sum(file.additions for file in files), "deletions": sum(file.deletions for file in files),
    }  # fmt: skip


def pull_minimal(world: Register, one: Pull) -> Json:
    """`pull-request-minimal`, as check runs list them."""

    def side(repo: Repository, branch: str, sha: str) -> Json:
        own = {"id": repo.id, "url": api(world, f"/repos/{repo.full_name}"), "name": repo.name}
        return {"ref": branch, "sha": sha, "repo": own}

    return {
        "id": one.id, "number": one.number, "url": api(world, f"/repos/{one.repository.full_name}/pulls/{one.number}"),
        "head": side(one.head_repository or one.repository, one.head, one.head_sha),
        "base": side(one.repository, one.base, one.base_sha),
    }  # fmt: skip


def issue(world: Register, one: Pull) -> Json:
    """`issue`: the half of a pull request that comments and labels belong to."""
    simple = pull_simple(world, one)
    own = simple["issue_url"]
    path = f"/repos/{one.repository.full_name}/issues/{one.number}"
    kept = ("labels", "state", "locked", "title", "body", "user", "assignee", "assignees", "milestone", "author_association",
            "active_lock_reason", "created_at", "updated_at", "closed_at", "number", "html_url", "draft")  # fmt: skip
    return {
        **{key: simple[key] for key in kept},
        "id": one.id + 500000, "node_id": simple["node_id"], "url": own, "labels_url": f"{own}/labels{{/name}}",
        "comments_url": f"{own}/comments", "events_url": f"{own}/events", "timeline_url": f"{own}/timeline",
        "repository_url": api(world, f"/repos/{one.repository.full_name}"), "comments": len(one.comments),
        "performed_via_github_app": None, "state_reason": None, "reactions": tally(world, path, None),
        "pull_request": {key: simple[key] for key in ("url", "html_url", "diff_url", "patch_url", "merged_at")},
    }  # fmt: skip


def commit(world: Register, repo: Repository, one: bare_repository.GitCommit) -> Json:
    """`commit`: what git says, and the accounts that GitHub links to the two addresses."""
    own = f"/repos/{repo.full_name}/commits/{one.sha}"
    page = f"/{repo.full_name}/commit"
    verified = one.sha in world.verified_commits
    return {
        "sha": one.sha, "node_id": f"C_{one.sha}", "url": api(world, own), "html_url": web(world, f"{page}/{one.sha}"),
        "comments_url": api(world, f"{own}/comments"),
        "commit": {
            "author": _person(one.author), "committer": _person(one.committer), "message": one.message,
            "tree": {"sha": one.tree, "url": api(world, f"/repos/{repo.full_name}/git/trees/{one.tree}")},
            "url": api(world, f"/repos/{repo.full_name}/git/commits/{one.sha}"), "comment_count": 0,
            "verification": {
                "verified": verified, "reason": "valid" if verified else "unsigned",
                "signature": None, "payload": None, "verified_at": None,
            },
        },
        "author": _linked(world, one.author), "committer": _linked(world, one.committer),
        "parents": [
            {"sha": sha, "url": api(world, f"/repos/{repo.full_name}/commits/{sha}"), "html_url": web(world, f"{page}/{sha}")}
            for sha in one.parents
        ],
    }  # fmt: skip


def _person(signed: bare_repository.Signed) -> Json:
    return {"name": signed.name, "email": signed.email, "date": moment(signed.at)}


def _linked(world: Register, signed: bare_repository.Signed) -> Json | None:
    who: Account | None = world.account_of_email(signed.email)
    return None if who is None else account(world, who)


def file(world: Register, repo: Repository, head_sha: str, one: bare_repository.ChangedFile) -> Json:
    """`diff-entry`, without the patch as for big files."""
    base = f"/repos/{repo.full_name}"
    return {
        "sha": one.sha, "filename": one.path, "status": one.status, "additions": one.additions, "deletions": one.deletions,
        "changes": one.additions + one.deletions, "contents_url": api(world, f"{base}/contents/{one.path}?ref={head_sha}"),
        "blob_url": web(world, f"{base}/blob/{head_sha}/{one.path}"),
        "raw_url": web(world, f"{base}/raw/{head_sha}/{one.path}"),
        **({"previous_filename": one.previous} if one.previous else {}),
    }  # fmt: skip
