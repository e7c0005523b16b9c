"""Deeds at the simulated GitHub that only tests do: who belongs where, what an App may reach, and faults on the wire."""

import math
from functools import wraps

from bot.demo.github import event_payloads
from bot.demo.github.faults import Fault, refusal
from bot.demo.github.git import bare_repository
from bot.demo.github.json import account_json, check_json
from bot.demo.github.refusal import SECONDARY_LIMIT
from bot.demo.github.state import StoredToken

FOREVER = math.inf  # Until the fault is cleared.


def holding_lock(deed):
    """The deed, done as one step: nothing else happens in that world meanwhile."""

    @wraps(deed)
    def held(world, *positional, **named):
        with world.lock:
            return deed(world, *positional, **named)

    return held


@holding_lock
def rerequest_suite(world, run, by):
    """A person asks for all checks of a head again."""
    about = check_json.suite(world, run.app, run.repository, run.head_sha)
    head = bare_repository.commit(run.repository.git, run.head_sha)
    # GitHub's description of a suite that is asked for again knows no App that hears of merge groups.
    about["app"]["events"] = [event for event in about["app"]["events"] if event != "merge_group"]
    about |= {
        "latest_check_runs_count": 1, "check_runs_url": f"{about['url']}/check-runs",
        "head_commit": event_payloads.simple_commit(head),
    }  # fmt: skip
    world.emit(run.repository, "check_suite", by, only=run.app, action="rerequested", check_suite=about)


@holding_lock
def add_member(world, owner, who, by):
    """Make a person a member of an organisation: `organization` member_added."""
    owner.members[who.id] = "member"
    membership = _membership(world, owner, who)
    _emit_organization(world, owner, "organization", by, action="member_added", membership=membership)


@holding_lock
def remove_member(world, owner, who, by):
    """Take a person out of an organisation and its teams: `organization` member_removed, `membership` removed."""
    membership = _membership(world, owner, who)
    for team in owner.teams.values():
        if who.id in team.members:
            remove_from_team(world, owner, team, who, by)
    del owner.members[who.id]
    _emit_organization(world, owner, "organization", by, action="member_removed", membership=membership)


@holding_lock
def add_to_team(world, owner, team, who, by):
    """Make a member of an organisation one of a team: `membership` added."""
    team.members.append(who.id)
    _emit_membership(world, "added", owner, team, who, by)


@holding_lock
def remove_from_team(world, owner, team, who, by):
    """Take a person out of a team: `membership` removed."""
    team.members.remove(who.id)
    _emit_membership(world, "removed", owner, team, who, by)


@holding_lock
def set_collaborator(world, repo, who, by, *, role):
    """Give a person a role in a repository: `member` added, or edited when they had another."""
    former = repo.collaborators.get(who.id)
    repo.collaborators[who.id] = role
    permission = {"maintain": "write", "triage": "read"}.get(role, role)  # `permission` knows no other roles.
    changes = {"permission": {"to": permission}, "role_name": {"to": role}}
    if former is not None:
        changes = {"old_permission": {"from": former}, "permission": {"from": former, "to": permission}}
    member, action = account_json.account(world, who), "added" if former is None else "edited"
    world.emit(repo, "member", by, action=action, member=member, changes=changes)


@holding_lock
def remove_collaborator(world, repo, who, by):
    """Take a person's role in a repository away: `member` removed."""
    del repo.collaborators[who.id]
    world.emit(repo, "member", by, action="removed", member=account_json.account(world, who))


@holding_lock
def rename_account(world, who, login):
    """Give an account another login; its repositories redirect, the old login is free for others."""
    for repo in world.repositories_of(who):
        world.former_names[repo.full_name.lower()] = repo.id
    former, who.login = who.login, login
    if who.type == "Organization":
        _emit_organization(world, who, "organization", who, action="renamed", changes={"login": {"from": former}})


@holding_lock
def fine_grained_token(world, who, permissions):
    """A personal access token of that person with these repository permissions alone; `metadata: read` always comes along."""
    text = world.fresh_token("github_pat_")
    world.tokens[text] = StoredToken(None, user=who, permissions={"metadata": "read", **permissions})
    return text


@holding_lock
def uninstall(world, installation, by):
    """Remove an App from an account; its tokens end."""
    body = event_payloads.installation_changed(world, "deleted", installation, by)  # While it is there to be described.
    del world.installations[installation.id]
    world.tokens = {text: token for text, token in world.tokens.items() if token.installation is not installation}
    world.emit_to(installation.app, "installation", body)


@holding_lock
def choose_all(world, installation, by):
    """Let an installation that covers chosen repositories cover all, also those to come."""
    added = [repo for repo in world.repositories_of(installation.account) if not installation.covers(repo)]
    installation.repositories = None
    body = event_payloads.installation_repositories(world, installation, by, added, ())
    world.emit_to(installation.app, "installation_repositories", body)


def _membership(world, owner, who):
    own = world.api_url(f"/orgs/{owner.login}")
    # An invitation counts as accepted here: each membership is active.
    return {
        "url": f"{own}/memberships/{who.login}", "state": "active", "role": owner.members[who.id], "organization_url": own,
        "user": account_json.account(world, who),
    }  # fmt: skip


def _emit_organization(world, owner, event, sender, **fields):
    about = {
        **fields, "organization": account_json.organization(world, owner), "sender": account_json.account(world, sender),
    }  # fmt: skip
    for installation in world.installations.values():
        if installation.account is owner and installation.suspended_at is None:
            world.emit_to(
                installation.app, event, {**about, "installation": event_payloads.simple_installation(installation)}
            )


def _emit_membership(world, action, owner, team, who, by):
    about = {"member": account_json.account(world, who), "team": account_json.team_simple(world, owner, team)}
    _emit_organization(world, owner, "membership", by, action=action, scope="team", **about)


def bad_gateway(**more):
    """502 by a load balancer, in HTML; with `after=True` the call behind it had its effect."""
    return Fault(status=502, headers={"Content-Type": "text/html"}, body=b"<html>Unicorn!</html>", **more)


def secondary_limit(status=403, *, retry_after=None, **more):
    """Too many calls in a short time; `retry_after` in seconds, None: GitHub does not say how long to wait."""
    return refusal(
        status, SECONDARY_LIMIT, headers={} if retry_after is None else {"Retry-After": str(retry_after)}, **more
    )


def primary_limit(reset_at, status=403, **more):
    """No calls left until a moment (Unix time); to have calls counted, see `rate_limit`."""
    headers = {"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "0", "X-RateLimit-Used": "5000",
               "X-RateLimit-Reset": str(reset_at), "X-RateLimit-Resource": "core"}  # fmt: skip
    return refusal(status, "API rate limit exceeded for installation.", headers=headers, **more)
