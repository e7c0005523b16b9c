"""Pull requests as JSON: in a list, whole, and as check runs name them."""

from bot.demo.github.git import bare_repository, changed_files
from bot.demo.github.json.account_json import account
from bot.demo.github.json.repository_json import association, label, repository
from bot.demo.github.simulated_state import SimulatedState
from bot.demo.github.state import Json, StoredPull, StoredRepository, timestamp


def pull_simple(world: SimulatedState, pull: StoredPull) -> Json:
    """`pull-request-simple`, as lists carry it."""
    repo = pull.repository
    own = world.api_url(f"/repos/{repo.full_name}/pulls/{pull.number}")
    issue = world.api_url(f"/repos/{repo.full_name}/issues/{pull.number}")
    page = world.web_url(f"/{repo.full_name}/pull/{pull.number}")
    links = {
        "self": own, "html": page, "issue": issue, "comments": f"{issue}/comments", "review_comments": f"{own}/comments",
        "review_comment": f"{own}/comments{{/number}}", "commits": f"{own}/commits",
        "statuses": world.api_url(f"/repos/{repo.full_name}/statuses/{pull.head_sha}"),
    }  # fmt: skip
    return {
        "id": pull.id, "node_id": f"PR_{pull.id}", "number": pull.number, "url": own, "html_url": page,
        "diff_url": f"{page}.diff", "patch_url": f"{page}.patch", "issue_url": issue,
        "commits_url": links["commits"], "comments_url": links["comments"], "statuses_url": links["statuses"],
        "review_comments_url": links["review_comments"], "review_comment_url": links["review_comment"],
        "_links": {name: {"href": url} for name, url in links.items()},
        "state": pull.state, "locked": False, "draft": pull.draft, "title": pull.title, "body": pull.body or None,
        "user": None if pull.opener is None else account(world, pull.opener),
        "labels": [label(world, repo, stored_label) for stored_label in pull.labels],
        "author_association": association(pull, pull.opener),
        "assignee": None, "assignees": [], "requested_reviewers": [], "requested_teams": [], "milestone": None,
        "auto_merge": None, "active_lock_reason": None, "merge_commit_sha": pull.merge_sha,
        "created_at": timestamp(pull.created_at), "updated_at": timestamp(pull.updated_at),
        "closed_at": timestamp(pull.closed_at), "merged_at": timestamp(pull.merged_at),
        "head": _side(world, pull.head_repository, pull.head, pull.head_sha),
        "base": _side(world, repo, pull.base, pull.base_sha),
    }  # fmt: skip


def _side(world: SimulatedState, repo: StoredRepository | None, branch: str, sha: str) -> Json:
    owner = None if repo is None else repo.owner  # A deleted fork leaves nulls.
    return {
        "label": f"{owner.login if owner else 'unknown'}:{branch}", "ref": branch, "sha": sha,
        "user": None if owner is None else account(world, owner),
        "repo": None if repo is None else repository(world, repo),
    }  # fmt: skip


def pull(world: SimulatedState, stored_pull: StoredPull) -> Json:
    """`pull-request`: the whole."""
    files = changed_files.between(stored_pull.repository.git, stored_pull.base_sha, stored_pull.head_sha)
    return {
        **pull_simple(world, stored_pull),
        # GitHub finds out in the background whether it can be merged, and says null until then.
        "merged": stored_pull.merged_at is not None, "mergeable": None, "rebaseable": None,
        "mergeable_state": "unknown",
        "merged_by": None if stored_pull.merged_by is None else account(world, stored_pull.merged_by),
        "comments": len(stored_pull.comments), "review_comments": 0, "maintainer_can_modify": False,
        "commits": len(
            bare_repository.between(stored_pull.repository.git, stored_pull.base_sha, stored_pull.head_sha)
        ),
        "changed_files": len(files),
        "additions": sum(file.additions for file in files), "deletions": sum(file.deletions for file in files),
    }  # fmt: skip


def pull_minimal(world: SimulatedState, stored_pull: StoredPull) -> Json:
    """`pull-request-minimal`, as check runs list them."""

    def side(repo: StoredRepository, branch: str, sha: str) -> Json:
        own = {"id": repo.id, "url": world.api_url(f"/repos/{repo.full_name}"), "name": repo.name}
        return {"ref": branch, "sha": sha, "repo": own}

    return {
        "id": stored_pull.id, "number": stored_pull.number,
        "url": world.api_url(f"/repos/{stored_pull.repository.full_name}/pulls/{stored_pull.number}"),
        "head": side(stored_pull.head_repository or stored_pull.repository, stored_pull.head, stored_pull.head_sha),
        "base": side(stored_pull.repository, stored_pull.base, stored_pull.base_sha),
    }  # fmt: skip
