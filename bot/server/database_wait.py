"""A replica that starts before its database waits for it: it is alive and not ready, and answers 503."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Final, TypeVar

from bot.clock import monotonic
from bot.server.asgi import AsgiApplication
from bot.server.exchange import Exchange, Rejected

_T = TypeVar("_T")

LOOK_SECONDS: Final = 1.0
"""Between two looks at a database that is not there."""
SAY_SECONDS: Final = 60.0
"""Between two lines about it in the log."""

NO_DATABASE: Final = "the database does not answer"


class DatabaseAway(Exception):
    """The database is not there, and may still come; the message is one line that says what it answered."""


class DatabaseWait:
    """Looks for the database until it is there.

    `check` gives what keeps us from serving, or None, or raises DatabaseAway; `say` is told a line
    once a minute, the first one minute after the caller found the database away.
    """

    def __init__(
        self,
        check: Callable[[], str | None],
        say: Callable[[str], None],
        *,
        look_seconds: float = LOOK_SECONDS,
        say_seconds: float = SAY_SECONDS,
    ) -> None:
        self._check = check
        self._say = say
        self._seconds, self._every = look_seconds, say_seconds
        self.problem: str | None = None

    async def wait(self) -> None:
        """Return when the database is there; `problem` is what else keeps us from serving. Raises what `check` does."""
        said_at = monotonic()
        while True:
            await asyncio.sleep(self._seconds)  # First: the caller has just found the database away.
            try:
                self.problem = await on_thread(self._check, name="database-wait")
            except DatabaseAway as away:
                if monotonic() - said_at >= self._every:
                    said_at = monotonic()
                    self._say(f"{away}; waiting for it")
            else:
                return


def on_thread(look: Callable[[], _T], *, name: str) -> asyncio.Future[_T]:
    """Run `look` on a thread of its own, such as a look at the database."""
    found = Future[_T]()
    found.set_running_or_notify_cancel()  # The caller may stop waiting; the look goes on

    def work() -> None:
        try:
            found.set_result(look())
        except BaseException as error:  # noqa: BLE001 - the waiting caller is told
            found.set_exception(error)

    # A daemon: a look at a database that hangs must not keep the process from ending.
    Thread(target=work, name=name, daemon=True).start()
    return asyncio.wrap_future(found)


def waiting_room() -> AsgiApplication:
    """The answers of a web server until its database is there: it stored nothing and has no page."""
    return AsgiApplication({"/livez": _livez, "/readyz": _readyz}, _otherwise)


async def _livez(exchange: Exchange) -> None:
    # Alive, or an orchestrator would restart a process that only waits.
    await exchange.answer(200, {"status": "alive"})


async def _readyz(exchange: Exchange) -> None:
    await exchange.answer(503, {"status": "not ready", "why": NO_DATABASE})


async def _otherwise(_exchange: Exchange) -> None:
    raise Rejected(503, f"{NO_DATABASE}, please try again", ("Retry-After", "10"))
