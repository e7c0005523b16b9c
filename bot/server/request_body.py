"""Reads a request's body: within a time, within a size, within the memory that all bodies may take together."""

import asyncio
from collections.abc import Callable

from bot.server.exchange import Exchange, Rejected


class MemoryBudget:
    """Bytes of bodies that are held at once. Only for use on the event loop."""

    def __init__(self, limit: int) -> None:
        """`limit` in bytes."""
        self.limit = limit
        self.held = 0
        self._arriving: dict[MemoryReservation, None] = {}  # By age: the oldest first

    def share(self, deadline: asyncio.Timeout) -> "MemoryReservation":
        """The part of a body that begins to arrive; `deadline` is the one in which it is read."""
        made = MemoryReservation(self, deadline)
        self._arriving[made] = None
        return made

    def make_room(self, newest: "MemoryReservation") -> None:
        """Drop arriving bodies, the oldest first, until the limit holds. Raises `Rejected` for `newest` itself."""
        # The oldest goes first: a sender that is slow on purpose must not shut out the others.
        while self.held > self.limit:
            oldest = next(iter(self._arriving), newest)
            oldest.drop()
            if oldest is newest:
                raise Rejected(503, "the server is receiving too much at once, please try again")

    def forget(self, share: "MemoryReservation") -> None:
        """Take a body that is whole or gone off the list of those that arrive."""
        self._arriving.pop(share, None)


class MemoryReservation:
    """The part of the budget that one body takes, until it is given back."""

    def __init__(self, budget: MemoryBudget, deadline: asyncio.Timeout) -> None:
        self.is_dropped = False
        self._budget = budget
        self._deadline = deadline
        self._size = 0

    def take(self, size: int) -> None:
        """Take that many bytes more. Raises `Rejected` when there is no room even without all others that arrive."""
        self._size += size
        self._budget.held += size
        self._budget.make_room(self)

    def drop(self) -> None:
        """Give back what is held, and end the reading of the body at once."""
        self.is_dropped = True
        self.give_back()
        if not self._deadline.expired():  # Else the reading ends anyway, in this very turn of the loop
            self._deadline.reschedule(asyncio.get_running_loop().time())

    def arrived(self) -> None:
        """Note that the body is whole: it is not dropped any more."""
        self._budget.forget(self)

    def give_back(self) -> None:
        """Free the part of the budget; may be called again."""
        self._budget.held -= self._size
        self._size = 0
        self._budget.forget(self)


TIMEOUT_SECONDS = 10.0
"""GitHub and browsers send a body in less than one; a sender that takes so long is not waited for."""


class Body:
    """The bytes that have been read; `is_whole` is false where more will come than was asked for. To be given back at the end."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []  # Growing one buffer would leave holes in memory, of up to what it held
        self.size = 0
        self.is_whole = True
        self.share: MemoryReservation | None = None

    @property
    def data(self) -> bytes:
        """All bytes that have been read."""
        return b"".join(self.pieces)

    def give_back(self) -> None:
        """Free the memory: the body is not needed any more."""
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

    Raises `Rejected` for one that takes longer than `seconds` or finds no room, `Disconnected` for one that is cut
    short.
    """
    body = Body()
    if not exchange.length:
        return body
    try:
        async with asyncio.timeout(seconds) as deadline:
            body.share = budget.share(deadline)
            await _fill(exchange, body, body.share, limit, each)
            body.share.arrived()
    except BaseException as error:  # A cancelled request gives its memory back, too.
        body.give_back()
        if isinstance(error, TimeoutError):
            # `drop` ends the reading by the same deadline.
            if body.share is not None and body.share.is_dropped:
                raise Rejected(503, "the server is receiving too much at once, please try again") from None
            raise Rejected(408, "the body did not arrive in time, please send it again") from None
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
