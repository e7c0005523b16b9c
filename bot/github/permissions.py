"""The App permission that each call of the hub needs, as data: app.yaml asks for their union, no more.

Everything here uses REST's names; `MANIFEST_NAMES` has those that a manifest calls otherwise.
"""

from collections.abc import Iterable, Mapping
from typing import Final

Needs = Mapping[str, str]

_READ_PULL: Needs = {"metadata": "read", "pull_requests": "read"}
_READ_FILES: Needs = {"metadata": "read", "contents": "read"}
_COMMENT: Needs = {"metadata": "read", "pull_requests": "write", "issues": "write"}

NEEDS: Mapping[str, Needs] = {
    "fetch_snapshot": {**_READ_PULL, "contents": "read", "issues": "read"},
    "history": {**_READ_PULL, "contents": "read"},
    "fetch_head": _READ_PULL,
    "linked_bots": _READ_PULL,
    "rule_files": _READ_FILES,
    "organization_file": _READ_FILES,
    "files": _READ_PULL,
    "open_numbers": _READ_PULL,
    "pushes": {**_READ_PULL, "contents": "read"},
    "failed_deliveries": {},
    "newest_deliveries": {},
    "taken_deliveries": {},
    "sent_webhook": {},
    "redeliver": {},
    "open_pulls": _READ_PULL,
    "more_open_pulls": _READ_PULL,
    "merge_queue": {**_READ_PULL, "merge_queues": "read"},
    "repository_by_name": {"metadata": "read"},
    "create_check": {"metadata": "read", "checks": "write"},
    "update_check": {"metadata": "read", "checks": "write"},
    "find_check": {"metadata": "read", "checks": "read"},
    "shown_checks": {"metadata": "read", "checks": "read"},
    "create_comment": _COMMENT,
    "update_comment": _COMMENT,
    "find_comment": {"metadata": "read", "pull_requests": "read", "issues": "read"},
    "comment": {"metadata": "read", "pull_requests": "read", "issues": "read"},
    "create_label": {"metadata": "read", "issues": "write"},
    "add_label": _COMMENT,
    "remove_label": _COMMENT,
    "labels": {"metadata": "read", "pull_requests": "read", "issues": "read"},
    "react": _COMMENT,
    "our_reaction": {"metadata": "read", "pull_requests": "read", "issues": "read"},
    "may_read": {"metadata": "read"},
    "role": {"metadata": "read"},
    "members": {"metadata": "read", "members": "read"},
    "team_by_name": {"metadata": "read", "members": "read"},
    "team_members": {"metadata": "read", "members": "read"},
    "required_checks": _READ_FILES,
    "listed": {"metadata": "read"},
    "heads": _READ_FILES,
    "tree": _READ_FILES,
    "blobs": _READ_FILES,
    "merge_base": _READ_FILES,
    "dependency_sbom": _READ_FILES,
    "issue": {"metadata": "read", "issues": "write"},
    "account_by_login": {},
    "accounts_by_login": {},
    "account_with_age": {},
    "identity": {},
    "installations": {},
    "registration": {},
    "webhook": {},
    "clock_offset": {},
    "server_features": {},
}
"""Every method of Hub, but for the optional ones → permission → level. Source: GitHub's page "Permissions required for GitHub Apps"."""


OPTIONAL: Mapping[str, Needs] = {
    "put_file": {"metadata": "read", "contents": "write"},
    "propose": {"metadata": "read", "contents": "write", "pull_requests": "write"},
}
"""The same for what only some operators want: they grant it to their App themselves, app.yaml does not ask for it."""


MANIFEST_NAMES: Mapping[str, str] = {"email_addresses": "emails", "git_ssh_keys": "keys"}
"""Permission, as REST names it in a request for a token → as a manifest, GitHub's form and its description of an App name it.

All others have one name. Sources, read on 2026-11-28: on the left the schema `app-permissions` of REST's description (@octokit/openapi
23.0.2); on the right `performed_via_github_app` of its webhooks, and the table of permissions in "Creating a GitHub App using URL
parameters" (github/docs at 1312b68). GitHub refuses the whole manifest for a name on the left.
"""
_REST_NAMES: Mapping[str, str] = {name: rest for rest, name in MANIFEST_NAMES.items()}

REHEARSAL: Needs = {"metadata": "read", "contents": "write", "pull_requests": "write"}
"""What `rehearse` needs of the person's own token on that one repository: a branch, a pull request and a comment on it.

A comment on a pull request takes "Issues" or "Pull requests". Source: GitHub's page "Permissions required for fine-grained
personal access tokens". Check runs are read as the App: such a token cannot have the permission "Checks".
"""


SIGN_IN: Needs = {"email_addresses": "read"}
"""What signing in needs of the person: their verified addresses."""

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
"""Event that we subscribe to → the permission to read that GitHub asks for first; without it, it refuses the manifest.

Source: GitHub's page "Webhook events and payloads", at each event.
"""

_LEVELS: Final = ("none", "read", "write", "admin")
"""Weakest first."""


def required() -> dict[str, str]:
    """The least that the App works with: the union of what its calls, signing in and its events need."""
    needed: dict[str, str] = {}
    for needs in (*NEEDS.values(), SIGN_IN, dict.fromkeys(EVENTS.values(), "read")):
        needed |= {name: level for name, level in needs.items() if _rank(level) > _rank(needed.get(name, "none"))}
    return needed


def lacking(granted: Mapping[str, str], *, without: Iterable[str] = ()) -> dict[str, str]:
    """What of that is not granted, or only at a weaker level; `without` names permissions that are not looked at."""
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
