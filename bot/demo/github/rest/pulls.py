"""REST for pull requests: reading, opening, editing, their commits and files."""

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from bot.demo.github.git import bare_repository, changed_files
from bot.demo.github.json import git_json, pull_json
from bot.demo.github.refusal import invalid
from bot.demo.github.rest.request import actor, body, me, page, pull_of, repository_route, text_field, world
from bot.demo.github.state import Pull, Repository

routes = Blueprint("pulls", __name__)
_COMMITS = 250
"""GitHub lists no more commits of a pull request, whatever the page."""
_FILES = 3000
"""GitHub lists no more files of a pull request."""


@repository_route(routes, "GET", "/pulls", "read", "pull_requests")
def pulls(repo: Repository) -> ResponseReturnValue:
    """Pull requests, newest first unless asked otherwise; open ones unless asked otherwise."""
    state = request.args.get("state", "open")
    head, base = request.args.get("head"), request.args.get("base")
    found = [one for one in repo.pulls.values() if state in ("all", one.state)]
    found = [one for one in found if (head is None or _label(one) == head) and base in (None, one.base)]
    if request.args.get("direction", "desc") == "desc":
        found.reverse()
    return page(found, lambda one: pull_json.pull_simple(world(), one))


def _label(pull: Pull) -> str:
    return f"{pull.head_repository.owner.login if pull.head_repository else 'unknown'}:{pull.head}"


@repository_route(routes, "GET", "/pulls/<int:pull_number>", "read", "pull_requests")
def pull(repo: Repository, pull_number: int) -> ResponseReturnValue:
    """One pull request."""
    return jsonify(pull_json.pull(world(), pull_of(repo, pull_number)))


@repository_route(routes, "POST", "/pulls")
def open_pull(repo: Repository) -> ResponseReturnValue:
    """Open one; `head` may be `owner:branch` of a fork. Anybody who sees a repository may, as at GitHub."""
    me().need_of_app(repo, "write", "pull_requests")
    fields = body()
    head, base = (text_field(fields, name, resource="PullRequest") for name in ("head", "base"))
    owner, colon, branch = head.partition(":")
    source = repo
    if colon and owner.lower() != repo.owner.login.lower():
        forks = [one for one in world().repositories_of(world().account(owner)) if one.fork_of is repo]
        if not forks:
            raise invalid("PullRequest", "head", f"{owner} has no fork of {repo.full_name}")
        source = forks[0]
    made = world().open_pull(
        repo, actor(), branch if colon else head, base_branch=base, title=str(fields.get("title") or ""),
        body=str(fields.get("body") or ""), draft=fields.get("draft") is True, source=source,
    )  # fmt: skip
    return jsonify(pull_json.pull(world(), made)), 201


@repository_route(routes, "PATCH", "/pulls/<int:pull_number>")
def edit_pull(repo: Repository, pull_number: int) -> ResponseReturnValue:
    """Change title, body, base or state; the opener may, and whoever may write."""
    one = pull_of(repo, pull_number)
    me().need_author(repo, one.opener, "pull_requests")
    fields = body()
    world().edit_pull(one, actor(), title=fields.get("title"), body=fields.get("body"), base=fields.get("base"))
    if fields.get("state") == "closed":
        world().close_pull(one, actor())
    elif fields.get("state") == "open":
        world().reopen_pull(one, actor())
    return jsonify(pull_json.pull(world(), one))


@repository_route(routes, "GET", "/pulls/<int:pull_number>/commits", "read", "pull_requests")
def commits(repo: Repository, pull_number: int) -> ResponseReturnValue:
    """Its commits, oldest first: 250 at most, paging does not lift that."""
    one = pull_of(repo, pull_number)
    listed = bare_repository.between(repo.git, one.base_sha, one.head_sha)[:_COMMITS]
    return page(listed, lambda found: git_json.commit(world(), repo, found))


@repository_route(routes, "GET", "/pulls/<int:pull_number>/files", "read", "pull_requests")
def files(repo: Repository, pull_number: int) -> ResponseReturnValue:
    """The files it touches: 3,000 at most."""
    one = pull_of(repo, pull_number)
    listed = changed_files.between(repo.git, one.base_sha, one.head_sha)[:_FILES]
    return page(listed, lambda found: git_json.file(world(), repo, one.head_sha, found))
