"""The forms of the pages: fork, open, comment, close, reopen, merge, check again, take back an authorisation."""

from flask import Blueprint, redirect, request
from flask.typing import ResponseReturnValue

from bot.demo.github.pages.overview_page import readable, signed_in
from bot.demo.github.refusal import ErrorResponse, forbidden, not_found
from bot.demo.github.rest_request import pull_of, world
from bot.demo.github.state import StoredPull

routes = Blueprint("actions", __name__)


def _to(pull: StoredPull) -> ResponseReturnValue:
    return redirect(f"/{pull.repository.full_name}/pull/{pull.number}")


@routes.post("/<owner>/<name>/fork")
def fork(owner: str, name: str) -> ResponseReturnValue:
    """Make the person's own copy to push to."""
    made = world().fork(readable(owner, name), signed_in())
    return redirect(f"/{made.full_name}")


@routes.post("/<owner>/<name>/pulls")
def open_pull(owner: str, name: str) -> ResponseReturnValue:
    """Open a pull request from a branch that the person may push to."""
    repo = readable(owner, name)
    number, _, branch = request.form.get("from", "").partition(":")
    source = world().repositories.get(int(number) if number.isdecimal() else 0)
    if source is None or not branch or not world().may(signed_in(), source, "write"):
        raise ErrorResponse(422, "Choose the branch with your commits.")
    title, body = request.form.get("title", "").strip(), request.form.get("body", "").strip()
    return _to(world().open_pull(repo, signed_in(), branch, title=title, body=body, source=source))


@routes.post("/<owner>/<name>/pull/<int:number>/comments")
def comment(owner: str, name: str, number: int) -> ResponseReturnValue:
    """Add a comment."""
    pull = pull_of(readable(owner, name), number)
    # Browsers send the lines of a form with CR LF.
    world().comment(pull, signed_in(), request.form.get("body", "").replace("\r\n", "\n"))
    return _to(pull)


@routes.post("/<owner>/<name>/pull/<int:number>/state")
def state(owner: str, name: str, number: int) -> ResponseReturnValue:
    """Close, reopen, merge or mark as ready; the opener and people with write may, merging only the latter."""
    pull, who = pull_of(readable(owner, name), number), signed_in()
    writes = world().may(who, pull.repository, "write")
    action = request.form.get("action")
    if not writes and (action == "merge" or who is not pull.opener):
        raise forbidden("You need write access to this repository for that.")
    actions = {
        "close": world().close_pull,
        "reopen": world().reopen_pull,
        "merge": world().merge_pull,
        "ready": world().ready,
    }
    if action not in actions:
        raise ErrorResponse(422, "That cannot be done with a pull request.")
    actions[action](pull, who)
    return _to(pull)


@routes.post("/<owner>/<name>/runs/<int:number>/rerequest", defaults={"is_button": False})
@routes.post("/<owner>/<name>/runs/<int:number>/actions", defaults={"is_button": True})
def rerequest(owner: str, name: str, number: int, *, is_button: bool) -> ResponseReturnValue:
    """Ask the App to check again, or press a button that it put on its run; the opener and people with write may."""
    repo, who = readable(owner, name), signed_in()
    run = world().check_runs.get(number)
    if run is None or run.repository is not repo:  # A run is told of in its own repository alone.
        raise not_found()
    pulls = [pull for pull in repo.pulls.values() if pull.head_sha == run.head_sha]
    if not world().may(who, repo, "write") and not any(pull.opener is who for pull in pulls):
        raise forbidden("Only the author and people with write access can ask for this check again.")
    if is_button:
        world().request_action(run, who, request.form.get("identifier", ""))
    else:
        world().rerequest(run, who)
    return redirect(f"/{repo.full_name}/pull/{pulls[-1].number}/checks" if pulls else f"/{repo.full_name}")


@routes.post("/settings/apps/<int:number>/revoke")
def revoke(number: int) -> ResponseReturnValue:
    """Take back what the person allowed an App."""
    who, app = signed_in(), world().apps.get(number)
    if app is None or (app.id, who.id) not in world().allowed:
        raise not_found()
    world().revoke(app, who)
    return redirect(f"/{who.login}")
