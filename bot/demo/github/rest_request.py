"""The parts that routes share: the world and the caller, repositories under old names, bodies, paging with links."""

import base64
import time
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, current_app, g, jsonify, request

from bot.demo.github.authentication import Caller, caller
from bot.demo.github.refusal import SECONDARY_LIMIT, ErrorResponse, existing, invalid_field, not_found
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.state import Json, StoredAccount, StoredApp, StoredIssue, StoredPull, StoredRepository

View = Callable[..., Any]
_PER_PAGE = 30  # GitHub's default.
_MAX_PER_PAGE = 100  # GitHub gives no more.


def world() -> SimulatedGitHub:
    """The world that this request is about."""
    found: SimulatedGitHub = current_app.extensions["world"]
    return found


def me() -> Caller:
    """The caller; read once for each request."""
    if "caller" not in g:
        g.caller = caller(world(), request)
    found: Caller = g.caller
    return found


def holding(view: View) -> View:
    """The view, run with the world's lock held."""

    @wraps(view)
    def held(**where: Any) -> Any:
        with world().lock:
            return view(**where)

    return held


def route(blueprint: Blueprint, method: str, path: str) -> Callable[[View], View]:
    """Register a view that runs with the lock held, after the latency that was asked for."""

    def register(view: View) -> View:
        blueprint.add_url_rule(path, view.__name__, _locked(view), methods=[method])
        return view

    return register


def repository_route(
    blueprint: Blueprint, method: str, path: str, level: str = "", *permissions: str
) -> Callable[[View], View]:
    """Register a view of a repository, by its name and its id, that needs any of these permissions at that level."""

    def register(view: View) -> View:
        @wraps(view)
        def of_repository(**where: Any) -> Any:
            repo = _repository(where)
            if level:
                me().need(repo, level, *permissions)
            return view(repo, **where)

        held = _locked(of_repository)
        blueprint.add_url_rule(f"/repos/<owner>/<repo>{path}", view.__name__, held, methods=[method])
        by_id = f"/repositories/<int:repository_id>{path}"
        blueprint.add_url_rule(by_id, view.__name__ + "_by_id", held, methods=[method])
        return view

    return register


def _locked(view: View) -> View:
    @wraps(view)
    def held(**where: Any) -> Any:
        time.sleep(world().latency)  # Outside the lock: slow calls wait beside each other.
        with world().lock:
            count_call("core", calls=0 if request.path.endswith("/rate_limit") else 1)  # Asking for it is free.
            if request.method != "GET" and me().actor is not None and world().content_limit.is_exceeded(me().name):
                raise ErrorResponse(403, SECONDARY_LIMIT, headers={"Retry-After": "60"})
            return view(**where)

    return held


def count_call(resource: str, *, calls: int = 1) -> None:
    """Count a call against the caller's rate limit, which the answer will tell."""
    g.usage = world().rate_limit.usage(me().name, resource, world().now(), calls=calls)


def _repository(where: dict[str, Any]) -> StoredRepository:
    number, owner, name = (where.pop(key, None) for key in ("repository_id", "owner", "repo"))
    found = world().repositories.get(number) if number is not None else world().find_repository(owner, name)
    # A former name is answered with 301, or 307 on a write, as GitHub does.
    moved = None if found or number is not None else world().formerly(owner, name)
    if moved is not None and me().sees(moved):  # Others must not learn of it.
        rest = request.full_path.partition(f"/repos/{owner}/{name}")[2].rstrip("?")
        place = world().api_url(f"/repositories/{moved.id}{rest}")  # GitHub redirects to the id.
        status, words = (301, "Moved Permanently") if request.method == "GET" else (307, "Temporary Redirect")
        raise ErrorResponse(status, words, headers={"Location": place}, url=place)
    if found is None or not me().sees(found):
        raise not_found()
    return found


def issue_of(repo: StoredRepository, number: int) -> StoredIssue:
    """The issue or pull request with that number; 404 otherwise."""
    return repo.issues[number] if number in repo.issues else pull_of(repo, number)


def pull_of(repo: StoredRepository, number: int) -> StoredPull:
    """The pull request with that number; 404 otherwise."""
    return existing(repo.pulls.get(number))


def actor() -> StoredAccount:
    """The account that does this deed; 401 for an anonymous caller."""
    who = me().actor
    if who is None:
        raise ErrorResponse(401, "Requires authentication")
    return who


def acting_app() -> StoredApp | None:
    """The App that does this deed, when it is one."""
    return me().app if me().installation else None


def body() -> Json:
    """The JSON object that was sent; 400 when it is none."""
    if not request.get_data():
        return {}
    read = request.get_json(force=True, silent=True)  # GitHub takes JSON under any Content-Type.
    if not isinstance(read, dict):
        raise ErrorResponse(400, "Problems parsing JSON")
    return read


def text_field(fields: Json, name: str, *, resource: str) -> str:
    """A field that must be there as text; 422 with `missing_field` otherwise."""
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise invalid_field(resource, name, "missing_field")
    return value


def typed(fields: Json, **types: type) -> Json:
    """The fields, of which these have to be of that type where they are sent and not null; 422 otherwise."""
    for name, wanted in types.items():
        if not isinstance(fields.get(name), wanted | None):
            raise ErrorResponse(
                422, f"Invalid request.\n\nFor 'properties/{name}': it is not of the type {wanted.__name__}."
            )
    return fields


def objects_field(fields: Json, name: str) -> list[Json]:
    """A list of objects, empty where it is not sent; 422 for anything else."""
    return [typed({name: entry}, **{name: dict})[name] or {} for entry in typed(fields, **{name: list}).get(name) or ()]


def base64_field(fields: Json, name: str, *, resource: str) -> bytes:
    """A field that must be there, out of Base64; 422 otherwise."""
    try:
        return base64.b64decode(text_field(fields, name, resource=resource))
    except ValueError:
        raise ErrorResponse(422, f"{name} is not valid Base64") from None


def page_size() -> int:
    """The number of items of a list that are asked for at once: 1 to 100."""
    return min(max(request.args.get("per_page", _PER_PAGE, type=int), 1), _MAX_PER_PAGE)


def page(items: Sequence[Any], shape: Callable[[Any], Json], *, wrap: str = "", **beside: Any) -> Response:
    """One page of a list with GitHub's Link header; `wrap` puts it under that key beside `total_count` and `beside`."""
    size = page_size()
    which = max(request.args.get("page", 1, type=int), 1)
    last = max(-(-len(items) // size), 1)
    chosen = [shape(item) for item in items[(which - 1) * size : which * size]]
    answer = jsonify({"total_count": len(items), **beside, wrap: chosen} if wrap else chosen)
    others = {"prev": which - 1, "first": 1} if which > 1 else {}  # GitHub leaves out what leads nowhere.
    others |= {"next": which + 1, "last": last} if which < last else {}
    if others:
        base = world().url + request.path
        links = {name: f"{base}?{urlencode({**request.args, 'page': number})}" for name, number in others.items()}
        answer.headers["Link"] = ", ".join(f'<{url}>; rel="{name}"' for name, url in links.items())
    return answer
