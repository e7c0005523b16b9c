"""REST for people: accounts by login and by id, members, teams, the signed-in person's own addresses, and the rate limit."""

from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue

from bot.demo.github.json import account_json
from bot.demo.github.refusal import existing, forbidden, not_found
from bot.demo.github.rest_request import me, page, route, world
from bot.demo.github.state import StoredAccount

routes = Blueprint("people", __name__)


@route(routes, "GET", "/user")
def the_user() -> ResponseReturnValue:
    """The person whose token this is."""
    return jsonify(account_json.profile(world(), me().the_user()))


@route(routes, "GET", "/user/emails")
def emails() -> ResponseReturnValue:
    """The person's addresses; through an App only with its permission to read them."""
    who = me().the_user()
    if me().token is not None and not me().has("email_addresses", "read"):
        raise forbidden()
    return page(who.emails, lambda email: {
        "email": email.address, "primary": email.primary, "verified": email.verified,
        "visibility": "private" if email.primary else None,  # GitHub has it for the primary one.
    })  # fmt: skip


@route(routes, "GET", "/users/<username>")
def user(username: str) -> ResponseReturnValue:
    """An account by its login now."""
    return jsonify(account_json.profile(world(), world().account(username)))


@route(routes, "GET", "/user/<int:account_id>")
def user_by_id(account_id: int) -> ResponseReturnValue:
    """An account by its durable id."""
    return jsonify(account_json.profile(world(), existing(world().accounts.get(account_id))))


@route(routes, "GET", "/orgs/<org>/members")
def members(org: str) -> ResponseReturnValue:
    """The members of an organisation, for its own people and for Apps with the permission."""
    owner = _organization(org)
    # Strangers see public members alone, of whom there are none here.
    known = _with_members(owner).members if me().installation or _is_member(owner) else {}
    return page([world().accounts[number] for number in known], lambda member: account_json.account(world(), member))


@route(routes, "GET", "/orgs/<org>/teams/<team_slug>")
def team(org: str, team_slug: str) -> ResponseReturnValue:
    """A team by its name now, for those who may see the members."""
    owner = _with_members(_organization(org))
    return jsonify(account_json.team(world(), owner, existing(owner.teams.get(team_slug.lower()))))


@route(routes, "GET", "/organizations/<int:org_id>/team/<int:team_id>/members")
def team_members_by_id(org_id: int, team_id: int) -> ResponseReturnValue:
    """Members of a team, found by the durable ids of both."""
    teams = _with_members(existing(world().accounts.get(org_id))).teams.values()
    found = existing(next((stored_team for stored_team in teams if stored_team.id == team_id), None))
    people = [world().accounts[number] for number in found.members]
    return page(people, lambda member: account_json.account(world(), member))


@route(routes, "GET", "/rate_limit")
def rate_limit() -> ResponseReturnValue:
    """The calls that are left to the caller of each limit; asking for it does not count."""
    usages = {
        name: world().rate_limit.usage(me().name, name, world().now())
        for name in ("core", "search", "graphql", "integration_manifest")
    }
    resources = {
        name: {"limit": usage.limit, "used": usage.used, "remaining": usage.remaining, "reset": usage.reset}
        for name, usage in usages.items()
    }
    return jsonify({"resources": resources, "rate": resources["core"]})  # `rate` is the older name of `core`.


def _organization(login: str) -> StoredAccount:
    owner = world().account(login)
    return existing(owner if owner.type == "Organization" else None)


def _with_members(owner: StoredAccount) -> StoredAccount:
    installation = me().installation
    # Private membership is for the organisation's own people, and its installations that were allowed to.
    if installation is not None:
        if installation.account is not owner or not me().has("members", "read"):
            raise forbidden()
    elif not _is_member(owner):
        raise not_found()
    return owner


def _is_member(owner: StoredAccount) -> bool:
    return me().user is not None and me().the_user().id in owner.members
