"""Plain pages for people: who is here, what the repositories hold, how each pull request stands, and forms to act."""

import nh3
from flask import Blueprint, Response, current_app, redirect, render_template, request, session
from flask.typing import ResponseReturnValue
from markdown_it import MarkdownIt
from markupsafe import Markup

from bot.demo.github.contributor import clone_url
from bot.demo.github.git import bare_repository, changed_files
from bot.demo.github.refusal import ErrorResponse, existing, forbidden, not_found
from bot.demo.github.rest_request import pull_of, world
from bot.demo.github.state import StoredAccount, StoredCheckRun, StoredPull, StoredRepository

routes = Blueprint("pages", __name__)
_COLORS = ("#0969da", "#8250df", "#1a7f37", "#9a6700", "#bc4c00", "#bf3989", "#0550ae", "#57606a")
_SHOWN_FILES, _SHOWN_LINES = 50, 300  # Files whose changes are shown, and lines of each.
# HTML is taken, as by GitHub, and cleaned below.
_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

# Pictures, for machines without a font for emoji.
_EMOJI = {"✅": ("good", "passed"), "❌": ("bad", "failed"), "⚠️": ("attention", "warning")}


@routes.app_template_filter("markdown")
def markdown(text: str | None) -> Markup:
    """Markdown as people see it at GitHub: HTML is cleaned, scripts and styles are gone; emoji are pictures."""
    icon = current_app.jinja_env.get_template("icons.html").module.icon  # type: ignore[attr-defined] # a macro of it
    html = nh3.clean(_MARKDOWN.render(text or ""))
    for emoji, picture in _EMOJI.items():
        html = html.replace(emoji, icon(*picture))
    return Markup(html)  # noqa: S704 - nh3 has cleaned it, the pictures are ours


def error_page(status: int, message: str) -> str:
    """The page for what went wrong."""
    return render_template("error.html", status=status, message=message)


def viewer() -> StoredAccount | None:
    """The account that is signed in to these pages, if any."""
    return world().accounts.get(session.get("account", 0))


def signed_in() -> StoredAccount:
    """The account that is signed in; 401 without one."""
    who = viewer()
    if who is None:
        raise ErrorResponse(401, "Sign in first: choose a person at the top of the page.")
    return who


@routes.app_context_processor
def shared() -> dict[str, object]:
    """The values of every page: who is signed in, the people to choose from, and the page to come back to."""
    people = [person for person in world().accounts.values() if person.token]
    here = request.full_path.removesuffix("?")
    return {"viewer": viewer(), "people": people, "world": world(), "here": here}


@routes.before_app_request
def same_origin() -> None:
    """Refuse forms of other sites, which would act for the person who is signed in here."""
    origin = request.headers.get("Origin")
    if request.endpoint == "app_settings.register":  # An App's own page sends its manifest there.
        return
    # A browser sends `Origin` with each form; other clients carry no session of a person's.
    if request.method == "POST" and origin and origin not in (world().url, request.host_url.rstrip("/")):
        raise forbidden("This form came from another site.")


@routes.get("/")
def home() -> ResponseReturnValue:
    """Organisations with their repositories, and the people."""
    owners = [owner for owner in world().accounts.values() if world().repositories_of(owner)]
    owners.sort(key=lambda owner: owner.type)
    seen = {
        owner.id: [repo for repo in world().repositories_of(owner) if world().may(viewer(), repo, "read")]
        for owner in owners
    }
    return render_template("home.html", owners=owners, seen=seen)


@routes.get("/avatars/<int:number>.svg")
def avatar(number: int) -> ResponseReturnValue:
    """A disc with the first letter of the login."""
    who = existing(world().accounts.get(number))
    drawn = render_template("avatar.svg", letter=who.login[:1].upper(), color=_COLORS[who.id % len(_COLORS)])
    return Response(drawn, mimetype="image/svg+xml", headers={"Cache-Control": "max-age=3600"})


@routes.post("/signin")
def sign_in() -> ResponseReturnValue:
    """Be one of the people; there are no passwords here."""
    who = world().accounts.get(request.form.get("account", 0, type=int))
    if who is None or not who.token:
        raise ErrorResponse(422, "Choose who you are.")
    session["account"] = who.id
    return _back()


@routes.post("/signout")
def sign_out() -> ResponseReturnValue:
    """End the session."""
    session.clear()
    return _back()


def _back() -> ResponseReturnValue:
    place = request.form.get("back", "/")
    # `//host` and `/\host` would lead to another site.
    return redirect(place if place.startswith("/") and not place.startswith(("//", "/\\")) else "/")


def readable(owner: str, name: str) -> StoredRepository:
    """The repository, by a former name too; 404 for a viewer who may not read it."""
    repo = world().find_repository(owner, name) or world().formerly(owner, name)
    if repo is None or not world().may(viewer(), repo, "read"):
        raise not_found()
    return repo


@routes.get("/<owner>")
def account(owner: str) -> ResponseReturnValue:
    """A person or organisation, and its repositories."""
    who = world().account(owner)
    repos = [repo for repo in world().repositories_of(who) if world().may(viewer(), repo, "read")]
    return render_template("account.html", who=who, repos=repos, members=[world().accounts[n] for n in who.members])


@routes.get("/<owner>/<name>")
def repository(owner: str, name: str) -> ResponseReturnValue:
    """Clone address, branches, pull requests, and forms to fork and to open one."""
    repo = readable(owner, name)
    if repo.name != name:  # It was renamed.
        return redirect(f"/{repo.full_name}")
    who = viewer()
    sources = [source for source in world().repositories.values() if source is repo or source.fork_of is repo]
    offers = [
        (source, branch)
        for source in sources
        if who and world().may(who, source, "write")
        for branch in _branches(source)
    ]
    offers = [(source, branch) for source, branch in offers if source is not repo or branch != repo.default_branch]
    offers.sort(key=lambda offer: offer[1] == repo.default_branch)  # The default branches of forks come last.
    return render_template(
        "repository.html", repo=repo, branches=_branches(repo), offers=offers,
        pulls=sorted(repo.pulls.values(), key=lambda stored_pull: (stored_pull.state != "open", -stored_pull.number)),
        clone=clone_url(world(), repo), forks=[source for source in sources if source is not repo],
        may_write=who is not None and world().may(who, repo, "write"), runs=_runs,
    )  # fmt: skip


def _branches(repo: StoredRepository) -> list[str]:
    heads = "refs/heads/"
    return [name.removeprefix(heads) for name in bare_repository.references(repo.git) if name.startswith(heads)]


def _runs(pull: StoredPull) -> list[StoredCheckRun]:
    return list(
        {
            (check_run.app.id, check_run.name): check_run
            for check_run in world().runs_on(pull.repository, pull.head_sha)
        }.values()
    )


@routes.get("/<owner>/<name>/pull/<int:number>", defaults={"part": ""})
@routes.get("/<owner>/<name>/pull/<int:number>/<any(commits, checks, files):part>")
def pull(owner: str, name: str, number: int, part: str) -> ResponseReturnValue:
    """One pull request: its conversation, commits, checks or files."""
    repo = readable(owner, name)
    stored_pull = pull_of(repo, number)
    commits = bare_repository.between(repo.git, stored_pull.base_sha, stored_pull.head_sha)
    files = changed_files.between(repo.git, stored_pull.base_sha, stored_pull.head_sha)
    who = viewer()
    may_close = who is not None and (who is stored_pull.opener or world().may(who, repo, "write"))
    patches = {
        file.path: changed_files.patch(repo.git, stored_pull.base_sha, stored_pull.head_sha, file.path)[:_SHOWN_LINES]
        for file in (files[:_SHOWN_FILES] if part == "files" else ())
    }
    return render_template(
        "pull.html", repo=repo, pull=stored_pull, part=f"/{part}" if part else "", commits=commits, files=files,
        runs=_runs(stored_pull), patches=patches,
        may_close=may_close, may_write=who is not None and world().may(who, repo, "write"),
    )  # fmt: skip


@routes.get("/<owner>/<name>/runs/<int:number>")
def run(owner: str, name: str, number: int) -> ResponseReturnValue:
    """A check run is shown with its pull request."""
    repo = readable(owner, name)
    check_run = world().check_runs.get(number)
    for candidate in repo.pulls.values():
        if check_run is not None and check_run.repository is repo and candidate.head_sha == check_run.head_sha:
            return redirect(f"/{repo.full_name}/pull/{candidate.number}/checks#run-{check_run.id}")
    raise not_found()
