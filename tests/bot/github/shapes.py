"""Answers shaped like GitHub's, with the parts that a test wants to differ."""

import base64
from typing import Any

PERSON = {"__typename": "User", "databaseId": 11, "login": "ann"}


def sha(number: int) -> str:
    """A commit id."""
    return f"{number:040x}"


def actor(name="Ann", email="ann@example.org", user=PERSON):
    """A GitActor."""
    return {"name": name, "email": email, "user": user}


def commit_node(number: int, **changes: Any) -> dict:
    """A commit of GraphQL's."""
    node = {
        "oid": sha(number), "message": f"Change {number}", "authoredDate": "2026-11-01T10:00:00Z",
        "parents": {"nodes": [{"oid": sha(number - 1)}]}, "signature": {"isValid": True},
        "author": actor(), "committer": actor(),
        "authors": {"pageInfo": {"hasNextPage": False}, "nodes": [actor()]},
    }  # fmt: skip
    return {**node, **changes}


def connection(numbers, total: int, cursor: str | None = None) -> dict:
    """A page of commits."""
    return {
        "totalCount": total,
        "pageInfo": {"hasNextPage": cursor is not None, "endCursor": cursor},
        "nodes": [{"commit": number if isinstance(number, dict) else commit_node(number)} for number in numbers],
    }


def blob(content: str, **changes: Any) -> dict:
    """A file of GraphQL's."""
    return {"__typename": "Blob", "text": content, "isTruncated": False, "isBinary": False, **changes}


OWNER = {"__typename": "Organization", "login": "cann", "databaseId": 500}


def look_data(
    commits: dict, *, head: str, pull: dict | None = None, repository: dict | None = None, **rest: Any
) -> dict:
    """The answer to LOOK."""
    request = {
        "number": 3, "title": "Fix ops", "state": "OPEN", "isDraft": False, "createdAt": "2026-11-01T09:00:00Z",
        "updatedAt": "2026-11-02T09:00:00Z", "changedFiles": 2, "baseRefName": "main", "baseRefOid": sha(0xBA5E),
        "headRefName": "topic", "headRefOid": head, "headRepository": {"nameWithOwner": "ann/ops"},
        "baseRef": {"target": {"file": {"object": blob("Ann <ann@example.org> <old@example.org>\n")}}},
        "author": PERSON, "labels": {"nodes": [{"name": "CLA-Signed"}, {"name": "bug"}]}, "commits": commits,
        **(pull or {}),
    }  # fmt: skip
    place = {
        "databaseId": 900, "name": "ops", "isPrivate": False, "owner": OWNER,
        "rulebook": None, "dco": blob("require:\n  members: false\n"),
        "label0": {"name": "CLA-Signed"}, "label1": None, "label2": {"name": "x"}, "label3": {"name": "x"},
        "pullRequest": request, **(repository or {}),
    }  # fmt: skip
    return {"repository": place, "rules": {"name": ".github", "owner": OWNER, "rulebook": blob("version: 1\n")}, **rest}


def more_data(commits: dict, *, head: str, **changes: Any) -> dict:
    """The answer to MORE."""
    return {"repository": {"databaseId": 900, "pullRequest": {"headRefOid": head, "commits": commits}, **changes}}


def rest_user(number=11, login="ann", kind="User") -> dict:
    """A simple user."""
    return {"id": number, "login": login, "type": kind}


def rest_commit(number: int, message: str = "", **changes: Any) -> dict:
    """A commit of REST's."""
    who = {"name": "Ann", "email": "ann@example.org", "date": "2026-11-01T10:00:00Z"}
    item = {
        "sha": sha(number), "parents": [{"sha": sha(number - 1)}], "author": rest_user(), "committer": rest_user(),
        "commit": {"message": message or f"Change {number}", "author": who, "committer": who,
                   "verification": {"verified": False, "reason": "unsigned"}},
    }  # fmt: skip
    return {**item, **changes}


def rest_repository(number=900, owner="cann", name="ops") -> dict:
    """A repository of REST's."""
    return {"id": number, "name": name, "full_name": f"{owner}/{name}", "private": False,
            "owner": {"id": 500, "login": owner, "type": "Organization"}}  # fmt: skip


def rest_pull(commits: int, at: str, **changes: Any) -> dict:
    """A pull request of REST's."""
    pull = {
        "number": 3, "title": "Fix ops", "state": "open", "draft": False, "merged_at": None, "user": rest_user(),
        "created_at": "2026-11-01T09:00:00Z", "updated_at": "2026-11-02T09:00:00Z", "changed_files": 2,
        "commits": commits, "labels": [{"name": "bug"}],
        "base": {"ref": "main", "sha": sha(0xBA5E), "repo": rest_repository()},
        "head": {"ref": "topic", "sha": at, "repo": rest_repository(901, "ann", "ops")},
    }  # fmt: skip
    return {**pull, **changes}


def rest_file(text: str, **changes: Any) -> dict:
    """A file of REST's contents."""
    return {"type": "file", "encoding": "base64", "content": base64.b64encode(text.encode()).decode(), **changes}


SLOW_DOWN = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
"""What GitHub says with 403 or 429."""

INVALID = {"message": "Validation Failed", "documentation_url": "https://docs.github.com/rest", "errors": []}
"""What GitHub says with 422."""


def next_page(path, number=1, also=""):
    """The Link header of that page of a list of ours, when there is one more; `also` is what else was asked for."""
    base = f"https://api.github.com{path}?per_page=100{also}"
    before = f', <{base}&page={number - 1}>; rel="prev", <{base}&page=1>; rel="first"' if number > 1 else ""
    return f'<{base}&page={number + 1}>; rel="next"{before}'
