"""REST for the dependency graph: a report is asked for, made after a while, and lies at another host."""

import json
import secrets
from collections.abc import Callable, Iterable
from typing import Any

from flask import Blueprint, jsonify, redirect
from flask.typing import ResponseReturnValue

from bot.demo.github.refusal import existing, not_found
from bot.demo.github.rest_request import repository_route, world
from bot.demo.github.simulated_state import SimulatedState
from bot.demo.github.state import StoredRepository

routes = Blueprint("sbom", __name__)


@repository_route(routes, "GET", "/dependency-graph/sbom", "read", "contents")
def at_once(repo: StoredRepository) -> ResponseReturnValue:
    """The document itself; 404 where the dependency graph is off."""
    return jsonify({"sbom": existing(repo.sbom)})


@repository_route(routes, "GET", "/dependency-graph/sbom/generate-report", "read", "contents")
def generate(repo: StoredRepository) -> ResponseReturnValue:
    """Begin a report; 404 where the dependency graph is off."""
    existing(repo.sbom)
    name = secrets.token_hex(16)
    world().reports[name] = (repo.id, world().sbom_patience)
    place = f"/repos/{repo.full_name}/dependency-graph/sbom/fetch-report/{name}"
    return jsonify({"sbom_url": world().api_url(place)}), 201


@repository_route(routes, "GET", "/dependency-graph/sbom/fetch-report/<sbom_uuid>", "read", "contents")
def fetch(repo: StoredRepository, sbom_uuid: str) -> ResponseReturnValue:
    """202 as often as `sbom_patience` says, then the way to the document."""
    number, patience = world().reports.get(sbom_uuid, (0, 0))
    if number != repo.id or repo.sbom is None:
        raise not_found()
    if patience:  # GitHub still works on it.
        world().reports[sbom_uuid] = (number, patience - 1)
        return "", 202
    place = secrets.token_hex(16)
    world().stored_files[place] = json.dumps(repo.sbom).encode()
    return redirect(f"{world().storage_url}/{place}", 302)


def storage_host(world: SimulatedState) -> Callable[..., Iterable[bytes]]:
    """The other host, a WSGI application: it gives each of the world's `stored_files` once, to any caller."""

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        # No token belongs there: one that comes along is remembered as a mistake.
        if "HTTP_AUTHORIZATION" in environ or "HTTP_COOKIE" in environ:
            world.refused.append(f"{environ['REQUEST_METHOD']} at another host with credentials")
            start("400 Bad Request", [("Content-Length", "0")])
            return [b""]
        with world.lock:
            data = world.stored_files.pop(environ["PATH_INFO"].strip("/"), None)
        if data is None:
            start("404 Not Found", [("Content-Length", "0")])
            return [b""]
        start("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(data)))])
        return [data]

    return answer
