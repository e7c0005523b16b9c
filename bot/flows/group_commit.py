"""Group commit: the writes of a lot at about the same time are one transaction, which waits for the disk once."""

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, Final, TypeVar, cast

from sqlmodel import Session

from bot.clock import monotonic
from bot.db import Sessions

MAX_WAIT_SECONDS: Final = 0.1  # A slower member, as GitHub may make it, writes later.

T = TypeVar("T")
_Do = Callable[[Session], Any]


class GroupCommit:
    """Writes for so many `members` at once, each on a thread of its own, which says when it has `left`."""

    def __init__(self, sessions: Sessions, members: int) -> None:
        self._sessions, self._members = sessions, members
        self._changed = threading.Condition()
        self._waiting: list[_Write] = []

    def write(self, do: Callable[[Session], T], *, place: tuple[Any, ...]) -> T:
        """Run `do`, perhaps twice, and give its result once its transaction is committed. Raises what it raises."""
        mine = _Write(do, place)
        with self._changed:
            self._waiting.append(mine)
            self._changed.notify_all()
            end = monotonic() + MAX_WAIT_SECONDS
            while not mine.is_taken and len(self._waiting) < self._members and (left := end - monotonic()) > 0:
                self._changed.wait(left)
            mine_to_do = [] if mine.is_taken else self._take()
        self._commit(mine_to_do)  # By one of the members: the last to come, or the first whose time is over.
        mine.done.wait()
        if mine.error is not None:
            raise mine.error
        return cast("T", mine.result)

    def left(self) -> None:
        """A member has ended: the others wait for it no more."""
        with self._changed:
            self._members -= 1
            self._changed.notify_all()

    def _take(self) -> "list[_Write]":
        # In the order of `place`: no transaction waits for one that waits for it.
        taken, self._waiting = sorted(self._waiting, key=lambda write: write.place), []
        for write in taken:
            write.is_taken = True
        self._changed.notify_all()
        return taken

    def _commit(self, writes: "list[_Write]") -> None:
        try:
            if len(writes) > 1 and self._is_committed(writes):
                return
            # The transaction of all was taken back: alone, each tells whether it was the one that failed.
            for write in writes:
                try:
                    with self._sessions() as session:
                        write.run(session)
                except BaseException as error:  # noqa: BLE001 - it is raised where it was called
                    write.error = error
        finally:  # Each member waits on its thread, also where this one failed.
            for write in writes:
                write.done.set()

    def _is_committed(self, writes: "list[_Write]") -> bool:
        try:
            with self._sessions() as session:
                for write in writes:
                    write.run(session)
        except Exception:  # noqa: BLE001 - whose it is turns out when each is alone
            return False
        return True


class _Write:
    """The write of one member, in the context of its log."""

    def __init__(self, do: _Do, place: tuple[Any, ...]) -> None:
        self._do, self._context, self.place = do, copy_context(), place
        self.is_taken, self.done = False, threading.Event()
        self.result: Any = None
        self.error: BaseException | None = RuntimeError("it was not written")

    def run(self, session: Session) -> None:
        """Run it in a transaction of the caller's."""
        # A copy: a second run binds anew.
        self.result = self._context.copy().run(self._do, session)
        self.error = None
