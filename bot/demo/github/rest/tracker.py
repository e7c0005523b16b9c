"""REST for issues that are no pull requests: listing, opening, editing, closing."""

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from bot.demo.github.answers import issue_answers, pull_answers
from bot.demo.github.refusal import Refusal, forbidden, not_found
from bot.demo.github.rest.request import actor, body, me, page, repository_route, text_field, world
from bot.demo.github.state import Issue, Json, Pull, Repository

routes = Blueprint("tracker", __name__)


@repository_route(routes, "GET", "/issues")
def issues(repo: Repository) -> ResponseReturnValue:
    """Issues and pull requests, which are issues, too; newest first; open ones unless asked otherwise."""
    me().need(repo, "read", "issues")
    state, creator = request.args.get("state", "open"), request.args.get("creator", "").lower()
    found: list[Issue | Pull] = [*repo.issues.values(), *repo.pulls.values()]
    found = [one for one in found if state == "all" or (one.closed_at is None) == (state == "open")]
    found = [one for one in found if not creator or _creator(one) == creator]
    return page(sorted(found, key=lambda one: -one.number), lambda one: _shown(repo, one))


def _creator(one: Issue | Pull) -> str:
    who = one.opener if isinstance(one, Pull) else one.user
    return who.login.lower() if who else "ghost"


def _shown(repo: Repository, one: Issue | Pull) -> Json:
    return (
        pull_answers.issue(world(), one) if isinstance(one, Pull) else issue_answers.issue(world(), repo, one)
    )  # fmt: skip


@repository_route(routes, "POST", "/issues")
def open_issue(repo: Repository) -> ResponseReturnValue:
    """Open one; 410 where issues are switched off."""
    if me().installation:
        me().need(repo, "write", "issues")
    if not repo.has_issues:
        raise Refusal(410, "Issues has been disabled in this repository.")
    fields = body()
    title = text_field(fields, "title", resource="Issue")
    by = me().app if me().installation else None
    made = world().open_issue(repo, actor(), title, str(fields.get("body") or ""), app=by)
    return jsonify(issue_answers.issue(world(), repo, made)), 201


@repository_route(routes, "PATCH", "/issues/<int:issue_number>")
def edit_issue(repo: Repository, issue_number: int) -> ResponseReturnValue:
    """Change title, body or state; whoever opened it may, and whoever may write."""
    one = repo.issues.get(issue_number)
    if one is None:
        raise not_found()
    if me().installation:
        me().need(repo, "write", "issues")
    elif one.user is not actor() and not world().may(actor(), repo, "write"):
        raise forbidden("Must have admin rights to Repository.")
    fields = body()
    world().edit_issue(one, title=fields.get("title"), body=fields.get("body"), state=fields.get("state"))
    return jsonify(issue_answers.issue(world(), repo, one))
