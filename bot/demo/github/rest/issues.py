"""REST for issues, and for the half of a pull request that is an issue: lists, opening, editing, labels, comments and reactions."""

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from bot.demo.github.json import issue_json, repository_json
from bot.demo.github.refusal import ErrorResponse, existing, invalid_field
from bot.demo.github.rest_request import (
    acting_app,
    actor,
    body,
    issue_of,
    me,
    page,
    pull_of,
    repository_route,
    text_field,
    typed,
    world,
)
from bot.demo.github.state import StoredIssue, StoredRepository

routes = Blueprint("issues", __name__)
ISSUES_OR_PULL_REQUESTS = ("issues", "pull_requests")  # For pull requests, either lets an App comment and label.
_COMMENT = "/issues/comments/<int:comment_id>"


@repository_route(routes, "GET", "/issues", "read", "issues")
def issues(repo: StoredRepository) -> ResponseReturnValue:
    """Issues and pull requests, newest first; open ones unless asked otherwise."""
    state, creator = request.args.get("state", "open"), request.args.get("creator", "").lower()
    every: list[StoredIssue] = [*repo.issues.values(), *repo.pulls.values()]  # GitHub lists both as issues.
    found = [issue for issue in every if state in ("all", issue.state)]
    found = [issue for issue in found if creator in ("", issue.opener.login.lower() if issue.opener else "ghost")]
    return page(sorted(found, key=lambda issue: -issue.number), lambda issue: issue_json.issue(world(), issue))


@repository_route(routes, "POST", "/issues")
def open_issue(repo: StoredRepository) -> ResponseReturnValue:
    """Open one; 410 where issues are switched off."""
    me().need_of_app(repo, "write", "issues")  # Of people all who see the repository may.
    if not repo.has_issues:
        raise ErrorResponse(410, "Issues has been disabled in this repository.")
    fields = body()
    title = text_field(fields, "title", resource="Issue")
    made = world().open_issue(repo, actor(), title, str(fields.get("body") or ""), app=acting_app())
    return jsonify(issue_json.issue(world(), made)), 201


@repository_route(routes, "PATCH", "/issues/<int:issue_number>")
def edit_issue(repo: StoredRepository, issue_number: int) -> ResponseReturnValue:
    """Change title, body or state; its opener may, and people with write access."""
    issue = existing(repo.issues.get(issue_number))
    me().need_author(repo, issue.opener, "issues")
    fields = typed(body(), title=str, body=str, state=str)
    if fields.get("state") not in ("open", "closed", None):
        raise invalid_field("Issue", "state", "invalid")
    world().edit_issue(issue, title=fields.get("title"), body=fields.get("body"), state=fields.get("state"))
    return jsonify(issue_json.issue(world(), issue))


@repository_route(routes, "GET", "/issues/<int:issue_number>/labels", "read", *ISSUES_OR_PULL_REQUESTS)
def labels_of_issue(repo: StoredRepository, issue_number: int) -> ResponseReturnValue:
    """The labels on an issue or pull request."""
    return _labels(issue_of(repo, issue_number))


@repository_route(routes, "POST", "/issues/<int:issue_number>/labels", "write", *ISSUES_OR_PULL_REQUESTS)
def add_labels(repo: StoredRepository, issue_number: int) -> ResponseReturnValue:
    """Put labels on a pull request."""
    pull = pull_of(repo, issue_number)
    wanted = body().get("labels")
    if not isinstance(wanted, list):
        raise ErrorResponse(400, "Problems parsing JSON")
    if not all(isinstance(name, str) and name for name in wanted):
        raise invalid_field("Label", "name", "missing_field")
    world().add_labels(pull, wanted, actor())
    return _labels(pull)


@repository_route(routes, "DELETE", "/issues/<int:issue_number>/labels/<path:name>", "write", *ISSUES_OR_PULL_REQUESTS)
def remove_label(repo: StoredRepository, issue_number: int, name: str) -> ResponseReturnValue:
    """Take a label off a pull request and give the rest; 404 when it was not on."""
    pull = pull_of(repo, issue_number)
    world().remove_label(pull, name, actor())
    return _labels(pull)


def _labels(issue: StoredIssue) -> ResponseReturnValue:
    return page(issue.labels, lambda label: repository_json.label(world(), issue.repository, label))


@repository_route(routes, "GET", "/issues/<int:issue_number>/comments", "read", *ISSUES_OR_PULL_REQUESTS)
def comments(repo: StoredRepository, issue_number: int) -> ResponseReturnValue:
    """Comments, oldest first."""
    on = issue_of(repo, issue_number)
    return page(on.comments, lambda stored_comment: issue_json.comment(world(), on, stored_comment))


@repository_route(routes, "POST", "/issues/<int:issue_number>/comments")
def create_comment(repo: StoredRepository, issue_number: int) -> ResponseReturnValue:
    """Comment on an issue or a pull request."""
    me().need_of_app(repo, "write", *ISSUES_OR_PULL_REQUESTS)  # Of people it is enough that they see the repository.
    on = issue_of(repo, issue_number)
    stored_comment = world().comment(on, actor(), text_field(body(), "body", resource="IssueComment"), app=acting_app())
    return jsonify(issue_json.comment(world(), on, stored_comment)), 201


@repository_route(routes, "GET", _COMMENT, "read", *ISSUES_OR_PULL_REQUESTS)
def comment(repo: StoredRepository, comment_id: int) -> ResponseReturnValue:
    """One comment."""
    return jsonify(issue_json.comment(world(), *world().comment_of(repo, comment_id)))


@repository_route(routes, "PATCH", _COMMENT)
def edit_comment(repo: StoredRepository, comment_id: int) -> ResponseReturnValue:
    """Change a comment's text."""
    on, stored_comment = world().comment_of(repo, comment_id)
    me().need_author(repo, stored_comment.user, *ISSUES_OR_PULL_REQUESTS)
    text = text_field(body(), "body", resource="IssueComment")
    world().check_comment(text)
    stored_comment.body, stored_comment.updated_at = text, world().now()  # A later moment tells clients of the edit.
    return jsonify(issue_json.comment(world(), on, stored_comment))


@repository_route(routes, "GET", _COMMENT + "/reactions", "read", *ISSUES_OR_PULL_REQUESTS)
def reactions(repo: StoredRepository, comment_id: int) -> ResponseReturnValue:
    """Reactions to a comment, oldest first."""
    stored_comment = world().comment_of(repo, comment_id)[1]
    return page(stored_comment.reactions, lambda given: issue_json.reaction(world(), given))


@repository_route(routes, "POST", _COMMENT + "/reactions")
def react(repo: StoredRepository, comment_id: int) -> ResponseReturnValue:
    """React; 200 with the old one when the account had reacted so before."""
    me().need_of_app(repo, "write", *ISSUES_OR_PULL_REQUESTS)
    stored_comment = world().comment_of(repo, comment_id)[1]
    content = text_field(body(), "content", resource="Reaction")
    if content not in issue_json.REACTIONS:
        raise invalid_field("Reaction", "content", "invalid")
    for old in stored_comment.reactions:  # Twice the same is one.
        if old[1] is actor() and old[2] == content:
            return jsonify(issue_json.reaction(world(), old))
    made = (world().next_id("reaction"), actor(), content, world().now())
    stored_comment.reactions.append(made)
    return jsonify(issue_json.reaction(world(), made)), 201
