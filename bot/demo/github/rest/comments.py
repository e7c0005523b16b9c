"""REST for comments on issues and pull requests, and for reactions to them."""

from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue

from bot.demo.github.json import issue_json
from bot.demo.github.refusal import invalid_field
from bot.demo.github.rest.issues import ISSUES_OR_PULL_REQUESTS
from bot.demo.github.rest.request import (
    acting_app,
    actor,
    body,
    issue_of,
    me,
    page,
    repository_route,
    text_field,
    world,
)
from bot.demo.github.state import StoredRepository

routes = Blueprint("comments", __name__)
_ONE = "/issues/comments/<int:comment_id>"


@repository_route(routes, "GET", "/issues/<int:issue_number>/comments", "read", *ISSUES_OR_PULL_REQUESTS)
def comments(repo: StoredRepository, issue_number: int) -> ResponseReturnValue:
    """Comments, oldest first."""
    on = issue_of(repo, issue_number)
    return page(on.comments, lambda one: issue_json.comment(world(), on, one))


@repository_route(routes, "POST", "/issues/<int:issue_number>/comments")
def create_comment(repo: StoredRepository, issue_number: int) -> ResponseReturnValue:
    """Comment; an App needs write, of people it is enough that they see the repository."""
    me().need_of_app(repo, "write", *ISSUES_OR_PULL_REQUESTS)
    on = issue_of(repo, issue_number)
    one = world().comment(on, actor(), text_field(body(), "body", resource="IssueComment"), app=acting_app())
    return jsonify(issue_json.comment(world(), on, one)), 201


@repository_route(routes, "GET", _ONE, "read", *ISSUES_OR_PULL_REQUESTS)
def comment(repo: StoredRepository, comment_id: int) -> ResponseReturnValue:
    """One comment."""
    return jsonify(issue_json.comment(world(), *world().comment_of(repo, comment_id)))


@repository_route(routes, "PATCH", _ONE)
def edit_comment(repo: StoredRepository, comment_id: int) -> ResponseReturnValue:
    """Change a comment's text."""
    on, one = world().comment_of(repo, comment_id)
    me().need_author(repo, one.user, *ISSUES_OR_PULL_REQUESTS)
    text = text_field(body(), "body", resource="IssueComment")
    world().check_comment(text)
    one.body, one.updated_at = text, world().now()
    return jsonify(issue_json.comment(world(), on, one))


@repository_route(routes, "GET", _ONE + "/reactions", "read", *ISSUES_OR_PULL_REQUESTS)
def reactions(repo: StoredRepository, comment_id: int) -> ResponseReturnValue:
    """Reactions to a comment, oldest first."""
    one = world().comment_of(repo, comment_id)[1]
    return page(one.reactions, lambda given: issue_json.reaction(world(), given))


@repository_route(routes, "POST", _ONE + "/reactions")
def react(repo: StoredRepository, comment_id: int) -> ResponseReturnValue:
    """React; 200 with the old one when the account had reacted so before."""
    me().need_of_app(repo, "write", *ISSUES_OR_PULL_REQUESTS)
    one = world().comment_of(repo, comment_id)[1]
    content = text_field(body(), "content", resource="Reaction")
    if content not in issue_json.REACTIONS:
        raise invalid_field("Reaction", "content", "invalid")
    for old in one.reactions:
        if old[1] is actor() and old[2] == content:
            return jsonify(issue_json.reaction(world(), old))
    made = (world().next_id("reaction"), actor(), content, world().now())
    one.reactions.append(made)
    return jsonify(issue_json.reaction(world(), made)), 201
