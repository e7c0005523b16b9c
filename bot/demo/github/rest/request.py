"""What the REST routes share: finding the repository under its old names too, reading bodies, paging with links."""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, current_app, g, jsonify, request

from bot.demo.github.answers.common import api
from bot.demo.github.refusal import Refusal, not_found
from bot.demo.github.rights import Caller, caller
from bot.demo.github.state import Account, Json, Pull, Repository
from bot.demo.github.world import World

View = Callable[..., Any]
_PER_PAGE = 30
_MOST_PER_PAGE = 100


def world() -> World:
    """The world that this request is about."""
    found: World = current_app.extensions["world"]
    return found


def me() -> Caller:
    """Who is asking; read once a request."""
    if "caller" not in g:
        g.caller = caller(world(), request)
    found: Caller = g.caller
    return found


def route(api_routes: Blueprint, method: str, path: str) -> Callable[[View], View]:
    """Register a view that runs with the lock held, after the latency that was asked for."""

    def register(view: View) -> View:
        @wraps(view)
        def held(**where: Any) -> Any:
            time.sleep(world().latency)
            with world().lock:
                return view(**where)

        api_routes.add_url_rule(path, view.__name__, held, methods=[method])
        return view

    return register


def repository_route(api_routes: Blueprint, method: str, path: str) -> Callable[[View], View]:
    """Register a view of a repository by name and by id; old names get 301, or 307 on a write, as GitHub's."""

    def register(view: View) -> View:
        @wraps(view)
        def held(**where: Any) -> Any:
            time.sleep(world().latency)
            with world().lock:
                return view(_repository(where), **where)

        api_routes.add_url_rule(f"/repos/<owner>/<repo>{path}", view.__name__, held, methods=[method])
        api_routes.add_url_rule(
            f"/repositories/<int:repository_id>{path}", view.__name__ + "_by_id", held, methods=[method]
        )
        return view

    return register


def _repository(where: dict[str, Any]) -> Repository:
    number, owner, name = (where.pop(key, None) for key in ("repository_id", "owner", "repo"))
    found = world().repositories.get(number) if number is not None else world().find_repository(owner, name)
    moved = None if found or number is not None else world().formerly(owner, name)
    if moved is not None and me().sees(moved):
        rest = request.full_path.partition(f"/repos/{owner}/{name}")[2].rstrip("?")
        place = api(world(), f"/repositories/{moved.id}{rest}")
        status, words = (301, "Moved Permanently") if request.method == "GET" else (307, "Temporary Redirect")
        raise Refusal(status, words, headers={"Location": place}, url=place)
    if found is None or not me().sees(found):
        raise not_found()
    return found


def pull_of(repo: Repository, number: int) -> Pull:
    """The pull request with that number; 404 otherwise."""
    if number not in repo.pulls:
        raise not_found()
    return repo.pulls[number]


def actor() -> Account:
    """The account that does this deed; 401 for nobody."""
    who = me().actor
    if who is None:
        raise Refusal(401, "Requires authentication")
    return who


def body() -> Json:
    """The JSON object that was sent; 400 when it is none."""
    if not request.get_data():
        return {}
    read = request.get_json(force=True, silent=True)
    if not isinstance(read, dict):
        raise Refusal(400, "Problems parsing JSON")
    return read


def text_field(fields: Json, name: str, *, resource: str) -> str:
    """A field that must be there as text; 422 with `missing_field` otherwise."""
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise Refusal(422, "Validation Failed", errors=[{"resource": resource, "field": name, "code": "missing_field"}])
    return value


def page(items: Sequence[Any], shape: Callable[[Any], Json], *, wrap: str = "", **beside: Any) -> Response:
    """One page of a list with GitHub's Link header; `wrap` puts it under that key beside `total_count` and `beside`."""
    size = min(max(_number("per_page", _PER_PAGE), 1), _MOST_PER_PAGE)
    which = max(_number("page", 1), 1)
    last = max(-(-len(items) // size), 1)
    chosen = [shape(item) for item in items[(which - 1) * size : which * size]]
    answer = jsonify({"total_count": len(items), **beside, wrap: chosen} if wrap else chosen)
    links = _links({"prev": which - 1, "first": 1} if which > 1 else {}) + _links(
        {"next": which + 1, "last": last} if which < last else {}
    )  # fmt: skip
    if links:
        answer.headers["Link"] = ", ".join(links)
    return answer


def _links(pages: dict[str, int]) -> list[str]:
    base = world().url + request.path
    return [
        f'<{base}?{urlencode({**request.args, "page": number})}>; rel="{relation}"'
        for relation, number in pages.items()
    ]


def _number(name: str, fallback: int) -> int:
    return request.args.get(name, fallback, type=int)


def names(many: Iterable[Any]) -> list[str]:
    """Label names from a list of names or of objects with a name."""
    return [one["name"] if isinstance(one, dict) else str(one) for one in many]
