"""REST for check runs: only their App writes them, all who see the repository read them."""

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from bot.demo.github.git import bare_repository
from bot.demo.github.json import check_json
from bot.demo.github.refusal import ErrorResponse, existing, forbidden, invalid
from bot.demo.github.rest_request import (
    actor,
    body,
    me,
    objects_field,
    page,
    repository_route,
    text_field,
    typed,
    world,
)
from bot.demo.github.state import Json, StoredCheckRun, StoredRepository

routes = Blueprint("checks", __name__)
_CONCLUSIONS = ("action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out")
_STATUSES = ("queued", "in_progress", "completed", "waiting", "requested", "pending")
_OUTPUT_LIMIT = 65535  # Characters of a summary or a text, by GitHub's description.


@repository_route(routes, "POST", "/check-runs", "write", "checks")
def create(repo: StoredRepository) -> ResponseReturnValue:
    """A new run on a commit of the repository."""
    app = me().app
    if app is None or me().installation is None:
        raise forbidden("You must authenticate via a GitHub App.")
    fields = body()
    name, sha = (text_field(fields, field, resource="CheckRun") for field in ("name", "head_sha"))
    if bare_repository.resolve(repo.git, sha) != sha:  # The name of a branch will not do.
        raise ErrorResponse(422, f"No commit found for SHA: {sha}")
    suite = world().suite_of(app, repo, sha)
    run = StoredCheckRun(world().next_id("check run"), suite, app, repo, name, sha, world().now())
    _change(run, fields)
    world().check_runs[run.id] = run
    world().emit_check_run(run, "created", actor())
    _emit_completed(run)
    return jsonify(check_json.run(world(), run)), 201


@repository_route(routes, "PATCH", "/check-runs/<int:check_run_id>", "write", "checks")
def update(repo: StoredRepository, check_run_id: int) -> ResponseReturnValue:
    """Change a run of the caller's App; a new conclusion is told as `completed`."""
    found = world().check_runs.get(check_run_id)
    run = existing(found if found and found.repository is repo else None)
    if run.app is not me().app:
        raise forbidden("Invalid app_id - check run can only be modified by the GitHub App that created it.")
    before = run.conclusion
    _change(run, body())
    if run.conclusion != before:
        _emit_completed(run)
    return jsonify(check_json.run(world(), run))


@repository_route(routes, "GET", "/commits/<ref>/check-runs", "read", "checks")
def listed(repo: StoredRepository, ref: str) -> ResponseReturnValue:
    """Runs on a reference, newest first: the latest of each name of a suite, or with `filter=all` all of them."""
    sha = bare_repository.resolve(repo.git, ref)
    if sha is None:
        raise ErrorResponse(422, f"No commit found for SHA: {ref}")
    app = request.args.get("app_id")
    found = [run for run in world().runs_on(repo, sha) if app in (None, str(run.app.id))]
    if request.args.get("filter", "latest") == "latest":
        found = list({(run.suite, run.name): run for run in found}.values())  # The newest of each stays.
    return page(found[::-1], lambda run: check_json.run(world(), run), wrap="check_runs")


def _emit_completed(run: StoredCheckRun) -> None:
    if run.conclusion is not None:
        world().emit_check_run(run, "completed", actor())


def _change(run: StoredCheckRun, fields: Json) -> None:
    typed(fields, name=str, external_id=str, details_url=str, status=str, conclusion=str)
    conclusion, status = fields.get("conclusion"), fields.get("status")
    if status not in (*_STATUSES, None):
        raise invalid("CheckRun", "status", f"{status} is no status")
    if conclusion is not None and conclusion not in _CONCLUSIONS:
        raise invalid("CheckRun", "conclusion", f"{conclusion} is no conclusion")
    output = typed(typed(fields, output=dict).get("output") or {}, title=str, summary=str, text=str)
    if output and not output.get("summary"):
        raise invalid("CheckRun", "output", "summary wasn't supplied")
    if any(len(output.get(part) or "") > _OUTPUT_LIMIT for part in ("summary", "text")):
        raise invalid("CheckRun", "output", f"Only {_OUTPUT_LIMIT} characters are allowed")
    buttons, longest = objects_field(fields, "actions"), {"label": 20, "description": 40, "identifier": 20}
    sizes = [
        (len(text_field(button, part, resource="CheckRun")), most)
        for button in buttons
        for part, most in longest.items()
    ]
    if len(buttons) > 3 or any(size > most for size, most in sizes):
        raise invalid("CheckRun", "actions", "Only three with 20, 40 and 20 characters are allowed")
    # At GitHub a conclusion completes a run.
    status = "completed" if conclusion else status or ("queued" if run.conclusion is None else run.status)
    if status == "completed" and conclusion is None:
        raise invalid("CheckRun", "conclusion", "a completed run needs a conclusion")
    run.name = fields.get("name") or run.name
    run.external_id = fields.get("external_id", run.external_id) or ""
    run.details_url = fields.get("details_url", run.details_url) or ""
    run.status = status
    run.conclusion = conclusion if run.status == "completed" else None  # A run that goes on has none.
    run.completed_at = world().now() if conclusion else None
    run.output = {**run.output, **output}  # A field that is not sent stays.
    run.actions = buttons if "actions" in fields else run.actions
