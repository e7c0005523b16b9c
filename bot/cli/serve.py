"""`countersign serve`: check what can be checked first, then run the web server and the worker."""

import click

from bot import processes
from bot.cli.mistake import PORT, Mistake
from bot.cli.setting import settings
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

    Exit codes: 0 ended by a signal, 2 settings, database or port do not do, each problem on a line.
    """
    with processes.loading():
        chosen = _whole_settings(role)
        problem = before_serving(chosen, role)
    if problem:
        raise Mistake(problem)
    if role == "worker":
        _work()
    else:
        _serve(_listening(host, port), port, role)


def _whole_settings(role: str) -> Settings:
    """The settings; ends the command with every problem of theirs, those of the things that they name as well."""
    from bot import startup  # noqa: PLC0415 - start-up time of --help

    return settings(serving=True, look=lambda chosen: startup.unreadable(chosen, role))


def before_serving(chosen: Settings, role: str) -> str | None:
    """What would keep the server from working, as one line; None when all is well. Brings the schema up to date."""
    from bot import startup  # noqa: PLC0415 - start-up time of --help

    return startup.check(chosen, role, lambda said: click.echo(f"countersign: {said}", err=True))


def _listening(host: str, port: int) -> str:
    """The numeric address to listen on; ends the command in one line when nobody can."""
    from bot import listening  # noqa: PLC0415 - start-up time of --help

    try:
        return listening.address(host, port)
    except listening.CannotListen as error:
        raise Mistake(str(error)) from None


def _serve(host: str, port: int, role: str) -> None:
    from granian import Granian  # noqa: PLC0415 - start-up time of --help
    from granian.constants import Interfaces  # noqa: PLC0415 - start-up time of --help

    click.echo(f"Countersign listens on http://{host}:{port}", err=True)
    Granian(
        target="bot.serving:whole" if role == "all" else "bot.serving:web",
        factory=True,
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        # One process holds the worker; a second would only contend for the same database file.
        workers=1,
        blocking_threads=8,
        backlog=1024,
        respawn_failed_workers=True,
        workers_kill_timeout=20,
        websockets=False,
        log_enabled=False,
    ).serve()


def _work() -> None:
    import signal  # noqa: PLC0415 - needed by this role alone
    import threading  # noqa: PLC0415 - needed by this role alone

    with processes.loading():
        from bot import app, logs  # noqa: PLC0415 - start-up time of --help

        logs.begin()
        wired = app.wire(settings(serving=True))
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    wired.attend()
    wired.start()
    click.echo("Countersign's worker takes jobs", err=True)
    ended.wait()
    wired.stop()
