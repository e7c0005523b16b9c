"""What webhooks say: one function an event, in the shapes of GitHub's webhook schemas."""

from collections.abc import Sequence

from bot.demo.github.answers.check_answers import in_event, suite
from bot.demo.github.answers.comment_answers import comment, installation
from bot.demo.github.answers.common import account, label, moment, organization, repository, web
from bot.demo.github.answers.pull_answers import issue, pull
from bot.demo.github.git import bare_repository
from bot.demo.github.register import Register
from bot.demo.github.state import Account, CheckRun, Comment, Installation, Json, Label, Pull, Repository

_ZERO = "0" * 40


def about(world: Register, repo: Repository, sender: Account, **more: object) -> Json:
    """What every event about a repository carries."""
    payload: Json = {**more, "repository": repository(world, repo), "sender": account(world, sender)}
    if repo.owner.type == "Organization":
        payload["organization"] = organization(world, repo.owner)
    return payload


def pull_request(world: Register, action: str, one: Pull, sender: Account, **more: object) -> Json:
    """`pull_request`: opened, synchronize, edited, closed and so on; `more` is what only that action carries."""
    return about(world, one.repository, sender, action=action, number=one.number, pull_request=pull(world, one), **more)


def labelled(world: Register, action: str, one: Pull, which: Label, sender: Account) -> Json:
    """`pull_request` labeled or unlabeled."""
    return pull_request(world, action, one, sender, label=label(world, one.repository, which))


def issue_comment(world: Register, one: Pull, said: Comment, sender: Account) -> Json:
    """`issue_comment` created."""
    return about(
        world, one.repository, sender, action="created", issue=issue(world, one), comment=comment(world, one, said)
    )  # fmt: skip


def check_run(world: Register, action: str, one: CheckRun, sender: Account) -> Json:
    """`check_run`: created, completed or rerequested."""
    return about(world, one.repository, sender, action=action, check_run=in_event(world, one))


def check_suite(world: Register, one: CheckRun, sender: Account) -> Json:
    """`check_suite` rerequested, for the suite that this run is in."""
    head = bare_repository.commit(one.repository.git, one.head_sha)
    body = suite(world, one.app, one.repository, one.head_sha)
    body |= {
        "latest_check_runs_count": 1, "check_runs_url": f"{body['url']}/check-runs", "head_commit": _simple_commit(head),
    }  # fmt: skip
    return about(world, one.repository, sender, action="rerequested", check_suite=body)


def _simple_commit(one: bare_repository.GitCommit) -> Json:
    return {
        "id": one.sha, "tree_id": one.tree, "message": one.message, "timestamp": one.author.at.isoformat(),
        "author": {"name": one.author.name, "email": one.author.email},
        "committer": {"name": one.committer.name, "email": one.committer.email},
    }  # fmt: skip


def push(world: Register, repo: Repository, pusher: Account, change: tuple[str, str | None, str | None]) -> Json:
    """`push`: a reference, the hash before (None: created) and after (None: deleted)."""
    reference, before, after = change
    new: Sequence[bare_repository.GitCommit] = (
        bare_repository.between(repo.git, before, after) if before and after else ()
    )
    commits = [_pushed(world, repo, one) for one in new]
    head = _pushed(world, repo, bare_repository.commit(repo.git, after)) if after else None
    forced = bool(before and after and bare_repository.between(repo.git, after, before))
    body = about(world, repo, pusher, ref=reference, before=before or _ZERO, after=after or _ZERO, commits=commits)
    return body | {
        "created": before is None, "deleted": after is None, "forced": forced, "base_ref": None, "head_commit": head,
        "compare": web(world, f"/{repo.full_name}/compare/{(before or _ZERO)[:12]}...{(after or _ZERO)[:12]}"),
        "pusher": {"name": pusher.login, "email": pusher.noreply},
        "repository": body["repository"] | {
            "created_at": int(repo.created_at.timestamp()), "pushed_at": int((repo.pushed_at or repo.created_at).timestamp()),
            "master_branch": repo.default_branch, "stargazers": 0,
        },
    }  # fmt: skip


def _pushed(world: Register, repo: Repository, one: bare_repository.GitCommit) -> Json:
    def person(signed: bare_repository.Signed) -> Json:
        linked = world.account_of_email(signed.email)
        who = {"name": signed.name, "email": signed.email, "date": moment(signed.at)}
        return who if linked is None else {**who, "username": linked.login}

    changed = bare_repository.files(repo.git, one.parents[0], one.sha) if one.parents else ()
    by_status = {
        word: [file.path for file in changed if file.status == word] for word in ("added", "removed", "modified")
    }
    return {
        "id": one.sha, "tree_id": one.tree, "distinct": True, "message": one.message, "timestamp": one.author.at.isoformat(),
        "url": web(world, f"/{repo.full_name}/commit/{one.sha}"), "author": person(one.author),
        "committer": person(one.committer), **by_status,
    }  # fmt: skip


def installed(world: Register, action: str, one: Installation, sender: Account) -> Json:
    """`installation`: created, deleted, suspend or unsuspend."""
    chosen = [repo for repo in world.repositories_of(one.account) if one.covers(repo)]
    body: Json = {"action": action, "installation": installation(world, one), "sender": account(world, sender)}
    if action in ("created", "deleted"):
        body["repositories"] = [_chosen(repo) for repo in chosen]
    if action == "created":
        body["requester"] = None
    return body


def chosen_repositories(
    world: Register,
    one: Installation,
    sender: Account,
    *,
    added: Sequence[Repository] = (),
    removed: Sequence[Repository] = (),
) -> Json:
    """`installation_repositories`: added or removed."""
    return {
        "action": "removed" if removed else "added", "installation": installation(world, one),
        "repository_selection": "all" if one.repositories is None else "selected", "requester": None,
        "repositories_added": [_chosen(repo) for repo in added], "repositories_removed": [_chosen(repo) for repo in removed],
        "sender": account(world, sender),
    }  # fmt: skip


def _chosen(repo: Repository) -> Json:
    return {
        "id": repo.id, "node_id": f"R_{repo.id}", "name": repo.name, "full_name": repo.full_name, "private": repo.private,
    }  # fmt: skip


def renamed(world: Register, repo: Repository, sender: Account, former: str) -> Json:
    """`repository` renamed."""
    return about(world, repo, sender, action="renamed", changes={"repository": {"name": {"from": former}}})


def revoked(world: Register, who: Account) -> Json:
    """`github_app_authorization` revoked: a person took back the App's right to act for them."""
    return {"action": "revoked", "sender": account(world, who)}


def small_installation(one: Installation) -> Json:
    """`simple-installation`, added to what an installation's App is told."""
    return {"id": one.id, "node_id": f"MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9u{one.id}"}
