"""A replica that starts before its database waits for it: it is alive and not ready, and answers 503."""

import asyncio
from collections.abc import Callable
from threading import Thread
from typing import Final

from bot.clock import monotonic
from bot.server.asgi import AsgiApplication
from bot.server.exchange import Exchange, Rejected

LOOK_SECONDS: Final = 1.0
"""Between two looks at a database that is not there."""
SAY_SECONDS: Final = 60.0
"""Between two lines about it in the log."""

NO_DATABASE: Final = "the database does not answer"


class DatabaseAway(Exception):
    """The database is not there, and may still come; the message is one line that says what it answered."""


class DatabaseWait:
    """Looks for the database on a thread of its own, which nobody waits for when the process is told to end.

    `check` gives what keeps us from serving, or None, or raises DatabaseAway; `say` is told a line
    once a minute, after that of whoever found it away first.
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
        """Return when the database is there; `problem` is then what else keeps us from serving. Raises what `check` raises."""
        said_at = monotonic()
        while True:
            await asyncio.sleep(self._seconds)
            try:
                self.problem = await self._looked()
            except DatabaseAway as away:
                if monotonic() - said_at >= self._every:
                    said_at = monotonic()
                    self._say(f"{away}; waiting for it")
            else:
                return

    async def _looked(self) -> str | None:
        found: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        loop = asyncio.get_running_loop()

        def resolve(problem: str | None, error: BaseException | None) -> None:
            if found.done():
                return
            if error is None:
                found.set_result(problem)
            else:
                found.set_exception(error)

        def look() -> None:
            problem: str | None = None
            raised: BaseException | None = None
            try:
                problem = self._check()
            except BaseException as error:  # noqa: BLE001 - whoever waits is told
                raised = error
            if not loop.is_closed():
                loop.call_soon_threadsafe(resolve, problem, raised)

        Thread(target=look, name="database-wait", daemon=True).start()
        return await found


def waiting_room() -> AsgiApplication:
    """What a web server answers until its database is there: it stored nothing and has no page."""
    return AsgiApplication({"/livez": _livez, "/readyz": _readyz}, _otherwise)


async def _livez(exchange: Exchange) -> None:
    await exchange.answer(200, {"status": "alive"})


async def _readyz(exchange: Exchange) -> None:
    await exchange.answer(503, {"status": "not ready", "why": NO_DATABASE})


async def _otherwise(_exchange: Exchange) -> None:
    raise Rejected(503, f"{NO_DATABASE}, please try again", ("Retry-After", "10"))
