"""Issues and the issue half of pull requests, comments and reactions as JSON."""

from datetime import datetime

from bot.demo.github.json.account_json import account
from bot.demo.github.json.app_json import app
from bot.demo.github.json.pull_json import pull_simple
from bot.demo.github.json.repository_json import association, label
from bot.demo.github.simulated_state import SimulatedState
from bot.demo.github.state import Json, StoredAccount, StoredComment, StoredIssue, StoredPull, timestamp

REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")  # All that GitHub knows.


def issue(world: SimulatedState, one: StoredIssue) -> Json:
    """`issue`: of a pull request the half that comments and labels belong to."""
    repo = one.repository
    path = f"/repos/{repo.full_name}/issues/{one.number}"
    own = world.api_url(path)
    result: Json = {
        "id": one.id, "node_id": f"I_{one.id}", "number": one.number, "url": own, "title": one.title,
        "body": one.body or None, "state": one.state, "state_reason": None if one.closed_at is None else "completed",
        "user": None if one.opener is None else account(world, one.opener),
        "html_url": world.web_url(f"/{repo.full_name}/issues/{one.number}"),
        "repository_url": world.api_url(f"/repos/{repo.full_name}"), "labels_url": f"{own}/labels{{/name}}",
        "comments_url": f"{own}/comments", "events_url": f"{own}/events", "timeline_url": f"{own}/timeline",
        "labels": [label(world, repo, each) for each in one.labels], "assignee": None, "assignees": [], "milestone": None,
        "locked": False, "active_lock_reason": None, "comments": len(one.comments),
        "author_association": association(one, one.opener), "reactions": reaction_rollup(world, path, None),
        "created_at": timestamp(one.created_at), "updated_at": timestamp(one.updated_at), "closed_at": timestamp(one.closed_at),
        "performed_via_github_app": None if one.app is None else app(world, one.app),
    }  # fmt: skip
    if isinstance(one, StoredPull):  # Each pull request is an issue, too.
        simple = pull_simple(world, one)
        result |= {key: simple[key] for key in ("node_id", "html_url", "draft")}
        result |= {"id": one.id + 500000, "state_reason": None}  # As an issue it has another id.
        # By this key clients tell pull requests from issues.
        result["pull_request"] = {key: simple[key] for key in ("url", "html_url", "diff_url", "patch_url", "merged_at")}
    return result


def comment(world: SimulatedState, on: StoredIssue, one: StoredComment) -> Json:
    """`issue-comment`; one by an App says so in `performed_via_github_app`."""
    base, page = f"/repos/{on.repository.full_name}/issues", "pull" if isinstance(on, StoredPull) else "issues"
    own = f"{base}/comments/{one.id}"
    return {
        "id": one.id, "node_id": f"IC_{one.id}", "url": world.api_url(own), "body": one.body,
        "html_url": world.web_url(f"/{on.repository.full_name}/{page}/{on.number}#issuecomment-{one.id}"),
        "issue_url": world.api_url(f"{base}/{on.number}"), "user": None if one.user is None else account(world, one.user),
        "created_at": timestamp(one.created_at), "updated_at": timestamp(one.updated_at),
        "author_association": association(on, one.user), "reactions": reaction_rollup(world, own, one),
        "performed_via_github_app": None if one.app is None else app(world, one.app),
    }  # fmt: skip


def reaction(world: SimulatedState, one: tuple[int, StoredAccount, str, datetime]) -> Json:
    """`reaction`."""
    number, who, content, at = one
    return {
        "id": number, "node_id": f"REA_{number}", "user": account(world, who), "content": content, "created_at": timestamp(at),
    }  # fmt: skip


def reaction_rollup(world: SimulatedState, path: str, one: StoredComment | None) -> Json:
    """`reaction-rollup`; without a comment, that of nothing."""
    contents = [content for _, _, content, _ in one.reactions] if one else []
    counts = {content: contents.count(content) for content in REACTIONS}
    return {"url": world.api_url(f"{path}/reactions"), "total_count": len(contents), **counts}
