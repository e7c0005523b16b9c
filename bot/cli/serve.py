"""`countersign serve`: checks settings, database and port, then runs the web server and the worker."""

import socket
from contextlib import contextmanager
from functools import partial
from textwrap import fill
from typing import TYPE_CHECKING

import click

from bot import __version__, serving
from bot.cli.command_error import CommandError
from bot.cli.options import PORT
from bot.cli.setting import settings
from bot.server import processes
from bot.server.heartbeat import heartbeat
from bot.settings import NAMES, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from structlog.typing import FilteringBoundLogger

    from bot.server.database_wait import DatabaseWait

# Click keeps the lines after `\b` as they are.
EPILOG = "\b\nSettings (environment; each also as NAME_FILE):\n" + "\n".join(
    f"  {name}\n{fill(text, 78, initial_indent='      ', subsequent_indent='      ')}" for name, text in NAMES.items()
)


@click.command(name="serve", epilog=EPILOG)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=8080,
    show_default=True,
    type=PORT,
    help="Port to listen on. A worker serves /livez, /readyz and /metrics there, if you set it.",
)
@click.option(
    "--role",
    default="all",
    show_default=True,
    type=click.Choice(["all", "web", "worker"]),
    help="Run the web server and the worker in one process, or only one of them (this needs PostgreSQL).",
)
def command(host: str, port: int, role: str) -> None:
    """Run Countersign: the webhook, the portal and the worker.

    A replica (`web`, `worker`) waits until its database is available.

    An SQLite file belongs to one such process: a second one does not start. Other commands, such as `backup`, can run beside it.

    Exit codes: 0 stopped by a signal, 2 invalid settings, or the database or port is unavailable (one problem on each line).
    """
    with processes.loading():
        from bot import startup

        chosen = settings(serving=True, look=lambda found: startup.unreadable(found, role))
        log = _log(chosen, role)
    for said in chosen.unknown:  # In the log, now that there is one.
        _say(said)
    with _only_process(chosen):  # First: `_run` may migrate, beside a server that has the file.
        _run(chosen, log, host=host, port=port, role=role)


@contextmanager
def _only_process(chosen: Settings) -> "Iterator[None]":
    from bot.server import file_lock

    try:
        with file_lock.only_process(chosen.database_file):
            yield
    except file_lock.DatabaseLocked as error:
        raise CommandError(str(error)) from None


def _run(chosen: Settings, log: "FilteringBoundLogger", *, host: str, port: int, role: str) -> None:
    # Listening comes first: callers wait while the database is looked at and migrated, instead of being refused.
    listener = _listener(host, port) if role != "worker" else _probed(host, port, log)
    looking = "Countersign looks at its database, and migrates it if it is of an earlier release"
    log.info("process.starting", message=looking)
    with heartbeat(lambda seconds: log.info("process.starting", message=f"{looking}: {seconds} seconds so far")):
        _database_there(chosen, role, listener)
    address = f"http://{listener.getsockname()[0]}:{port}" if listener else None
    if role == "worker" or listener is None:
        log.info("process.started", message="Countersign's worker takes jobs", address=address)
        serving.work(listener, partial(_waiting, chosen, role))
    else:
        log.info("process.started", message=f"Countersign listens on {address}", address=address)
        serving.serve(listener, worker=role == "all")
    log.info("process.ended")


def _database_there(chosen: Settings, role: str, listener: socket.socket | None) -> None:
    """Look at the database, waiting for it where that may help; ends the command if it fails or a signal came."""
    from bot import startup
    from bot.server.database_wait import DatabaseAway

    try:
        with processes.loading():
            problem = startup.check(chosen, role, _say)
    except DatabaseAway as away:
        waiting = _waiting(chosen, role)
        _say(f"{away}; waiting for it")
        if not serving.wait_for_database(waiting, listener):
            processes.end_at_once(0)  # A look at the database may be under way on its thread
        problem = waiting.problem
    if problem:
        raise CommandError(problem)


def _waiting(chosen: Settings, role: str) -> "DatabaseWait":
    from bot import startup
    from bot.server.database_wait import DatabaseWait

    return DatabaseWait(partial(startup.check, chosen, role, _say), _say)


def _log(chosen: Settings, role: str) -> "FilteringBoundLogger":
    # From here on all that is said is a line of the log; those of this command say which process it is.
    import os

    import structlog

    from bot import db
    from bot.telemetry import logs, metrics, tracing

    logs.begin(chosen.log_level, db.outage)
    logs.hear_python()
    metrics.describe(role)
    tracing.begin(chosen.otlp_endpoint, role)
    log: FilteringBoundLogger = structlog.get_logger("bot.cli.serve", role=role, version=__version__, pid=os.getpid())
    return log


def _say(line: str) -> None:
    import structlog

    structlog.get_logger("bot.cli.serve").warning("startup.warning", why=line)


def _probed(host: str, port: int, log: "FilteringBoundLogger") -> socket.socket | None:
    from bot.server import listening

    source = click.get_current_context().get_parameter_source("port")
    if source is click.core.ParameterSource.DEFAULT:
        return None  # Only a port that was asked for is opened.
    try:
        return listening.listener(host, port)
    except listening.CannotListen as error:
        log.warning("worker.no-probes", why=str(error))
        return None  # No job waits for a port.


def _listener(host: str, port: int) -> socket.socket:
    from bot.server import listening

    try:
        return listening.listener(host, port)
    except listening.CannotListen as error:
        raise CommandError(str(error)) from None
