"""Issues and the issue half of pull requests, comments and reactions as JSON."""

from datetime import datetime

from bot.demo.github.json.account_json import account
from bot.demo.github.json.app_json import app
from bot.demo.github.json.pull_json import pull_simple
from bot.demo.github.json.repository_json import association, label
from bot.demo.github.simulated_state import SimulatedState
from bot.demo.github.state import Json, StoredAccount, StoredComment, StoredIssue, StoredPull, timestamp

REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")  # All that GitHub knows.


def issue(world: SimulatedState, stored_issue: StoredIssue) -> Json:
    """`issue`: of a pull request the half that comments and labels belong to."""
    repo = stored_issue.repository
    path = f"/repos/{repo.full_name}/issues/{stored_issue.number}"
    own = world.api_url(path)
    result: Json = {
        "id": stored_issue.id, "node_id": f"I_{stored_issue.id}", "number": stored_issue.number, "url": own,
        "title": stored_issue.title, "body": stored_issue.body or None, "state": stored_issue.state,
        "state_reason": None if stored_issue.closed_at is None else "completed",
        "user": None if stored_issue.opener is None else account(world, stored_issue.opener),
        "html_url": world.web_url(f"/{repo.full_name}/issues/{stored_issue.number}"),
        "repository_url": world.api_url(f"/repos/{repo.full_name}"), "labels_url": f"{own}/labels{{/name}}",
        "comments_url": f"{own}/comments", "events_url": f"{own}/events", "timeline_url": f"{own}/timeline",
        "labels": [label(world, repo, each) for each in stored_issue.labels], "assignee": None, "assignees": [],
        "milestone": None, "locked": False, "active_lock_reason": None, "comments": len(stored_issue.comments),
        "author_association": association(stored_issue, stored_issue.opener),
        "reactions": reaction_rollup(world, path, None),
        "created_at": timestamp(stored_issue.created_at), "updated_at": timestamp(stored_issue.updated_at),
        "closed_at": timestamp(stored_issue.closed_at),
        "performed_via_github_app": None if stored_issue.app is None else app(world, stored_issue.app),
    }  # fmt: skip
    if isinstance(stored_issue, StoredPull):  # Each pull request is an issue, too.
        simple = pull_simple(world, stored_issue)
        result |= {key: simple[key] for key in ("node_id", "html_url", "draft")}
        result |= {"id": stored_issue.id + 500000, "state_reason": None}  # As an issue it has another id.
        # By this key clients tell pull requests from issues.
        result["pull_request"] = {key: simple[key] for key in ("url", "html_url", "diff_url", "patch_url", "merged_at")}
    return result


def comment(world: SimulatedState, on: StoredIssue, stored_comment: StoredComment) -> Json:
    """`issue-comment`; one by an App says so in `performed_via_github_app`."""
    base, page = f"/repos/{on.repository.full_name}/issues", "pull" if isinstance(on, StoredPull) else "issues"
    own = f"{base}/comments/{stored_comment.id}"
    return {
        "id": stored_comment.id, "node_id": f"IC_{stored_comment.id}", "url": world.api_url(own),
        "body": stored_comment.body,
        "html_url": world.web_url(f"/{on.repository.full_name}/{page}/{on.number}#issuecomment-{stored_comment.id}"),
        "issue_url": world.api_url(f"{base}/{on.number}"),
        "user": None if stored_comment.user is None else account(world, stored_comment.user),
        "created_at": timestamp(stored_comment.created_at), "updated_at": timestamp(stored_comment.updated_at),
        "author_association": association(on, stored_comment.user),
        "reactions": reaction_rollup(world, own, stored_comment),
        "performed_via_github_app": None if stored_comment.app is None else app(world, stored_comment.app),
    }  # fmt: skip


def reaction(world: SimulatedState, stored_reaction: tuple[int, StoredAccount, str, datetime]) -> Json:
    """`reaction`."""
    number, who, content, at = stored_reaction
    return {
        "id": number, "node_id": f"REA_{number}", "user": account(world, who), "content": content, "created_at": timestamp(at),
    }  # fmt: skip


def reaction_rollup(world: SimulatedState, path: str, stored_comment: StoredComment | None) -> Json:
    """`reaction-rollup`; without a comment, that of nothing."""
    contents = [content for _, _, content, _ in stored_comment.reactions] if stored_comment else []
    counts = {content: contents.count(content) for content in REACTIONS}
    return {"url": world.api_url(f"{path}/reactions"), "total_count": len(contents), **counts}
