"""How an issue that is no pull request looks in JSON."""

from bot.demo.github.answers.comment_answers import app
from bot.demo.github.answers.common import account, api, maybe, moment, tally, web
from bot.demo.github.register import Register
from bot.demo.github.state import Issue, Json, Repository


def issue(world: Register, repo: Repository, one: Issue) -> Json:
    """`issue`; one by an App says so in `performed_via_github_app`."""
    path = f"/repos/{repo.full_name}/issues/{one.number}"
    own = api(world, path)
    owner = repo.owner
    association = "OWNER" if one.user is owner else "MEMBER" if one.user.id in owner.members else "NONE"
    return {
        "id": one.id, "node_id": f"I_{one.id}", "number": one.number, "url": own, "title": one.title,
        "body": one.body or None, "state": "open" if one.closed_at is None else "closed",
        "state_reason": None if one.closed_at is None else "completed", "user": account(world, one.user),
        "html_url": web(world, f"/{repo.full_name}/issues/{one.number}"),
        "repository_url": api(world, f"/repos/{repo.full_name}"), "labels_url": f"{own}/labels{{/name}}",
        "comments_url": f"{own}/comments", "events_url": f"{own}/events", "timeline_url": f"{own}/timeline",
        "labels": [], "assignee": None, "assignees": [], "milestone": None, "locked": False, "active_lock_reason": None,
        "comments": 0, "author_association": association, "reactions": tally(world, path, None),
        "created_at": moment(one.created_at), "updated_at": moment(one.updated_at), "closed_at": maybe(one.closed_at),
        "performed_via_github_app": None if one.app is None else app(world, one.app),
    }  # fmt: skip
