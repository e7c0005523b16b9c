"""Payloads of webhooks, in the shapes of GitHub's webhook schemas."""

from collections.abc import Sequence

from bot.demo.github.git import bare_repository, changed_files
from bot.demo.github.git.objects import NO_SHA
from bot.demo.github.json import app_json
from bot.demo.github.json.account_json import account, organization
from bot.demo.github.json.app_json import installation
from bot.demo.github.json.repository_json import repository
from bot.demo.github.simulated_state import SimulatedState
from bot.demo.github.state import (
    Json,
    StoredAccount,
    StoredApp,
    StoredInstallation,
    StoredRepository,
    timestamp,
)


def about_repository(world: SimulatedState, repo: StoredRepository, sender: StoredAccount, fields: Json) -> Json:
    """The fields that every event about a repository carries, with these of the event's own."""
    payload = {"repository": repository(world, repo), "sender": account(world, sender), **fields}
    if repo.owner.type == "Organization":  # A person's repository has none.
        payload["organization"] = organization(world, repo.owner)
    return payload


def simple_commit(commit: bare_repository.GitCommit) -> Json:
    """`simple-commit`."""
    return {
        "id": commit.sha, "tree_id": commit.tree, "message": commit.message, "timestamp": commit.author.at.isoformat(),
        "author": {"name": commit.author.name, "email": commit.author.email},
        "committer": {"name": commit.committer.name, "email": commit.committer.email},
    }  # fmt: skip


def push(
    world: SimulatedState, repo: StoredRepository, pusher: StoredAccount, change: tuple[str, str | None, str | None]
) -> Json:
    """The fields of `push`: a reference, the hash before (None: created) and after (None: deleted)."""
    reference, before, after = change
    new = bare_repository.between(repo.git, before, after) if before and after else ()
    head = bare_repository.commit(repo.git, after) if after else None
    changed = changed_files.of_each(repo.git, [*new, *([head] if head else [])])  # In one process of git.
    before_sha, after_sha = before or NO_SHA, after or NO_SHA
    return {
        "ref": reference, "before": before_sha, "after": after_sha,
        "commits": [_pushed(world, repo, commit, changed[commit.sha]) for commit in new],
        "created": before is None, "deleted": after is None, "base_ref": None,
        "forced": bool(before and after and bare_repository.merge_base(repo.git, before, after) != before),
        "head_commit": _pushed(world, repo, head, changed[head.sha]) if head else None,
        "compare": world.web_url(f"/{repo.full_name}/compare/{before_sha[:12]}...{after_sha[:12]}"),
        "pusher": {"name": pusher.login, "email": pusher.noreply},
        # In `push` GitHub gives these times in seconds since 1970, in all other events as texts.
        "repository": repository(world, repo) | {
            "created_at": int(repo.created_at.timestamp()), "pushed_at": int((repo.pushed_at or repo.created_at).timestamp()),
            "master_branch": repo.default_branch, "stargazers": 0,
        },
    }  # fmt: skip


def _pushed(
    world: SimulatedState,
    repo: StoredRepository,
    commit: bare_repository.GitCommit,
    changed: Sequence[changed_files.ChangedFile],
) -> Json:
    def person(signed: bare_repository.GitIdentity) -> Json:
        linked = world.account_of_email(signed.email)
        who = {"name": signed.name, "email": signed.email, "date": timestamp(signed.at)}
        return who if linked is None else {**who, "username": linked.login}  # Only where an account has the address.

    by_status = {
        word: [file.path for file in changed if file.status == word] for word in ("added", "removed", "modified")
    }
    return {
        **simple_commit(commit), "distinct": True, "url": world.web_url(f"/{repo.full_name}/commit/{commit.sha}"),
        "author": person(commit.author), "committer": person(commit.committer), **by_status,
    }  # fmt: skip


def ping(world: SimulatedState, app: StoredApp, sender: StoredAccount) -> Json:
    """`ping`: the webhook of a new App."""
    created = timestamp(app.created_at)
    return {
        "zen": "Design for failure.",
        "hook_id": 120000 + app.id,
        "hook": {
            "type": "App", "id": 120000 + app.id, "name": "web", "active": True, "events": list(app.events),
            "config": app_json.hook_config(app), "updated_at": created, "created_at": created, "app_id": app.id,
            "deliveries_url": world.api_url("/app/hook/deliveries"),
        },
        "sender": account(world, sender),
    }  # fmt: skip


def installation_changed(
    world: SimulatedState, action: str, stored_installation: StoredInstallation, sender: StoredAccount
) -> Json:
    """`installation`: created, deleted, suspend or unsuspend."""
    body: Json = {
        "action": action,
        "installation": installation(world, stored_installation),
        "sender": account(world, sender),
    }
    if action in ("created", "deleted"):  # GitHub lists them only then.
        body["repositories"] = [
            _short(repo)
            for repo in world.repositories_of(stored_installation.account)
            if stored_installation.covers(repo)
        ]
    if action == "created":
        body["requester"] = None
    return body


def installation_repositories(
    world: SimulatedState,
    stored_installation: StoredInstallation,
    sender: StoredAccount,
    added: Sequence[StoredRepository],
    removed: Sequence[StoredRepository],
) -> Json:
    """`installation_repositories`: added or removed."""
    return {
        "action": "removed" if removed else "added", "installation": installation(world, stored_installation),
        "repository_selection": app_json.selection(stored_installation), "requester": None,
        "repositories_added": [_short(repo) for repo in added], "repositories_removed": [_short(repo) for repo in removed],
        "sender": account(world, sender),
    }  # fmt: skip


def _short(repo: StoredRepository) -> Json:
    return {
        "id": repo.id, "node_id": f"R_{repo.id}", "name": repo.name, "full_name": repo.full_name, "private": repo.private,
    }  # fmt: skip


def simple_installation(stored_installation: StoredInstallation) -> Json:
    """`simple-installation`, added to every event that goes to an installation's App."""
    return {"id": stored_installation.id, "node_id": f"MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9u{stored_installation.id}"}
