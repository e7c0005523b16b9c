"""Accounts as JSON: people, bots, organisations and teams."""

from bot.demo.github.simulated_state import SimulatedState
from bot.demo.github.state import Json, StoredAccount, StoredTeam, timestamp

# The lists of an account that have an address of their own, and how it ends.
_LISTS = {
    "events": "events{/privacy}",
    "followers": "followers",
    "following": "following{/other_user}",
    "gists": "gists{/gist_id}",
    "organizations": "orgs",
    "received_events": "received_events",
    "repos": "repos",
    "starred": "starred{/owner}{/repo}",
    "subscriptions": "subscriptions",
}


def account(world: SimulatedState, who: StoredAccount) -> Json:
    """`simple-user`; bots and organisations look the same but for their type."""
    own = world.api_url(f"/users/{who.login}")
    # A bot's page is that of its App.
    page = f"/apps/{who.login.removesuffix('[bot]')}" if who.type == "Bot" else f"/{who.login}"
    return {
        "login": who.login, "id": who.id, "node_id": f"{who.type[0]}_{who.id}", "type": who.type, "site_admin": False,
        "avatar_url": world.web_url(f"/avatars/{who.id}.svg"), "gravatar_id": "", "url": own,
        "html_url": world.web_url(page),
        **{f"{part}_url": f"{own}/{end}" for part, end in _LISTS.items()},
    }  # fmt: skip


def profile(world: SimulatedState, who: StoredAccount) -> Json:
    """`public-user`: the public profile; never an address."""
    return {
        **account(world, who),
        # GitHub shows an address only where the person made it public.
        "name": who.name, "company": None, "blog": "", "location": None, "email": None, "hireable": None, "bio": None,
        "public_repos": len([repo for repo in world.repositories_of(who) if not repo.private]), "public_gists": 0,
        "followers": 0, "following": 0, "created_at": timestamp(who.created_at), "updated_at": timestamp(who.created_at),
    }  # fmt: skip


def organization(world: SimulatedState, who: StoredAccount) -> Json:
    """`organization-simple`, as webhooks carry it too."""
    own = world.api_url(f"/orgs/{who.login}")
    return {
        "login": who.login, "id": who.id, "node_id": f"O_{who.id}", "url": own, "description": who.name,
        "avatar_url": world.web_url(f"/avatars/{who.id}.svg"), "repos_url": f"{own}/repos", "events_url": f"{own}/events",
        "hooks_url": f"{own}/hooks", "issues_url": f"{own}/issues", "members_url": f"{own}/members{{/member}}",
        "public_members_url": f"{own}/public_members{{/member}}",
    }  # fmt: skip


def team_simple(world: SimulatedState, owner: StoredAccount, stored_team: StoredTeam) -> Json:
    """`team`, as webhooks carry it."""
    own, page = world.api_url(f"/organizations/{owner.id}/team/{stored_team.id}"), world.web_url(f"/orgs/{owner.login}")
    return {
        "id": stored_team.id, "node_id": f"T_{stored_team.id}", "url": own,
        "html_url": f"{page}/teams/{stored_team.slug}", "name": stored_team.slug,
        "slug": stored_team.slug, "description": None, "privacy": "closed", "permission": "pull",
        "type": "organization",
        "notification_setting": "notifications_enabled", "parent": None, "members_url": f"{own}/members{{/member}}",
        "repositories_url": f"{own}/repos",
    }  # fmt: skip


def team(world: SimulatedState, owner: StoredAccount, stored_team: StoredTeam) -> Json:
    """`team-full`."""
    return {
        **team_simple(world, owner, stored_team), "members_count": len(stored_team.members), "repos_count": 0,
        "created_at": timestamp(stored_team.created_at), "updated_at": timestamp(stored_team.created_at),
        "organization": {
            **organization(world, owner), "html_url": world.web_url(f"/{owner.login}"), "type": "Organization",
            "has_organization_projects": True, "has_repository_projects": True, "public_gists": 0, "followers": 0,
            "public_repos": len([repo for repo in world.repositories_of(owner) if not repo.private]), "following": 0,
            "created_at": timestamp(owner.created_at), "updated_at": timestamp(owner.created_at), "archived_at": None,
        },
    }  # fmt: skip
