"""Repositories, their labels, and how people stand to them, as JSON."""

from urllib.parse import quote

from bot.demo.github.json.account_json import account
from bot.demo.github.simulated_state import SimulatedState
from bot.demo.github.state import (
    LEVELS,
    Json,
    Label,
    StoredAccount,
    StoredIssue,
    StoredPull,
    StoredRepository,
    timestamp,
)

# Addresses below that of a repository, as templates (RFC 6570).
_PER_REPOSITORY = {
    "archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}", "commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}", "contributors_url": "/contributors", "deployments_url": "/deployments",
    "downloads_url": "/downloads", "events_url": "/events", "forks_url": "/forks", "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}", "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}", "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}", "labels_url": "/labels{/name}",
    "languages_url": "/languages", "merges_url": "/merges", "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}", "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}", "stargazers_url": "/stargazers", "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers", "subscription_url": "/subscription", "tags_url": "/tags", "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}", "url": "",
}  # fmt: skip


def repository(world: SimulatedState, repo: StoredRepository) -> Json:
    """`repository`, as of now."""
    own = world.api_url(f"/repos/{repo.full_name}")
    page = world.web_url(f"/{repo.full_name}")
    pulls = len([pull for pull in repo.pulls.values() if pull.state == "open"])
    forks = len([other_repo for other_repo in world.repositories.values() if other_repo.fork_of is repo])
    return {
        "id": repo.id, "node_id": f"R_{repo.id}", "name": repo.name, "full_name": repo.full_name,
        "owner": account(world, repo.owner), "private": repo.private, "html_url": page, "fork": repo.fork_of is not None,
        "description": repo.description or None,
        **{key: own + tail for key, tail in _PER_REPOSITORY.items()},
        "clone_url": f"{page}.git", "git_url": f"{page}.git", "ssh_url": f"{page}.git", "svn_url": page, "mirror_url": None,
        "default_branch": repo.default_branch, "visibility": "private" if repo.private else "public",
        "homepage": None, "language": None, "license": None, "topics": [], "size": 1, "is_template": False,
        "has_issues": repo.has_issues, "has_projects": False, "has_wiki": False, "has_pages": False, "has_downloads": True,
        "has_discussions": False, "archived": repo.archived, "disabled": False, "allow_forking": True,
        "web_commit_signoff_required": False, "stargazers_count": 0, "watchers": 0, "watchers_count": 0,
        # GitHub counts pull requests as issues, too.
        "forks": forks, "forks_count": forks, "open_issues": pulls, "open_issues_count": pulls,
        "created_at": timestamp(repo.created_at), "updated_at": timestamp(repo.created_at),
        "pushed_at": timestamp(repo.pushed_at or repo.created_at),
    }  # fmt: skip


def full_repository(world: SimulatedState, repo: StoredRepository, reader: StoredAccount | None) -> Json:
    """`full-repository`: with where it was forked from, and what the reader may do."""
    level = LEVELS.index(world.permission(reader, repo))
    names = {"pull": "read", "triage": "triage", "push": "write", "maintain": "maintain", "admin": "admin"}
    answer = repository(world, repo)
    answer["network_count"], answer["subscribers_count"] = answer["forks_count"], 0
    answer["permissions"] = {name: level >= LEVELS.index(least) for name, least in names.items()}
    if repo.fork_of is not None:
        answer["parent"] = answer["source"] = repository(world, repo.fork_of)
    if repo.owner.type == "Organization":
        answer["organization"] = account(world, repo.owner)
    return answer


def label(world: SimulatedState, repo: StoredRepository, stored_label: Label) -> Json:
    """`label`."""
    return {
        "id": stored_label.id, "node_id": f"LA_{stored_label.id}", "name": stored_label.name,
        "color": stored_label.color, "default": False, "description": stored_label.description or None,
        "url": world.api_url(f"/repos/{repo.full_name}/labels/{quote(stored_label.name, safe='')}"),
    }  # fmt: skip


def association(issue: StoredIssue, who: StoredAccount | None) -> str:
    """`author-association` of a person with the repository of an issue or pull request."""
    owner = issue.repository.owner
    if who is None:
        return "NONE"  # The account was deleted.
    if who is owner:
        return "OWNER"
    if who.id in owner.members:
        return "MEMBER"
    if who.id in issue.repository.collaborators:
        return "COLLABORATOR"
    return "CONTRIBUTOR" if isinstance(issue, StoredPull) and who is issue.opener else "NONE"


def rules(repo: StoredRepository, branch: str) -> list[Json]:
    """`repository-rule-detailed`: one of the organisation's, for the default branch."""
    if branch != repo.default_branch or not repo.required_checks:
        return []
    checks = [
        {"context": name, **({} if app is None else {"integration_id": app})}  # Else any App's check will do.
        for name, app in repo.required_checks.items()
    ]
    parameters = {"required_status_checks": checks, "strict_required_status_checks_policy": False}
    source = {"ruleset_source_type": "Organization", "ruleset_source": repo.owner.login, "ruleset_id": 1}
    return [{"type": "required_status_checks", "parameters": parameters, **source}]


def short_branch(repo: StoredRepository, name: str, newest: Json) -> Json:
    """`short-branch`: `newest` names its commit."""
    return {"name": name, "commit": newest, "protected": _is_protected(repo, name)}


def _is_protected(repo: StoredRepository, name: str) -> bool:
    """Whether classic protection or a ruleset protects the branch."""
    on_default = name == repo.default_branch and (repo.protected_checks or repo.required_checks)
    return bool(on_default or name in repo.protected_branches)


def branch(world: SimulatedState, repo: StoredRepository, name: str, newest: Json) -> Json:
    """`branch-with-protection`: `newest` is its commit."""
    own = world.api_url(f"/repos/{repo.full_name}/branches/{quote(name)}")
    checks = repo.protected_checks if name == repo.default_branch else repo.protected_branches.get(name, {})
    return {
        "name": name, "commit": newest, "protected": _is_protected(repo, name), "protection_url": f"{own}/protection",
        "_links": {"self": own, "html": world.web_url(f"/{repo.full_name}/tree/{quote(name)}")},
        "protection": {"enabled": bool(checks), "required_status_checks": {
            "enforcement_level": "non_admins" if checks else "off", "contexts": list(checks),
            "checks": [{"context": context, "app_id": app} for context, app in checks.items()],
        }},
    }  # fmt: skip
