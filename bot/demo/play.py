"""Plays the demo until Ctrl-C: writes the sample data, starts the servers, says where to look and what to try."""

import shutil
import signal
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType

import click

from bot.demo import sample_data, tour
from bot.demo.servers import DemoServers, ServerNotReady
from bot.demo.tour import indented
from bot.server import file_lock, listening
from bot.server.file_lock import FileLocked
from bot.server.heartbeat import heartbeat
from bot.server.listening import CannotListen

# A file of this name marks a folder as the demo's own, which may be made anew; a running demo holds its lock.
LOCK_FILE = "countersign-demo"
_MARK = "This folder belongs to `countersign demo` and is made anew at its next start.\n"


class DemoFailed(Exception):
    """The demo cannot start; one line that says what to do."""


def play(folder: Path, *, port: int, browser: bool, guided: bool = False, until: threading.Event | None = None) -> None:
    """Run it until Ctrl-C, SIGTERM, a closed terminal, or `until`; `guided`: step by step. Raises `DemoFailed`."""
    if shutil.which("git") is None:
        raise DemoFailed("the demo needs git, which is not on the PATH: install it and try again")
    try:
        for number in (port, port + 1):  # Asked before the folder is emptied.
            listening.listener("127.0.0.1", number).close()
    except CannotListen as error:
        raise DemoFailed(f"{error} (the demo takes it and the next)") from None
    ended = until or threading.Event()
    with _held(folder), _on_signals(ended.set):
        click.echo("Setting up the demo:")
        with DemoServers(folder, port=port, github_port=port + 1) as stage:
            cast = _set_up(stage, ended)
            _show(stage, cast, ended, browser=browser, guided=guided)
    with suppress(OSError):  # The terminal may have been closed
        click.echo(f"The demo has ended. Its data is in {folder}. The next start replaces it.")


def _set_up(stage: DemoServers, ended: threading.Event) -> sample_data.DemoPeople:
    with _step("people, repositories and records"):
        cast = sample_data.set_up(stage)
    try:
        with _step("Countersign"):
            stage.serve(until=ended)
    except ServerNotReady as error:
        raise DemoFailed(f"Countersign did not start. The end of its log:\n{error}") from None
    if not ended.is_set():
        with _step("pull requests and their first checks"):
            sample_data.open_all(stage, cast, until=ended)
    return cast


@contextmanager
def _step(what: str) -> Iterator[None]:
    click.echo(f"  {what}")
    with heartbeat(lambda seconds: click.echo(f"    … {seconds} seconds")):
        yield


def _show(
    stage: DemoServers, cast: sample_data.DemoPeople, ended: threading.Event, *, browser: bool, guided: bool
) -> None:
    if ended.is_set():
        return
    if guided:
        click.echo(f"{_places(stage, cast)}\n\nCtrl-C ends the demo.")
        plan = tour.steps(stage, cast)
        threading.Thread(target=tour.walk, args=(plan, ended), kwargs={"browser": browser}, daemon=True).start()
    else:
        click.echo(program(stage, cast))
        if browser:
            webbrowser.open(f"{stage.github_url}/{_RED}")
    while not ended.wait(0.5):  # A server that ended by itself must not go unnoticed.
        if stage.process is not None and stage.process.poll() is not None:
            raise DemoFailed(f"Countersign ended by itself. The end of its log:\n{stage.log_end()}")


_RED = "cann/ops-math/pull/1"  # The first row of the sample data.


def program(stage: DemoServers, cast: sample_data.DemoPeople) -> str:
    """The text for a newcomer, once everything is ready; each line that begins with `git` or `cd` can be copied."""
    steps = enumerate(tour.steps(stage, cast), 1)
    numbered = "\n".join(f"  {number}. {indented(step.text, 5).lstrip()}" for number, step in steps)
    return f"""{_places(stage, cast)}

Try this:
{numbered}

Ctrl-C ends the demo."""


def _places(stage: DemoServers, cast: sample_data.DemoPeople) -> str:
    return f"""
ready

  A red pull request  {stage.github_url}/{_RED}
  Simulated GitHub    {stage.github_url}
  Its mailbox         {stage.github_url}/mailbox
  Its DNS             {stage.github_url}/dns
  Countersign         {stage.url}
  Administration      {stage.url}/admin (bo administers, kim audits)

The agreements here are samples that no lawyer has reviewed. What is signed in the demo binds nobody.

To sign in, choose one of these people on the page. Only git asks for the password.
To become another one, sign out of Countersign and of the simulated GitHub:
{_people(cast)}"""


def _people(cast: sample_data.DemoPeople) -> str:
    roles = (
        (cast.ada.account, "is new and has not signed"),
        (cast.bo.account, "maintains the repositories and administers"),
        (cast.lin.account, "works for a company that has signed"),
        (cast.kim, "audits: can read everything, change nothing"),
    )
    return "\n".join(f"  {who.login:<4} {role:<42} {who.token}" for who, role in roles)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """An empty folder of ours, held while the demo runs; no other folder is ever touched. Raises `DemoFailed`."""
    mark = _marked(folder)
    with ExitStack() as stack:
        try:
            stack.enter_context(file_lock.locked(mark, wait=False))
        except FileLocked:
            raise DemoFailed(f"another demo is running in {folder}: choose another with --folder") from None
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():  # What a link leads to is not ours.
                shutil.rmtree(path)
            elif path.name != LOCK_FILE:
                path.unlink()
        yield


def _marked(folder: Path) -> Path:
    try:
        # Anything else in there may be a person's own work.
        if folder.exists() and any(folder.iterdir()) and not (folder / LOCK_FILE).exists():
            raise DemoFailed(f"{folder} is not empty and not the demo's: choose another with --folder")
        folder.mkdir(parents=True, exist_ok=True)
        mark = folder / LOCK_FILE
        mark.write_text(_MARK, encoding="utf-8")
    except OSError as error:
        raise DemoFailed(f"{folder} cannot be used ({error.strerror}): choose another with --folder") from None
    return mark


@contextmanager
def _on_signals(end: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C, SIGTERM and a closed terminal call `end`; afterwards they mean again what they meant."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        end()

    # Python lets only the main thread handle signals; on another thread the caller ends the demo.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # Under `nohup` it stays ignored.
        signals.append(signal.SIGHUP)
    before = {number: signal.signal(number, handle) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
