"""REST for pull requests: reading, opening, editing, their commits and files."""

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from bot.demo.github.git import bare_repository, changed_files
from bot.demo.github.json import git_json, pull_json
from bot.demo.github.refusal import ErrorResponse
from bot.demo.github.rest_request import actor, body, me, page, pull_of, repository_route, text_field, typed, world
from bot.demo.github.state import StoredPull, StoredRepository

routes = Blueprint("pulls", __name__)
_MAX_COMMITS = 250  # GitHub lists no more of one pull request, on however many pages.
_MAX_FILES = 3000  # GitHub lists no more of one pull request.


@repository_route(routes, "GET", "/pulls", "read", "pull_requests")
def pulls(repo: StoredRepository) -> ResponseReturnValue:
    """Pull requests, newest first; open ones unless asked otherwise."""

    def label(candidate: StoredPull) -> str:
        return f"{candidate.head_repository.owner.login if candidate.head_repository else 'unknown'}:{candidate.head}"

    state, head = request.args.get("state", "open"), request.args.get("head")
    found = [
        candidate
        for candidate in repo.pulls.values()
        if state in ("all", candidate.state) and head in (None, label(candidate))
    ]
    return page(found[::-1], lambda stored_pull: pull_json.pull_simple(world(), stored_pull))


@repository_route(routes, "GET", "/pulls/<int:pull_number>", "read", "pull_requests")
def pull(repo: StoredRepository, pull_number: int) -> ResponseReturnValue:
    """One pull request."""
    return jsonify(pull_json.pull(world(), pull_of(repo, pull_number)))


@repository_route(routes, "POST", "/pulls")
def open_pull(repo: StoredRepository) -> ResponseReturnValue:
    """Open one from a branch of the repository itself."""
    me().need_of_app(repo, "write", "pull_requests")  # Of people all who see the repository may.
    fields = body()
    head, base = (text_field(fields, name, resource="PullRequest") for name in ("head", "base"))
    title, text = (str(fields.get(name) or "") for name in ("title", "body"))
    made = world().open_pull(repo, actor(), head, base_branch=base, title=title, body=text)
    return jsonify(pull_json.pull(world(), made)), 201


@repository_route(routes, "PATCH", "/pulls/<int:pull_number>")
def edit_pull(repo: StoredRepository, pull_number: int) -> ResponseReturnValue:
    """Change title, body or base, or close it; its opener may, and people with write access."""
    stored_pull = pull_of(repo, pull_number)
    me().need_author(repo, stored_pull.opener, "pull_requests")
    fields = typed(body(), title=str, body=str, base=str, state=str)
    world().edit_pull(stored_pull, actor(), title=fields.get("title"), body=fields.get("body"), base=fields.get("base"))
    if fields.get("state") == "closed":
        world().close_pull(stored_pull, actor())
    return jsonify(pull_json.pull(world(), stored_pull))


@repository_route(routes, "GET", "/pulls/<int:pull_number>/commits", "read", "pull_requests")
def commits(repo: StoredRepository, pull_number: int) -> ResponseReturnValue:
    """The commits of a pull request, oldest first: 250 at most, paging does not lift that."""
    stored_pull = pull_of(repo, pull_number)
    listed = bare_repository.between(repo.git, stored_pull.base_sha, stored_pull.head_sha)[:_MAX_COMMITS]
    return page(listed, lambda found: git_json.commit(world(), repo, found))


@repository_route(routes, "GET", "/pulls/<int:pull_number>/files", "read", "pull_requests")
def files(repo: StoredRepository, pull_number: int) -> ResponseReturnValue:
    """The files it touches: 3,000 at most."""
    stored_pull = pull_of(repo, pull_number)
    listed = changed_files.between(repo.git, stored_pull.base_sha, stored_pull.head_sha)[:_MAX_FILES]
    return page(listed, lambda found: git_json.file(world(), repo, stored_pull.head_sha, found))


@repository_route(routes, "GET", "/commits/<commit_sha>/pulls", "read", "contents")
def of_commit(repo: StoredRepository, commit_sha: str) -> ResponseReturnValue:
    """The pull requests that brought a commit: merged ones, and open ones while it is not in the default branch."""
    if bare_repository.resolve(repo.git, commit_sha) != commit_sha:  # The name of a branch is not served here.
        raise ErrorResponse(422, f"No commit found for SHA: {commit_sha}")
    newest = bare_repository.resolve(repo.git, f"refs/heads/{repo.default_branch}")
    is_in = newest is not None and bare_repository.merge_base(repo.git, commit_sha, newest) == commit_sha
    found = [
        stored_pull
        for stored_pull in repo.pulls.values()
        if stored_pull.merged_at or (stored_pull.state == "open" and not is_in)
        if commit_sha in (*stored_pull.rebased, *_own_commits(stored_pull))
    ]
    return page(found, lambda stored_pull: pull_json.pull_simple(world(), stored_pull))


def _own_commits(pull: StoredPull) -> list[str]:
    return [commit.sha for commit in bare_repository.between(pull.repository.git, pull.base_sha, pull.head_sha)]
