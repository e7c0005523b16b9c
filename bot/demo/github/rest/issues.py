"""REST for the talk on pull requests: comments, labels and reactions."""

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from bot.demo.github.answers import comment_answers, common, issue_answers, pull_answers
from bot.demo.github.refusal import Refusal, forbidden
from bot.demo.github.rest.request import actor, body, me, names, page, pull_of, repository_route, text_field, world
from bot.demo.github.state import Comment, Repository

routes = Blueprint("issues", __name__)
_EITHER = ("issues", "pull_requests")
"""For pull requests, either permission lets an App talk and label."""


@repository_route(routes, "GET", "/issues/<int:issue_number>")
def issue(repo: Repository, issue_number: int) -> ResponseReturnValue:
    """An issue, or that half of a pull request."""
    me().need(repo, "read", *_EITHER)
    if issue_number in repo.issues:
        return jsonify(issue_answers.issue(world(), repo, repo.issues[issue_number]))
    return jsonify(pull_answers.issue(world(), pull_of(repo, issue_number)))


@repository_route(routes, "GET", "/issues/<int:issue_number>/comments")
def comments(repo: Repository, issue_number: int) -> ResponseReturnValue:
    """Comments, oldest first."""
    me().need(repo, "read", *_EITHER)
    pull = pull_of(repo, issue_number)
    return page(pull.comments, lambda one: comment_answers.comment(world(), pull, one))


@repository_route(routes, "POST", "/issues/<int:issue_number>/comments")
def create_comment(repo: Repository, issue_number: int) -> ResponseReturnValue:
    """Say something; an App needs write, of people it is enough that they see the repository."""
    if me().installation:
        me().need(repo, "write", *_EITHER)
    pull = pull_of(repo, issue_number)
    said = text_field(body(), "body", resource="IssueComment")
    one = world().comment(pull, actor(), said, app=me().app if me().installation else None)
    return jsonify(comment_answers.comment(world(), pull, one)), 201


@repository_route(routes, "GET", "/issues/comments/<int:comment_id>")
def comment(repo: Repository, comment_id: int) -> ResponseReturnValue:
    """One comment."""
    me().need(repo, "read", *_EITHER)
    return jsonify(comment_answers.comment(world(), *world().comment_of(repo, comment_id)))


@repository_route(routes, "PATCH", "/issues/comments/<int:comment_id>")
def edit_comment(repo: Repository, comment_id: int) -> ResponseReturnValue:
    """Change a comment's text."""
    pull, one = world().comment_of(repo, comment_id)
    _may_change(repo, one)
    said = text_field(body(), "body", resource="IssueComment")
    world().check_comment(said)
    one.body, one.updated_at = said, world().now()
    return jsonify(comment_answers.comment(world(), pull, one))


@repository_route(routes, "DELETE", "/issues/comments/<int:comment_id>")
def delete_comment(repo: Repository, comment_id: int) -> ResponseReturnValue:
    """Remove a comment."""
    pull, one = world().comment_of(repo, comment_id)
    _may_change(repo, one)
    pull.comments.remove(one)
    return "", 204


def _may_change(repo: Repository, one: Comment) -> None:
    if me().installation:
        me().need(repo, "write", *_EITHER)
    elif one.user is not actor() and not world().may(actor(), repo, "write"):
        raise forbidden("Must have admin rights to Repository.")


@repository_route(routes, "GET", "/issues/<int:issue_number>/labels")
def labels(repo: Repository, issue_number: int) -> ResponseReturnValue:
    """The labels on a pull request."""
    me().need(repo, "read", *_EITHER)
    return page(pull_of(repo, issue_number).labels, lambda one: common.label(world(), repo, one))


@repository_route(routes, "POST", "/issues/<int:issue_number>/labels")
def add_labels(repo: Repository, issue_number: int) -> ResponseReturnValue:
    """Put labels on; GitHub takes `{"labels": [...]}` and the bare list that PyGithub sends."""
    me().need(repo, "write", *_EITHER)
    pull = pull_of(repo, issue_number)
    read = request.get_json(force=True, silent=True)
    wanted = read.get("labels") if isinstance(read, dict) else read
    if not isinstance(wanted, list):
        raise Refusal(400, "Problems parsing JSON")
    world().add_labels(pull, names(wanted), actor())
    return page(pull.labels, lambda one: common.label(world(), repo, one))


@repository_route(routes, "DELETE", "/issues/<int:issue_number>/labels/<path:name>")
def remove_label(repo: Repository, issue_number: int, name: str) -> ResponseReturnValue:
    """Take a label off and give the rest; 404 when it was not on."""
    me().need(repo, "write", *_EITHER)
    pull = pull_of(repo, issue_number)
    world().remove_label(pull, name, actor())
    return page(pull.labels, lambda one: common.label(world(), repo, one))


@repository_route(routes, "GET", "/issues/comments/<int:comment_id>/reactions")
def reactions(repo: Repository, comment_id: int) -> ResponseReturnValue:
    """The reactions to a comment."""
    me().need(repo, "read", *_EITHER)
    return page(world().comment_of(repo, comment_id)[1].reactions, lambda one: comment_answers.reaction(world(), one))


@repository_route(routes, "POST", "/issues/comments/<int:comment_id>/reactions")
def react(repo: Repository, comment_id: int) -> ResponseReturnValue:
    """React; 200 with the old one when the account had reacted so before."""
    if me().installation:
        me().need(repo, "write", *_EITHER)
    one = world().comment_of(repo, comment_id)[1]
    content = text_field(body(), "content", resource="Reaction")
    if content not in common.REACTIONS:
        raise Refusal(
            422, "Validation Failed", errors=[{"resource": "Reaction", "field": "content", "code": "invalid"}]
        )
    for old in one.reactions:
        if old[1] is actor() and old[2] == content:
            return jsonify(comment_answers.reaction(world(), old))
    made = (world().next_id("reaction"), actor(), content, world().now())
    one.reactions.append(made)
    return jsonify(comment_answers.reaction(world(), made)), 201
