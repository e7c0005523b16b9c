"""Limits the memory of request bodies together: over the limit, the oldest that is still arriving is dropped."""

import asyncio

from bot.server.exchange import Rejected


class MemoryBudget:
    """Bytes of bodies that are held at once. Only for use on the event loop."""

    def __init__(self, limit: int) -> None:
        """`limit` in bytes."""
        self.limit = limit
        self.held = 0
        self._arriving: dict[MemoryReservation, None] = {}  # by age: the oldest first

    def share(self, deadline: asyncio.Timeout) -> "MemoryReservation":
        """The part of a body that begins to arrive; `deadline` is the one in which it is read."""
        made = MemoryReservation(self, deadline)
        self._arriving[made] = None
        return made

    def make_room(self, newest: "MemoryReservation") -> None:
        """Drop bodies that are still arriving, the oldest first, until the limit holds. Raises `Rejected` for `newest` itself."""
        while self.held > self.limit:
            oldest = next(iter(self._arriving), newest)
            oldest.drop()
            if oldest is newest:
                raise Rejected(503, "the server is receiving too much at once, please try again")

    def forget(self, share: "MemoryReservation") -> None:
        """It no longer arrives: it is whole, or gone."""
        self._arriving.pop(share, None)


class MemoryReservation:
    """What one body takes of the budget, until it is given back."""

    def __init__(self, budget: MemoryBudget, deadline: asyncio.Timeout) -> None:
        self.is_dropped = False
        self._budget = budget
        self._deadline = deadline
        self._size = 0

    def take(self, size: int) -> None:
        """That many bytes more. Raises `Rejected` when there is no room even without all others that arrive."""
        self._size += size
        self._budget.held += size
        self._budget.make_room(self)

    def drop(self) -> None:
        """Give back what is held, and let whoever reads the body end at once."""
        self.is_dropped = True
        self.give_back()
        if not self._deadline.expired():  # else whoever reads it ends anyway, in this very turn of the loop
            self._deadline.reschedule(asyncio.get_running_loop().time())

    def arrived(self) -> None:
        """The body is whole: it is not dropped any more."""
        self._budget.forget(self)

    def give_back(self) -> None:
        """The body is not needed any more; may be called again."""
        self._budget.held -= self._size
        self._size = 0
        self._budget.forget(self)
