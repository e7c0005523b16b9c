"""REST for people: accounts by login and by id, members, teams, the signed-in person's own addresses, and the rate limit."""

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from bot.demo.github.json import account_json
from bot.demo.github.refusal import forbidden, not_found
from bot.demo.github.rest.request import me, page, route, world
from bot.demo.github.state import Account, Team

routes = Blueprint("people", __name__)
LIMIT = 5000
"""Requests an hour, as GitHub tells; nothing is refused here for going over."""


@route(routes, "GET", "/user")
def the_user() -> ResponseReturnValue:
    """The person whose token this is."""
    return jsonify(account_json.profile(world(), me().the_user()))


@route(routes, "GET", "/user/emails")
def emails() -> ResponseReturnValue:
    """That person's addresses; through an App only with its permission to read them."""
    who = me().the_user()
    if me().token is not None and not me().has("email_addresses", "read"):
        raise forbidden()
    return page(who.emails, lambda one: {
        "email": one.address, "primary": one.primary, "verified": one.verified,
        "visibility": "private" if one.primary else None,
    })  # fmt: skip


@route(routes, "GET", "/users/<username>")
def user(username: str) -> ResponseReturnValue:
    """An account by its login now."""
    return jsonify(account_json.profile(world(), world().account(username)))


@route(routes, "GET", "/user/<int:account_id>")
def user_by_id(account_id: int) -> ResponseReturnValue:
    """An account by its durable id."""
    who = world().accounts.get(account_id)
    if who is None:
        raise not_found()
    return jsonify(account_json.profile(world(), who))


@route(routes, "GET", "/orgs/<org>/members")
def members(org: str) -> ResponseReturnValue:
    """Members of an organisation; an App needs its permission. `role` chooses admins or plain members."""
    owner = _organization(org)
    _may_read_members(owner)
    role = request.args.get("role", "all")
    people = [world().accounts[number] for number, is_a in owner.members.items() if role in ("all", is_a)]
    return page(people, lambda one: account_json.account(world(), one))


@route(routes, "GET", "/orgs/<org>/memberships/<username>")
def membership(org: str, username: str) -> ResponseReturnValue:
    """One person's membership; 404 for who is no member."""
    owner, who = _organization(org), world().account(username)
    _may_read_members(owner)
    if who.id not in owner.members:
        raise not_found()
    own = account_json.organization(world(), owner)
    return jsonify({
        "url": f"{own['url']}/memberships/{who.login}", "state": "active", "role": owner.members[who.id],
        "organization_url": own["url"], "organization": own, "user": account_json.account(world(), who),
    })  # fmt: skip


@route(routes, "GET", "/orgs/<org>/teams/<team_slug>")
def team(org: str, team_slug: str) -> ResponseReturnValue:
    """A team by its name now; who may not see the members sees no team either."""
    owner = _organization(org)
    return jsonify(account_json.team(world(), owner, _team(owner, team_slug)))


@route(routes, "GET", "/orgs/<org>/teams/<team_slug>/members")
def team_members(org: str, team_slug: str) -> ResponseReturnValue:
    """Members of a team, found by its name."""
    return _people(_team(_organization(org), team_slug))


@route(routes, "GET", "/organizations/<int:org_id>/team/<int:team_id>/members")
def team_members_by_id(org_id: int, team_id: int) -> ResponseReturnValue:
    """The same, found by the durable ids of both."""
    owner = world().accounts.get(org_id)
    if owner is None:
        raise not_found()
    _may_read_members(owner)
    found = [one for one in owner.teams.values() if one.id == team_id]
    if not found:
        raise not_found()
    return _people(found[0])


@route(routes, "GET", "/rate_limit")
def rate_limit() -> ResponseReturnValue:
    """The limits, hardly used."""
    reset = int(world().clock().timestamp()) + 3600
    one = {"limit": LIMIT, "used": 1, "remaining": LIMIT - 1, "reset": reset}
    names = ("core", "search", "graphql", "integration_manifest")
    return jsonify({"resources": dict.fromkeys(names, one), "rate": one})


def _team(owner: Account, slug: str) -> Team:
    _may_read_members(owner)
    if slug.lower() not in owner.teams:
        raise not_found()
    return owner.teams[slug.lower()]


def _people(found: Team) -> ResponseReturnValue:
    return page([world().accounts[number] for number in found.members], lambda one: account_json.account(world(), one))


def _organization(login: str) -> Account:
    owner = world().account(login)
    if owner.type != "Organization":
        raise not_found()
    return owner


def _may_read_members(owner: Account) -> None:
    """Private membership is for the organisation's own people, and its installations that were allowed to."""
    installation = me().installation
    if installation is not None:
        if installation.account is not owner or not me().has("members", "read"):
            raise forbidden()
    elif me().user is None or me().the_user().id not in owner.members:
        raise forbidden("You must be a member of the organization.")
