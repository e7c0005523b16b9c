"""`countersign serve`: check what can be checked first, then run the web server and the worker."""

import socket
from functools import partial

import click

from bot import serving
from bot.cli.mistake import Mistake
from bot.cli.options import PORT
from bot.cli.setting import settings
from bot.server import processes
from bot.settings import NAMES, Settings

EPILOG = "\b\nSettings (environment; each also as NAME_FILE):\n" + "\n".join(
    f"  {name:<28} {text}" for name, text in NAMES.items()
)


@click.command(name="serve", epilog=EPILOG)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8080, show_default=True, type=PORT, help="Port to listen on.")
@click.option(
    "--role",
    default="all",
    show_default=True,
    type=click.Choice(["all", "web", "worker"]),
    help="Web and worker in one process, or one of them (then on PostgreSQL).",
)
def command(host: str, port: int, role: str) -> None:
    """Run Countersign: the webhook, the portal and the worker.

    A replica (`web`, `worker`) whose database is not there yet waits for it.

    Exit codes: 0 ended by a signal, 2 settings, database or port do not do, each problem on a line.
    """
    with processes.loading():
        chosen = _whole_settings(role)
    # Whoever calls while the database is looked at, and brought up to date, waits for us instead of being turned away.
    listener = None if role == "worker" else _listener(host, port)
    _database_there(chosen, role, listener)
    if listener is None:
        click.echo("Countersign's worker takes jobs", err=True)
        serving.work()
    else:
        click.echo(f"Countersign listens on http://{listener.getsockname()[0]}:{port}", err=True)
        serving.serve(listener, worker=role == "all")


def _database_there(chosen: Settings, role: str, listener: socket.socket | None) -> None:
    """Look at the database, waiting for it where that may help; ends the command when it does not do, or a signal came."""
    from bot.server.database_wait import DatabaseAway, DatabaseWait

    try:
        with processes.loading():
            problem = before_serving(chosen, role)
    except DatabaseAway as away:
        waiting = DatabaseWait(partial(before_serving, chosen, role), _say)
        _say(f"{away}; waiting for it")
        if not serving.wait_for_database(waiting, listener):
            raise click.exceptions.Exit(0) from None
        problem = waiting.problem
    if problem:
        raise Mistake(problem)


def _whole_settings(role: str) -> Settings:
    """The settings; ends the command with every problem of theirs, those of the things that they name as well."""
    from bot import startup

    return settings(serving=True, look=lambda chosen: startup.unreadable(chosen, role))


def before_serving(chosen: Settings, role: str) -> str | None:
    """What would keep the server from working, as one line; None when all is well. Brings the schema up to date.

    Raises DatabaseAway.
    """
    from bot import startup

    return startup.check(chosen, role, _say)


def _say(line: str) -> None:
    click.echo(f"countersign: {line}", err=True)


def _listener(host: str, port: int) -> socket.socket:
    """The socket to listen on; ends the command in one line when nobody can."""
    from bot.server import listening

    try:
        return listening.listener(host, port)
    except listening.CannotListen as error:
        raise Mistake(str(error)) from None
