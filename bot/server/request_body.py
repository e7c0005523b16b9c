"""Reads a request's body: within a time, within a size, within the memory that all bodies may take together."""

import asyncio
from collections.abc import Callable

from bot.server.exchange import Exchange, Rejected
from bot.server.memory_budget import MemoryBudget, MemoryReservation

TIMEOUT_SECONDS = 10.0
"""A body that GitHub or a browser sends takes less than one; after so long whoever sends it is not waited for."""


class Body:
    """What has been read; `is_whole` is false where more will come than was asked for. To be given back at the end."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []  # growing one buffer would leave holes in memory, of up to what it held
        self.size = 0
        self.is_whole = True
        self.share: MemoryReservation | None = None

    @property
    def data(self) -> bytes:
        """What has been read, in one."""
        return b"".join(self.pieces)

    def give_back(self) -> None:
        """Nobody needs it any more."""
        self.pieces.clear()
        if self.share is not None:
            self.share.give_back()


async def read(
    exchange: Exchange,
    budget: MemoryBudget,
    *,
    limit: int,
    seconds: float = TIMEOUT_SECONDS,
    each: Callable[[bytes], None] = lambda _piece: None,
) -> Body:
    """The body, or as much of it as goes beyond `limit` bytes; `each` sees every piece as it comes.

    Raises `Rejected` for one that takes longer than `seconds` or finds no room, `Disconnected` for one that is cut short.
    """
    body = Body()
    if not exchange.length:
        return body
    try:
        async with asyncio.timeout(seconds) as deadline:
            body.share = budget.share(deadline)
            await _fill(exchange, body, body.share, limit, each)
            body.share.arrived()
    except BaseException as error:
        body.give_back()
        if isinstance(error, TimeoutError):
            raise _too_slow(body) from None
        raise
    return body


async def _fill(
    exchange: Exchange, body: Body, share: MemoryReservation, limit: int, each: Callable[[bytes], None]
) -> None:
    more = True
    while more and body.is_whole:
        piece, more = await exchange.receive()
        share.take(len(piece))
        body.pieces.append(piece)
        body.size += len(piece)
        each(piece)
        body.is_whole = not (more and body.size > limit)


def _too_slow(body: Body) -> Rejected:
    if body.share is not None and body.share.is_dropped:
        return Rejected(503, "the server is receiving too much at once, please try again")
    return Rejected(408, "the body did not arrive in time, please send it again")
