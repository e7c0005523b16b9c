"""REST for the App itself, its installations, and their repositories."""

from urllib.parse import urlencode

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from bot.demo.github.authentication import installation_token
from bot.demo.github.json import app_json, repository_json
from bot.demo.github.refusal import ErrorResponse, existing, forbidden, not_found
from bot.demo.github.rest_request import body, me, page, page_size, route, typed, world
from bot.demo.github.state import StoredInstallation, timestamp
from bot.demo.github.webhooks import Attempt, SentDelivery

routes = Blueprint("app", __name__)


@route(routes, "GET", "/app")
def the_app() -> ResponseReturnValue:
    """The authenticated App, with its permissions and events."""
    app = me().the_app()
    count = len([candidate for candidate in world().installations.values() if candidate.app is app])
    return jsonify({**app_json.app(world(), app), "installations_count": count})


@route(routes, "GET", "/app/installations")
def installations() -> ResponseReturnValue:
    """The App's installations."""
    mine = [candidate for candidate in world().installations.values() if candidate.app is me().the_app()]
    return page(mine, lambda stored_installation: app_json.installation(world(), stored_installation))


@route(routes, "GET", "/app/installations/<int:installation_id>")
def installation(installation_id: int) -> ResponseReturnValue:
    """One installation of the App."""
    return jsonify(app_json.installation(world(), _mine(installation_id)))


@route(routes, "GET", "/repos/<owner>/<repo>/installation")
def installation_of_repository(owner: str, repo: str) -> ResponseReturnValue:
    """The App's installation that reaches that repository; 404 where there is none."""
    app, found = me().the_app(), existing(world().find_repository(owner, repo))
    mine = (
        candidate for candidate in world().installations.values() if candidate.app is app and candidate.covers(found)
    )
    return jsonify(app_json.installation(world(), existing(next(mine, None))))


@route(routes, "POST", "/app/installations/<int:installation_id>/access_tokens")
def access_tokens(installation_id: int) -> ResponseReturnValue:
    """A token for the installation, with all of its permissions or fewer, for all of its repositories."""
    stored_installation = _mine(installation_id)
    if stored_installation.suspended_at is not None:
        raise forbidden("This installation has been suspended")
    fields = typed(body(), permissions=dict)
    if not set(fields) <= {"permissions"}:
        raise ErrorResponse(422, "This small GitHub gives tokens for all repositories of an installation only.")
    text, token = installation_token(world(), stored_installation, fields)
    answer = {
        "token": text,
        "expires_at": timestamp(token.expires_at),
        "permissions": token.permissions,
        "repository_selection": app_json.selection(stored_installation),
    }
    return jsonify(answer), 201


@route(routes, "GET", "/installation/repositories")
def installation_repositories() -> ResponseReturnValue:
    """The repositories that this token reaches."""
    stored_installation = me().the_installation()
    return page(
        [repo for repo in world().repositories_of(stored_installation.account) if stored_installation.covers(repo)],
        lambda repo: repository_json.repository(world(), repo),
        wrap="repositories",
        repository_selection=app_json.selection(stored_installation),
    )


@route(routes, "POST", "/app-manifests/<code>/conversions")
def convert(code: str) -> ResponseReturnValue:
    """The App that a browser has just registered, with all that is shown only now: for one use, within an hour."""
    made = world().registered.pop(code, None)  # For one use.
    if made is None or made.expires_at <= world().clock():
        raise not_found()
    app = made.app
    secrets = {  # GitHub shows these here alone.
        "client_id": app.client_id,
        "client_secret": app.client_secret,
        "webhook_secret": app.webhook_secret,
        "pem": made.private_key,
    }
    return jsonify({**app_json.app(world(), app), **secrets}), 201


@route(routes, "GET", "/app/hook/config")
def hook_config() -> ResponseReturnValue:
    """The settings of the App's webhook."""
    return jsonify(app_json.hook_config(me().the_app()))


@route(routes, "GET", "/app/hook/deliveries")
def deliveries() -> ResponseReturnValue:
    """Each attempt to send a webhook, newest first; `status` is `success` or `failure`, `cursor` goes to older ones."""
    found = world().hooks.attempts(me().the_app())
    if wanted := request.args.get("status"):
        found = [entry for entry in found if entry[1].is_success == (wanted == "success")]
    if cursor := request.args.get("cursor", "").removeprefix("v1_"):
        if not cursor.isdecimal():
            raise ErrorResponse(400, "The cursor is not valid")
        found = [entry for entry in found if entry[1].id < int(cursor)]  # Older ones have lower ids.
    size = page_size()
    answer = jsonify([app_json.delivery_item(*entry) for entry in found[:size]])
    if len(found) > size:  # This list names its next page by a cursor alone.
        older = urlencode({**request.args, "cursor": f"v1_{found[size - 1][1].id}"})
        answer.headers["Link"] = f'<{world().api_url("/app/hook/deliveries")}?{older}>; rel="next"'
    return answer


@route(routes, "GET", "/app/hook/deliveries/<int:delivery_id>")
def delivery(delivery_id: int) -> ResponseReturnValue:
    """One attempt, with what was sent and what was answered."""
    return jsonify(app_json.delivery(*_attempt(delivery_id)))


@route(routes, "POST", "/app/hook/deliveries/<int:delivery_id>/attempts")
def redeliver(delivery_id: int) -> ResponseReturnValue:
    """Send one again."""
    world().hooks.redeliver(_attempt(delivery_id)[0])
    return jsonify({}), 202


def _attempt(number: int) -> tuple[SentDelivery, Attempt]:
    return existing(next((entry for entry in world().hooks.attempts(me().the_app()) if entry[1].id == number), None))


def _mine(number: int) -> StoredInstallation:
    app, found = me().the_app(), world().installations.get(number)
    return existing(found if found and found.app is app else None)  # Another App's is not to be told of.
