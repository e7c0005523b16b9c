"""Countersign in this one process: the web server with the worker beside it, one of them, until it is told to end."""

import asyncio
import os
import resource
import signal
import socket
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING, Final, Protocol

from bot import settings
from bot.server import processes

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.app import Application
    from bot.server.asgi import AsgiApplication
    from bot.server.database_wait import DatabaseWait

MAX_CONNECTIONS: Final = 4096  # At once; the system lets more wait. An idle one takes a few kB.
# When told to end: jobs and running requests get so long, while new requests are still answered.
DRAIN_SECONDS: Final = 15
# After that no new request is let in, and the running ones get so long: the next process is soon here.
LAST_SECONDS: Final = 5
# At last the parts are stopped. Those that need longer are left behind, and what they had begun is taken up later.
END_SECONDS: Final = 20
SOON_SECONDS: Final = 0.2  # The first probes come before the steps of `_Soon` begin.
# So many of the files that this process may open are kept for the database, GitHub and the repositories.
_SPARE_FILES = 256


def serve(listener: socket.socket, *, worker: bool) -> None:
    """Answer requests, with a `worker` beside if wished, until SIGTERM or SIGINT; exit code 1 if the server ends."""
    # Jobs compute in this process, too: the event loop gets its turn after one ms instead of Python's five.
    sys.setswitchinterval(0.001)
    processes.share_heaps()
    end = StopSignal()  # Before the parts are joined: a signal that comes meanwhile counts.
    wired = _wired()
    wired.attend()
    wired.delivery_writer.start()
    was_asked, is_drained = False, True
    soon = _Soon(wired.look_around, wired.web.load, *([_load_flows] if worker else []))
    try:
        if worker:
            wired.start()
        else:
            from bot.flows import sweep  # noqa: PLC0415 - start-up time of `serve --help`

            sweep.catch_up(wired.services)
        soon.start()
        was_asked, is_drained = asyncio.run(answer(wired.asgi, listener, end, finish=wired.stop_work))
    finally:
        _end_at_last(0 if was_asked else 1)
        soon.stop()
        wired.delivery_writer.stop()
        wired.stop()
        _end_tracing()
    if not is_drained:
        # A page hangs. Nothing is lost with it, but Python would wait for its thread, however long.
        processes.end_at_once(0 if was_asked else 1)
    if not was_asked:
        sys.exit(1)  # The supervisor (systemd, Docker, Kubernetes) starts it again: no parent of ours lives on.


def work(listener: socket.socket | None, waiting: "Callable[[], DatabaseWait]") -> None:
    """Take jobs until SIGTERM or SIGINT; probes are answered where there is a socket for it.

    A database that goes away before the first job is waited for, by what `waiting` makes.
    """
    processes.share_heaps()
    end = StopSignal()
    wired = _wired()
    wired.attend()
    was_asked = False
    soon = _Soon(wired.look_around, _load_flows)
    try:
        while not _takes_jobs(wired):
            if not wait_for_database(waiting(), listener):
                processes.end_at_once(0)
            end = StopSignal()
        soon.start()
        asyncio.run(end.wait() if listener is None else _probed(wired.probes, listener, end))
        was_asked = True
    finally:
        _end_at_last(0 if was_asked else 1)
        soon.stop()
        wired.stop()
        _end_tracing()


class _Soon:
    """Steps that can wait until the process is ready, and are done before a request needs them: once, on a thread."""

    def __init__(self, *steps: "Callable[[], object]") -> None:
        self._steps = steps
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="soon", daemon=True)

    def start(self) -> None:
        """Begin in a moment."""
        self._thread.start()

    def stop(self) -> None:
        """Leave out the steps that have not begun, and wait for the one that has."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(END_SECONDS)

    def _work(self) -> None:
        delay = SOON_SECONDS
        for step in self._steps:
            if self._stopping.wait(delay):
                return
            step()
            delay = 0


def _takes_jobs(wired: "Application") -> bool:
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415 - start-up time of `serve --help`

    from bot import db  # noqa: PLC0415 - as above

    try:
        wired.start()
    except SQLAlchemyError as error:
        # The database went away since it was checked: it is waited for, as at the start.
        if not db.may_come(error) and db.outage(error) is None:
            raise
        wired.stop()
        return False
    return True


def _load_flows() -> None:
    from bot import runner  # noqa: PLC0415 - start-up time of `serve --help`

    runner.load()


async def _probed(probes: "AsgiApplication", listener: socket.socket, end: "StopSignal") -> None:
    was_asked, _ = await answer(probes, listener, end, drain_seconds=1)
    if not was_asked:  # A server that ends by itself takes no job with it.
        await end.wait()


def wait_for_database(wait: "DatabaseWait", listener: socket.socket | None) -> bool:
    """True once the database is there, False when we are told to end; meanwhile a web server says that it waits."""
    from bot.server.database_wait import waiting_room  # noqa: PLC0415 - start-up time of `serve --help`

    first = _DatabaseOrStop(wait, StopSignal())
    if listener is None:
        asyncio.run(first.wait())
    else:
        # A copy: this server closes its socket, and the real one needs it.
        asyncio.run(answer(waiting_room(), listener.dup(), first, drain_seconds=1))
    return first.is_there


class _DatabaseOrStop:
    """The database, or the word to end, whichever comes first."""

    def __init__(self, database: "DatabaseWait", end: "StopSignal") -> None:
        self._database, self._end = database, end
        self.is_there = False

    async def wait(self) -> None:
        """Return when one of them came. Raises what the look at the database raised."""
        came, ended = asyncio.create_task(self._database.wait()), asyncio.create_task(self._end.wait())
        await asyncio.wait((came, ended), return_when=asyncio.FIRST_COMPLETED)
        self.is_there = came.done() and not ended.done()
        for task in (came, ended):
            task.cancel()
        if self.is_there:
            came.result()


class StopCondition(Protocol):
    """The condition until which a server serves."""

    async def wait(self) -> None:
        """Return when it came."""


def _end_at_last(code: int) -> None:
    # Threads may wait for a hanging database, and a thread cannot be stopped.
    timer = threading.Timer(END_SECONDS, os._exit, (code,))
    timer.daemon = True
    timer.start()


class StopSignal:
    """Hears SIGTERM and SIGINT from its making on, also while parts are being joined, which nothing may break off."""

    def __init__(self) -> None:
        self._is_asked = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._hear)

    async def wait(self) -> None:
        """Return when it is told."""
        asked = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, asked.set)
        if not self._is_asked:  # Told before there was a loop.
            await asked.wait()

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        self._is_asked = True


def _end_tracing() -> None:
    from bot.telemetry import tracing  # noqa: PLC0415 - start-up time of `serve --help`

    tracing.end()


def _wired() -> "Application":
    with processes.loading():
        from bot import app  # noqa: PLC0415 - loaded within `loading`, once the settings are known to be right

        return app.wire(settings.load(serving=True))


async def answer(
    application: "AsgiApplication",
    listener: socket.socket,
    end: StopCondition,
    *,
    finish: "Callable[[], None]" = lambda: None,
    drain_seconds: float = DRAIN_SECONDS,
) -> tuple[bool, bool]:
    """Serve until told to end, and what is being answered then; whether it was told to, and whether all were answered.

    `finish` is called when it is told to, on a thread, and does what takes long.
    """
    from bot.server.http_server import HttpServer  # noqa: PLC0415 - a worker without a port has none

    server = HttpServer(application, listener, connections=connections())
    serving = asyncio.create_task(server.serve())
    asked = asyncio.create_task(end.wait())
    await asyncio.wait((serving, asked), return_when=asyncio.FIRST_COMPLETED)
    was_asked, begun = asked.done(), {serving}
    if was_asked:
        asked.result()
        # GitHub sends a delivery once: until the work is done, and no answer is under way, deliveries are still taken.
        begun.add(asyncio.create_task(_finished(application, finish)))
        await asyncio.wait(begun, timeout=drain_seconds, return_when=asyncio.FIRST_COMPLETED)
    server.stop()  # type: ignore[no-untyped-call]  # Granian's
    # No request comes in any more; the running ones get their answers. The server itself would wait for them however long.
    drained = asyncio.create_task(application.drained())
    _, waited_for = await asyncio.wait((serving, drained), timeout=min(LAST_SECONDS, drain_seconds))
    for task in begun:
        if task.done():
            task.result()
    return was_asked, not waited_for


async def _finished(application: "AsgiApplication", finish: "Callable[[], None]") -> None:
    from bot.server.database_wait import on_thread  # noqa: PLC0415 - start-up time of `serve --help`

    await on_thread(finish, name="finish")
    await application.idle()


def connections() -> int:
    """The number of connections that there may be; raises the limit of open files if it can."""
    # With more connections than files may be open the server would spin.
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + _SPARE_FILES
    files = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    return max(files - _SPARE_FILES, 64)
