"""REST for the dependency graph: a report is asked for, made after a while, and lies at another host."""

import json
import secrets

from flask import Blueprint, jsonify, redirect
from flask.typing import ResponseReturnValue

from bot.demo.github.refusal import not_found
from bot.demo.github.rest.request import repository_route, world
from bot.demo.github.state import StoredRepository

routes = Blueprint("sbom", __name__)


@repository_route(routes, "GET", "/dependency-graph/sbom", "read", "contents")
def at_once(repo: StoredRepository) -> ResponseReturnValue:
    """The document itself; 404 where the dependency graph is off."""
    if repo.sbom is None:
        raise not_found()
    return jsonify({"sbom": repo.sbom})


@repository_route(routes, "GET", "/dependency-graph/sbom/generate-report", "read", "contents")
def generate(repo: StoredRepository) -> ResponseReturnValue:
    """Begin a report; 404 where the dependency graph is off."""
    if repo.sbom is None:
        raise not_found()
    name = secrets.token_hex(16)
    world().reports[name] = (repo.id, world().sbom_patience)
    return jsonify(
        {"sbom_url": world().api_url(f"/repos/{repo.full_name}/dependency-graph/sbom/fetch-report/{name}")}
    ), 201


@repository_route(routes, "GET", "/dependency-graph/sbom/fetch-report/<sbom_uuid>", "read", "contents")
def fetch(repo: StoredRepository, sbom_uuid: str) -> ResponseReturnValue:
    """202 as often as `sbom_patience` says, then the way to the document."""
    number, patience = world().reports.get(sbom_uuid, (0, 0))
    if number != repo.id or repo.sbom is None:
        raise not_found()
    if patience:
        world().reports[sbom_uuid] = (number, patience - 1)
        return "", 202
    place = secrets.token_hex(16)
    world().stored_files[place] = json.dumps(repo.sbom).encode()
    return redirect(f"{world().storage_url}/{place}", 302)
