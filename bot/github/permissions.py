"""The App permission that each call of the hub needs, as data: app.yaml asks for their union, no more.

Everything here uses REST's names; `MANIFEST_NAMES` has those that a manifest calls otherwise.
"""

from collections.abc import Iterable, Mapping
from typing import Final

Needs = Mapping[str, str]

_NONE: Needs = {}
_METADATA: Needs = {"metadata": "read"}
_READ_PULL: Needs = {"metadata": "read", "pull_requests": "read"}
_READ_FILES: Needs = {"metadata": "read", "contents": "read"}
_READ_COMMITS: Needs = {**_READ_PULL, "contents": "read"}
_READ_CHECKS: Needs = {"metadata": "read", "checks": "read"}
_READ_COMMENTS: Needs = {**_READ_PULL, "issues": "read"}
_READ_MEMBERS: Needs = {"metadata": "read", "members": "read"}
_WRITE_CHECKS: Needs = {"metadata": "read", "checks": "write"}
_WRITE_COMMENTS: Needs = {"metadata": "read", "pull_requests": "write", "issues": "write"}
_WRITE_ISSUES: Needs = {"metadata": "read", "issues": "write"}

# Every method of Hub but the optional ones. Source: GitHub's page "Permissions required for GitHub Apps".
NEEDS: Mapping[str, Needs] = {
    "fetch_snapshot": {**_READ_COMMITS, "issues": "read"},
    **dict.fromkeys(("history", "pushes", "bringing_pulls", "pull_commits"), _READ_COMMITS),
    **dict.fromkeys(
        ("fetch_head", "linked_bots", "files", "open_numbers", "open_pulls", "more_open_pulls"), _READ_PULL
    ),
    **dict.fromkeys(("rule_files", "organization_file", "required_checks"), _READ_FILES),
    **dict.fromkeys(
        ("heads", "tree", "blobs", "merge_base", "merged", "changes", "reverts", "dependency_sbom"), _READ_FILES
    ),
    **dict.fromkeys(("branch_head", "pushed_commits", "ahead", "protected_heads", "is_created_since"), _READ_FILES),
    "merge_queue": {**_READ_PULL, "merge_queues": "read"},
    **dict.fromkeys(("repository_by_name", "may_read", "role", "listed"), _METADATA),
    **dict.fromkeys(("members", "team_by_name", "team_members"), _READ_MEMBERS),
    **dict.fromkeys(("create_check", "update_check"), _WRITE_CHECKS),
    **dict.fromkeys(("find_check", "shown_checks"), _READ_CHECKS),
    **dict.fromkeys(("create_comment", "update_comment", "add_label", "remove_label", "react"), _WRITE_COMMENTS),
    **dict.fromkeys(("find_comment", "comment", "labels", "our_reaction"), _READ_COMMENTS),
    **dict.fromkeys(("create_label", "issue"), _WRITE_ISSUES),
    **dict.fromkeys(("failed_deliveries", "newest_deliveries", "taken_deliveries", "sent_webhook", "redeliver"), _NONE),
    **dict.fromkeys(("account_by_login", "accounts_by_id", "accounts_by_login", "account_with_age"), _NONE),
    **dict.fromkeys(("identity", "installations"), _NONE),
    **dict.fromkeys(("registration", "webhook", "clock_offset", "server_features"), _NONE),
}


# Only some operators want these: they grant them to their App themselves, and app.yaml does not ask for them.
OPTIONAL: Mapping[str, Needs] = {
    "put_file": {"metadata": "read", "contents": "write"},
    "propose": {"metadata": "read", "contents": "write", "pull_requests": "write"},
}


# As REST names a permission in a request for a token → as a manifest and GitHub's description of an App name it.
# Sources, read on 2026-11-28: left, the schema `app-permissions` of REST (@octokit/openapi 23.0.2); right,
# `performed_via_github_app` of its webhooks, and "Creating a GitHub App using URL parameters" (github/docs at 1312b68).
# GitHub refuses the whole manifest for a name on the left.
MANIFEST_NAMES: Mapping[str, str] = {"email_addresses": "emails", "git_ssh_keys": "keys"}
_REST_NAMES: Mapping[str, str] = {name: rest for rest, name in MANIFEST_NAMES.items()}

REHEARSAL: Needs = {"metadata": "read", "contents": "write", "pull_requests": "write"}
"""The permissions that `rehearse` needs of the person's own token on one repository: for a branch, a pull request and a comment.

A comment on a pull request takes "Issues" or "Pull requests". Source: GitHub's page "Permissions required for fine-grained
personal access tokens". Check runs are read as the App: such a token cannot have the permission "Checks".
"""


SIGN_IN: Needs = {"email_addresses": "read"}
"""The permission that a person grants by signing in: to read their verified addresses."""

# The permission to read that GitHub asks for first; without it, it refuses the manifest.
# Source: GitHub's page "Webhook events and payloads", at each event.
EVENTS: Mapping[str, str] = {
    "check_run": "checks",
    "check_suite": "checks",
    "issue_comment": "issues",
    "member": "members",
    "membership": "members",
    "merge_group": "merge_queues",
    "organization": "members",
    "pull_request": "pull_requests",
    "push": "contents",
    "repository": "metadata",
}

_LEVELS: Final = ("none", "read", "write", "admin")  # Weakest first.


def required() -> dict[str, str]:
    """The least that the App works with: the union of what its calls, signing in and its events need."""
    needed: dict[str, str] = {}
    for needs in (*NEEDS.values(), SIGN_IN, dict.fromkeys(EVENTS.values(), "read")):
        needed |= {name: level for name, level in needs.items() if _rank(level) > _rank(needed.get(name, "none"))}
    return needed


def lacking(granted: Mapping[str, str], *, without: Iterable[str] = ()) -> dict[str, str]:
    """The permissions that are not granted, or only at a weaker level; `without` names permissions that are not looked at."""
    return {
        name: level
        for name, level in sorted(required().items())
        if name not in frozenset(without) and _rank(granted.get(name, "none")) < _rank(level)
    }


def in_manifest(needs: Needs) -> dict[str, str]:
    """The same permissions under the names that a manifest takes."""
    return {MANIFEST_NAMES.get(name, name): level for name, level in needs.items()}


def in_rest(granted: Mapping[str, object]) -> dict[str, str]:
    """Permissions that GitHub or a manifest names in either way, under REST's names."""
    return {_REST_NAMES.get(str(name), str(name)): str(level) for name, level in granted.items()}


def _rank(level: str) -> int:
    return _LEVELS.index(level) if level in _LEVELS else 0
