"""`countersign rehearse`: a real pull request in a sandbox, from its opening to its end, and what GitHub and the server did."""

import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Final

import click

from bot import clock
from bot.cli import database, github_app
from bot.cli.command_error import CommandError
from bot.cli.options import WholeNumber, form_option, is_terminal, text_of
from bot.cli.setting import settings
from bot.secret import Secret

if TYPE_CHECKING:
    from bot.db import Sessions
    from bot.github.hub import Hub
    from bot.rehearsal.person import GitHubPerson
    from bot.rehearsal.preparation import RehearsalPlan
    from bot.rehearsal.rehearsal_report import RehearsalReport
    from bot.settings import Settings
    from bot.store.pulls.recorded_pull import RecordedPull

TARGET = re.compile(r"([\w.-]+)/([\w.-]+)", re.ASCII)
_PLAIN_WIDTH: Final = 100
"""Columns of the table where the output is no terminal."""


@click.command(name="rehearse")
@click.option(
    "--repository",
    required=True,
    metavar="OWNER/REPO",
    help="A repository for trying things out, with the App installed.",
)
@click.option(
    "--yes", is_flag=True, help="Do not ask before it begins, and remove what an earlier rehearsal left behind."
)
@click.option("--timeout", type=WholeNumber(1, 3600), default=120, show_default=True, metavar="SECONDS", help="Longest wait in each step.")  # fmt: skip
@form_option(help='json: one object, {"repository", "number", "ok", "steps", "left"}.')
def command(repository: str, *, yes: bool, timeout: int, form: str) -> None:
    """Open a pull request without sign-off, wait for the check, the label and the comment, comment /cla-check, and close it.

    It needs the settings of the running server, its database, and a GitHub token of yours in COUNTERSIGN_REHEARSAL_TOKEN: a
    fine-grained one for this repository with Contents and Pull requests: read and write. Without the setting it asks. The
    token is not stored. It asks before it writes anything, and at the end, also after Ctrl-C, closes the pull request and
    deletes the branch.

    Exit codes: 0 every step was seen, 1 a step was not seen, interrupted, or not confirmed, 2 wrong usage or settings, or GitHub
    or the database is unavailable.
    """
    from bot import db
    from bot.github.connection import connect_person
    from bot.rehearsal import cleanup, rehearsal_report
    from bot.rehearsal.person import GitHubPerson

    found = TARGET.fullmatch(repository)
    if found is None:
        raise click.UsageError(f"--repository: {repository!r} is not owner/repository")
    if not yes and not sys.stdin.isatty():
        raise click.UsageError("there is no terminal to ask on before it begins: add --yes")
    chosen = settings()
    with database.opened() as opened, github_app.connected(patience=10) as hub:
        token = chosen.rehearsal_token.reveal() or _asked_token(chosen, repository)
        with connect_person(chosen.github_api_url, token) as transport:
            person = GitHubPerson(transport, found[1], found[2])
            sessions = db.sessions(opened)
            plan = _prepared(hub, person, chosen, sessions, (found[1], found[2]))
            for remnant in cleanup.remnants(person, plan.me, at=clock.now()):
                click.echo(f"An earlier rehearsal left behind: {remnant.name}", err=True)
                if yes or click.confirm("Remove it?", err=True):
                    for line in cleanup.remove(person, plan.sandbox, remnant.branch):
                        click.echo(f"Still there: {line}", err=True)
            outcome = _rehearsed(plan, hub, person, chosen, sessions, timeout=timeout, is_asked=not yes)
    width = get_terminal_size((_PLAIN_WIDTH, 0)).columns if is_terminal(sys.stdout) else _PLAIN_WIDTH
    click.echo(rehearsal_report.as_text(outcome, width) if form == "text" else rehearsal_report.as_json(outcome))
    raise click.exceptions.Exit(0 if outcome.is_fine else 1)


def _asked_token(chosen: "Settings", repository: str) -> str:
    from bot.rehearsal import preparation

    needed = preparation.token_needed(chosen, repository)
    if not sys.stdin.isatty():
        raise CommandError(needed)
    click.echo(f"{needed[0].upper()}{needed[1:]}, or paste it here. It is not shown and not stored.", err=True)
    try:
        # Pasted text has spaces.
        return Secret.bearer_token(click.prompt("Token", hide_input=True, err=True).strip()).reveal()
    except ValueError as error:
        raise CommandError(f"the token {error}") from None


def _prepared(
    hub: "Hub", person: "GitHubPerson", chosen: "Settings", sessions: "Sessions", target: tuple[str, str]
) -> "RehearsalPlan":
    from bot.rehearsal import preparation

    path = chosen.rulebook_path
    given = None if path is None else (str(path), text_of(path))
    catalog = database.catalog(sessions)
    try:
        return preparation.prepare(hub, person, chosen, target, given, lambda: catalog)
    except preparation.CannotRehearse as error:
        raise CommandError(str(error)) from None


def _rehearsed(  # noqa: PLR0913 - what the command has opened, and its options
    plan: "RehearsalPlan", hub: "Hub", person: "GitHubPerson", chosen: "Settings", sessions: "Sessions", *, timeout: int,
    is_asked: bool,
) -> "RehearsalReport":  # fmt: skip
    """Run the rehearsal. All that stays at GitHub, also after a failure, is named in the report or by an error."""
    from bot.rehearsal import cleanup, observation, preparation, rehearsal_report
    from bot.rehearsal.steps import Rehearsal
    from bot.store.pulls import recorded_pull

    def read(number: int) -> "RecordedPull | None":
        with sessions() as session:
            return recorded_pull.read(session, plan.place.repository_id, number)

    branch = preparation.new_branch(clock.new_id())
    click.echo(preparation.as_text(plan, branch, observation.REQUIRED[plan.rule.require]), err=True)
    if is_asked:
        click.confirm("Go on?", abort=True, err=True)
    results = []
    with _signals_noted() as noted:
        rehearsal = Rehearsal(
            plan, hub, person, chosen, branch=branch, timeout=timeout, read=read, is_ended=lambda: bool(noted)
        )
        left: tuple[str, ...] = ()
        try:
            # Step by step: each is told before it is waited for.
            running = rehearsal.run()
            for step in observation.STEPS:
                click.echo(rehearsal_report.begun(step), nl=False, err=True)
                results.append(next(running))
                click.echo(rehearsal_report.ended(results[-1]), err=True)
            click.echo("", err=True)
        finally:
            # Before anything is said: the terminal may be gone.
            left = cleanup.remove(person, plan.sandbox, branch, rehearsal.number)
            for line in left:
                click.echo(f"Still there: {line}", err=True)
        if noted:
            click.echo("Interrupted. " + ("Not all is cleaned up." if left else "All is cleaned up."), err=True)
    return rehearsal_report.RehearsalReport(plan.place.full_name, rehearsal.number, tuple(results), left)


@contextmanager
def _signals_noted() -> Iterator[list[int]]:
    """The signals that came, which only are written down: Ctrl-C, `kill`, the end of the terminal."""
    # A call on its way comes to its end, so that it is known what has to be cleaned up.
    noted: list[int] = []
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {signum: signal.signal(signum, lambda number, _frame: noted.append(number)) for signum in signals}
    try:
        yield noted
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
