"""Plays the demo until Ctrl-C: sets the scene, starts the servers, says where to look and what to try."""

import errno
import shutil
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import click

from bot.demo import scene
from bot.demo.github.state import Repository
from bot.demo.stage import NotReady, Stage

MARK = "countersign-demo"
"""A file of this name says that the folder is the demo's own and may be made anew."""


class Mishap(Exception):  # noqa: N818 - reads as what happened
    """The demo cannot start; one line that says what to do."""


def play(folder: Path, *, port: int, browser: bool, until: threading.Event | None = None) -> None:
    """Run the demo until Ctrl-C, SIGTERM or `until`. Raises `Mishap`."""
    if shutil.which("git") is None:
        raise Mishap("the demo needs git; install it and try again")
    for number in (port, port + 1):
        _free(number)
    _fresh(folder)
    ended = until or threading.Event()
    _on_signals(ended.set)
    with Stage(folder, port=port, github_port=port + 1) as stage:
        cast = scene.set_up(stage)
        try:
            stage.serve()
        except NotReady as error:
            raise Mishap(f"Countersign did not start. The end of its log:\n{error}") from None
        scene.open_pulls(stage, cast)
        click.echo(program(stage, cast))
        if browser:
            webbrowser.open(stage.github_url)
        while not ended.wait(0.5):
            if stage.process is not None and stage.process.poll() is not None:
                raise Mishap(f"Countersign ended by itself. The end of its log:\n{stage.log_end()}")
    click.echo("The demo has ended. What it kept is in " + str(folder))


def program(stage: Stage, cast: scene.Cast) -> str:
    """What a newcomer needs to know, once everything is ready."""
    people = "\n".join(
        f"  {who.account.login:<5} {role:<42} password {who.account.token}"
        for who, role in (
            (cast.ada, "new here, has signed nothing"),
            (cast.bo, "maintainer, has signed"),
            (cast.lin, "works for a company that has signed"),
        )
    )
    ops = f"{cast.community.login}/ops-math"
    return f"""
ready

  The small GitHub   {stage.github_url}
  Countersign        {stage.url}
  A red pull request {stage.github_url}/{ops}/pull/1

People (sign in on either page by picking one; the password is for git):
{people}

Try this:
  1. Open the red pull request and follow the link in its check or comment.
  2. Sign in as ada, read, sign. The pull request turns green by itself.
  3. Push a commit of your own:
     git clone {cast.ada.address(_fork(stage, cast))} work && cd work && git switch faster-softmax
     git -c user.name="Ada Chen" -c user.email=ada@example.org commit --allow-empty -m "One more" && git push

Ctrl-C ends the demo."""


def _fork(stage: Stage, cast: scene.Cast) -> Repository:
    return next(made for made in stage.world.repositories_of(cast.ada.account) if made.name == "ops-math")


def _fresh(folder: Path) -> None:
    """An empty folder of ours; somebody else's is never touched."""
    if folder.exists():
        if any(folder.iterdir()) and not (folder / MARK).exists():
            raise Mishap(f"{folder} is not empty and not the demo's: choose another with --folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / MARK).write_text(
        "This folder belongs to `countersign demo` and is made anew at its next start.\n", encoding="utf-8"
    )


def _free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
            raise Mishap(f"port {port} {why}: choose another with --port (the demo takes it and the next)") from None


def _on_signals(end: Callable[[], None]) -> None:
    def handle(_number: int, _frame: FrameType | None) -> None:
        end()

    # Only the main thread may; elsewhere whoever called us ends the play.
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, handle)
