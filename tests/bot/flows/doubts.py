"""Brings every doubt about on the simulated GitHub: withheld fields, unreadable rulebooks, outages."""

import json
from collections.abc import Callable
from datetime import timedelta

from bot.github import by_graphql
from tests.bot.flows.portal_signoffs import signed_here
from tests.bot.flows.recipes import RECIPES, SIGNED, altered, book, opened, recipe, unknown_push
from tests.bot.flows.scene import Scene

GRAPHQL_IS_DOWN = ("POST", "/graphql", 502)
REFUSED_BY_REST = ("GET", r"/repos/cann/\.github", 451)
EVERY = RECIPES
"""All that there are: what `recipes` has, and what follows here."""


recipe("dco/signed-here", "dco", "dco: {portal: true}")(signed_here)


def commits_of(body: dict) -> dict:
    """The commits in an answer."""
    return body["data"]["repository"]["pullRequest"]["commits"]


def count(number: int | None) -> Callable:
    """GitHub says that there are so many commits."""
    return lambda body: commits_of(body).update(totalCount=number)


@recipe("facts/incomplete:unknown")
def _no_count(scene):
    altered(scene, count(None))
    return opened(scene)


@recipe("facts/incomplete:differs")
def _differs(scene):
    altered(scene, count(2))
    return opened(scene)


@recipe("facts/incomplete:more")
def _more(scene):
    altered(scene, count(0))
    return opened(scene)


@recipe("facts/incomplete:no-head")
def _no_head(scene):
    altered(scene, lambda body: commits_of(body)["nodes"][0]["commit"].update(oid="f" * 40))
    return opened(scene)


def many(scene: Scene, number: int) -> object:
    """A pull request of so many commits."""
    clone, fork = scene.push("First")
    stream = "".join(
        f"commit refs/heads/topic\ncommitter Mia <mia@home.example> {1_760_000_000 + index} +0000\ndata 4\nMore\n"
        + (f"from {clone.head}\n" if index == 1 else "")
        for index in range(1, number)
    )
    place = clone.folder / "stream"
    place.write_text(stream, encoding="utf-8")
    clone.git("-c", f"alias.fed=!git fast-import --quiet --force < '{place}'", "fed")
    clone.git("push", "--quiet", "origin", "topic")
    return scene.world.open_pull(scene.ops, scene.mia, "topic", source=fork)


@recipe("facts/incomplete:moved")
def _moved(scene):
    pull = many(scene, 101)
    altered(scene, lambda body: body["data"]["repository"]["pullRequest"].update(headRefOid="f" * 40), after=1)
    return pull


@recipe("facts/incomplete:changed")
def _changed(scene):
    pull = many(scene, 101)
    altered(scene, count(102), after=1)
    return pull


@recipe("facts/incomplete:repeated")
def _repeated(scene):
    pull = many(scene, 201)
    cursors = []

    def repeat(body):
        page = commits_of(body)["pageInfo"]
        cursors.append(page["endCursor"])
        page["endCursor"] = cursors[0]

    altered(scene, repeat)
    return pull


@recipe("facts/incomplete:too-many")
def _too_many(scene):
    scene.monkeypatch.setattr(by_graphql, "MAX_COMMITS", 100)  # ten thousand commits take a minute to read
    return many(scene, 201)


@recipe("facts/incomplete:rest-only")
def _rest_only(scene):
    scene.weather.faults.append(GRAPHQL_IS_DOWN)
    return many(scene, 251)


@recipe("facts/incomplete:accounts-of-coauthors")
def _coauthors_by_rest(scene):
    scene.sign(scene.mia)
    scene.weather.faults.append(GRAPHQL_IS_DOWN)
    return opened(scene, "Fix it\n\nCo-authored-by: Eve <eve@nowhere.example>")


def refused(body: dict, *path: str | int) -> None:
    """GitHub answers that field of the query with null and FORBIDDEN."""
    *above, last = path
    parent = body["data"]
    for step in above:
        parent = parent[step]
    parent[last] = None
    body.setdefault("errors", []).append({"type": "FORBIDDEN", "path": list(path), "locations": [], "message": "no"})


AUTHOR = ("repository", "pullRequest", "commits", "nodes", 0, "commit", "author", "user")


def without_accounts(data: bytes) -> bytes:
    """REST's list of commits, which names no account."""
    return json.dumps([{**commit, "author": None} for commit in json.loads(data)]).encode()


@recipe("facts/incomplete:accounts-of-authors")
def _accounts_are_refused(scene):
    scene.sign(scene.mia)
    altered(scene, lambda body: refused(body, *AUTHOR))
    scene.weather.altered.append(("GET", r"/pulls/\d+/commits$", without_accounts))
    return opened(scene)


@recipe("facts/incomplete:coauthors")
def _too_many_coauthors(scene):
    scene.sign(scene.mia)
    scene.monkeypatch.setattr(by_graphql, "MAX_AUTHOR_PAGES", 0)  # else hundreds of commits are needed
    names = "\n".join(f"Co-authored-by: P{number} <p{number}@nowhere.example>" for number in range(25))
    return opened(scene, f"Fix it\n\n{names}")


@recipe("facts/incomplete:files", "dco", "changelog: {require: true}")
def _files(scene):
    altered(scene, lambda body: body["data"]["repository"]["pullRequest"].update(changedFiles=3001))
    return opened(scene, SIGNED)


@recipe("facts/incomplete:pushes")
def _pushes(scene):
    return unknown_push(scene)


@recipe("facts/incomplete:pushes-override", "cla", "people: {override: maintainers}")
def _pushes_override(scene):
    return unknown_push(scene)


@recipe("facts/empty", "dco")
def _empty(scene):
    pull, clone = scene.pull(SIGNED)
    clone.git("reset", "--quiet", "--hard", "origin/main")
    clone.push(force=True)
    return pull


# Rulebooks.
@recipe("rulebook/invalid", "cla", "people: {exmpt: []}")
def _invalid(scene):
    return opened(scene)


@recipe("rulebook/invalid:own", "both")
def _looser(scene):
    scene.world.write(scene.ops, {".github/countersign.yml": book("none")})
    return opened(scene)


@recipe("rulebook/unreachable:not-covered", rulebook=None, chosen=True)
def _not_covered(scene):
    return opened(scene)


def not_shown(kind: str) -> Callable:
    """GitHub does not show `.github`."""

    def change(body):
        body["data"]["rules"] = None
        body["errors"] = [{"type": kind, "path": ["rules"], "message": "No"}]

    return change


@recipe("rulebook/unreachable:listed")
def _listed(scene):
    altered(scene, not_shown("NOT_FOUND"))
    return opened(scene)


@recipe("rulebook/unreachable:refused")
def _refused(scene):
    altered(scene, not_shown("FORBIDDEN"))
    scene.weather.faults.append(REFUSED_BY_REST)
    return opened(scene)


@recipe("rulebook/unreachable:own")
def _own_file_is_refused(scene):
    altered(scene, lambda body: refused(body, "repository", "rulebook"))
    return opened(scene)


@recipe("rulebook/unreachable:no-answer", rulebook=None)
def _no_answer(scene):
    scene.weather.faults.append(("GET", "/installation/repositories", 502))
    return opened(scene)


@recipe("rules/before-since", "dco", "since: 2099-01-01")
def _before_since(scene):
    return opened(scene)


@recipe("changelog/missing", "dco", "changelog: {require: true}")
def _changelog(scene):
    return opened(scene, SIGNED)


# No verdict at all.
@recipe("away", "dco", "changelog: {require: true}")
def _away(scene):
    pull = opened(scene, SIGNED)
    scene.weather.faults.append(("GET", "/files", 502))
    return pull


@recipe("away:later", "dco")
def _away_later(scene):
    pull = opened(scene, SIGNED)
    scene.settle()
    scene.shift = timedelta(minutes=2)
    scene.weather.faults += [GRAPHQL_IS_DOWN, ("GET", "/pulls/", 502)]
    scene.again(pull)
    return pull


@recipe("cla/chosen-uncovered")
def _chosen_uncovered(scene):
    pull = opened(scene)
    scene.world.comment(pull, scene.mia, "/cla for me")
    scene.settle()
    return pull
