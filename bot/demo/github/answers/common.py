"""How people, repositories, labels and comments look in JSON; the fields are those of GitHub's OpenAPI."""

from datetime import datetime

from bot.demo.github.register import Register
from bot.demo.github.state import LEVELS, Account, Comment, Json, Label, Pull, Repository, Team

_PER_ACCOUNT = (
    "events",
    "followers",
    "following",
    "gists",
    "organizations",
    "received_events",
    "repos",
    "starred",
    "subscriptions",
)
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
REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
"""The contents of reactions that GitHub knows."""


def moment(when: datetime) -> str:
    """A moment as GitHub writes it: UTC, to the second."""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def maybe(when: datetime | None) -> str | None:
    """A moment, or null."""
    return None if when is None else moment(when)


def api(world: Register, path: str = "") -> str:
    """An address of the REST API."""
    return f"{world.url}/api/v3{path}"


def web(world: Register, path: str = "") -> str:
    """An address of a page for people."""
    return f"{world.url}{path}"


def account(world: Register, who: Account) -> Json:
    """`simple-user`; bots and organisations look the same but for their type."""
    own = api(world, f"/users/{who.login}")
    return {
        "login": who.login, "id": who.id, "node_id": f"{who.type[0]}_{who.id}", "type": who.type, "site_admin": False,
        "avatar_url": web(world, f"/avatars/{who.id}.svg"), "gravatar_id": "", "url": own,
        "html_url": web(world, f"/{who.login}"),
        **{f"{part}_url": f"{own}/{part}" for part in _PER_ACCOUNT},
    }  # fmt: skip


def profile(world: Register, who: Account) -> Json:
    """`public-user`: what everybody may see; never an address."""
    return {
        **account(world, who),
        "name": who.name, "company": None, "blog": "", "location": None, "email": None, "hireable": None, "bio": None,
        "public_repos": len([one for one in world.repositories_of(who) if not one.private]), "public_gists": 0,
        "followers": 0, "following": 0, "created_at": moment(who.created_at), "updated_at": moment(who.created_at),
    }  # fmt: skip


def organization(world: Register, who: Account) -> Json:
    """`organization-simple`, as webhooks carry it too."""
    own = api(world, f"/orgs/{who.login}")
    return {
        "login": who.login, "id": who.id, "node_id": f"O_{who.id}", "url": own, "description": who.name,
        "avatar_url": web(world, f"/avatars/{who.id}.svg"), "repos_url": f"{own}/repos", "events_url": f"{own}/events",
        "hooks_url": f"{own}/hooks", "issues_url": f"{own}/issues", "members_url": f"{own}/members{{/member}}",
        "public_members_url": f"{own}/public_members{{/member}}",
    }  # fmt: skip


def team(world: Register, owner: Account, one: Team) -> Json:
    """`team-full`."""
    own, page = api(world, f"/organizations/{owner.id}/team/{one.id}"), web(world, f"/orgs/{owner.login}")
    return {
        "id": one.id, "node_id": f"T_{one.id}", "url": own, "html_url": f"{page}/teams/{one.slug}", "name": one.slug,
        "slug": one.slug, "description": None, "privacy": "closed", "permission": "pull", "type": "organization",
        "notification_setting": "notifications_enabled", "parent": None, "members_url": f"{own}/members{{/member}}",
        "repositories_url": f"{own}/repos", "members_count": len(one.members), "repos_count": 0,
        "created_at": moment(one.created_at), "updated_at": moment(one.created_at),
        "organization": {
            **organization(world, owner), "html_url": web(world, f"/{owner.login}"), "type": "Organization",
            "has_organization_projects": True, "has_repository_projects": True, "public_gists": 0, "followers": 0,
            "public_repos": len([one for one in world.repositories_of(owner) if not one.private]), "following": 0,
            "created_at": moment(owner.created_at), "updated_at": moment(owner.created_at), "archived_at": None,
        },
    }  # fmt: skip


def repository(world: Register, repo: Repository) -> Json:
    """`repository`, as of now."""
    own = api(world, f"/repos/{repo.full_name}")
    page = web(world, f"/{repo.full_name}")
    pulls = len([pull for pull in repo.pulls.values() if pull.state == "open"])
    forks = len([one for one in world.repositories.values() if one.fork_of is repo])
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
        "forks": forks, "forks_count": forks, "open_issues": pulls, "open_issues_count": pulls,
        "created_at": moment(repo.created_at), "updated_at": moment(repo.created_at),
        "pushed_at": moment(repo.pushed_at or repo.created_at),
    }  # fmt: skip


def repository_for(world: Register, repo: Repository, reader: Account | None) -> Json:
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


def label(world: Register, repo: Repository, one: Label) -> Json:
    """`label`."""
    return {
        "id": one.id, "node_id": f"LA_{one.id}", "name": one.name, "color": one.color, "default": False,
        "description": one.description or None, "url": api(world, f"/repos/{repo.full_name}/labels/{one.name}"),
    }  # fmt: skip


def association(pull: Pull, who: Account | None) -> str:
    """`author-association` of somebody with the base repository."""
    owner = pull.repository.owner
    if who is owner:
        return "OWNER"
    if who is not None and who.id in owner.members:
        return "MEMBER"
    if who is not None and who.id in pull.repository.collaborators:
        return "COLLABORATOR"
    return "CONTRIBUTOR" if who is pull.opener else "NONE"


def tally(world: Register, path: str, comment: Comment | None) -> Json:
    """`reaction-rollup`; without a comment, that of nothing."""
    contents = [content for _, _, content, _ in comment.reactions] if comment else []
    counts = {content: contents.count(content) for content in REACTIONS}
    return {"url": api(world, f"{path}/reactions"), "total_count": len(contents), **counts}
