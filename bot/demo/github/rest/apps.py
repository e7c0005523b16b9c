"""REST for the App itself, its installations, and their repositories."""

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from bot.demo.github.authentication import installation_token
from bot.demo.github.json import app_json, repository_json
from bot.demo.github.refusal import forbidden, not_found
from bot.demo.github.rest.request import body, me, page, route, world
from bot.demo.github.state import Installation, Json, Token, timestamp

routes = Blueprint("app", __name__)


@route(routes, "GET", "/app")
def the_app() -> ResponseReturnValue:
    """The authenticated App, with its permissions and events."""
    app = me().the_app()
    count = len([one for one in world().installations.values() if one.app is app])
    return jsonify({**app_json.app(world(), app), "installations_count": count})


@route(routes, "GET", "/app/installations")
def installations() -> ResponseReturnValue:
    """Where the App is installed."""
    mine = [one for one in world().installations.values() if one.app is me().the_app()]
    return page(mine, lambda one: app_json.installation(world(), one))


@route(routes, "GET", "/app/installations/<int:installation_id>")
def installation(installation_id: int) -> ResponseReturnValue:
    """One installation of the App."""
    return jsonify(app_json.installation(world(), _mine(installation_id)))


@route(routes, "POST", "/app/installations/<int:installation_id>/access_tokens")
def access_tokens(installation_id: int) -> ResponseReturnValue:
    """A token for the installation, with all of its rights or fewer."""
    one = _mine(installation_id)
    if one.suspended_at is not None:
        raise forbidden("This installation has been suspended")
    text, token = installation_token(world(), one, body())
    assert token.expires_at is not None
    answer: Json = {
        "token": text,
        "expires_at": timestamp(token.expires_at),
        "permissions": token.permissions,
        "repository_selection": _selection(one, token),
    }
    if token.repositories is not None:
        chosen = [world().repositories[number] for number in sorted(token.repositories)]
        answer["repositories"] = [repository_json.repository(world(), repo) for repo in chosen]
    return jsonify(answer), 201


@route(routes, "GET", "/installation/repositories")
def installation_repositories() -> ResponseReturnValue:
    """The repositories that this token reaches."""
    one = me().the_installation()
    token = me().token
    chosen = token.repositories if token else None
    reached = [repo for repo in world().repositories_of(one.account) if one.covers(repo)]
    reached = [repo for repo in reached if chosen is None or repo.id in chosen]
    selection = _selection(one, token)
    return page(
        reached,
        lambda repo: repository_json.repository(world(), repo),
        wrap="repositories",
        repository_selection=selection,
    )


def _selection(one: Installation, token: Token | None) -> str:
    everything = one.repositories is None and (token is None or token.repositories is None)
    return "all" if everything else "selected"


@route(routes, "GET", "/app/hook/deliveries")
def deliveries() -> ResponseReturnValue:
    """What was sent to the App, each attempt by itself, the newest first; `status` is `success` or `failure`."""
    mine = [one for one in reversed(world().hooks.log) if one.app is me().the_app()]
    attempts = [(one, number) for one in mine for number in reversed(range(len(one.statuses)))]
    wanted = request.args.get("status")
    if wanted:
        attempts = [one for one in attempts if app_json.arrived(*one) == (wanted == "success")]
    return page(attempts, lambda one: app_json.delivery(*one))


@route(routes, "POST", "/app/hook/deliveries/<int:delivery_id>/attempts")
def redeliver(delivery_id: int) -> ResponseReturnValue:
    """Send one again."""
    for one in world().hooks.log:
        if one.app is me().the_app() and one.id == app_json.first_attempt(delivery_id):
            world().hooks.redeliver(one.guid)
            return jsonify({}), 202
    raise not_found()


def _mine(number: int) -> Installation:
    app = me().the_app()
    found = world().installations.get(number)
    if found is None or found.app is not app:
        raise not_found()
    return found
