"""Worker processes: how many there may be, how they start, and how they and this process end."""

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.context import BaseContext
from threading import Thread, active_count
from typing import Final, NoReturn, TypeVar

_M_ARENA_MAX: Final = -8
"""The number of that option in malloc.h."""
_MALLOC_ARENAS: Final = 2
_LOOK_SECONDS: Final = 1.0
_T = TypeVar("_T")


def usable() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def context() -> BaseContext:
    """How to begin such processes: by a fork, which starts at once, where no other thread could hold a lock; else anew."""
    return get_context("fork" if sys.platform == "linux" and active_count() == 1 else "spawn")


def result(pool: ProcessPoolExecutor, future: "Future[_T]") -> _T:
    """The result of work in a process. Raises BrokenProcessPool if one was killed, and what the work raised.

    One that is killed while it writes its answer leaves half of it, and the pool waits for the rest for ever: the other
    processes could still write to the same pipe. So they are ended, too.
    """
    while True:
        try:
            return future.result(_LOOK_SECONDS)
        except TimeoutError:
            if future.done():  # the work's own
                raise
        started = list((pool._processes or {}).values())  # noqa: SLF001 - there is no public way
        if not all(one.is_alive() for one in started):
            for one in started:
                one.kill()
            pool._result_queue._writer.close()  # type: ignore[attr-defined]  # noqa: SLF001 - as above


def only_work() -> None:
    """To begin such a process with: Ctrl-C is its parent's to answer, and it ends when its parent has been killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def end_at_once(code: int) -> NoReturn:
    """End this process without waiting for its other threads, which Python's own end would tear apart.

    A library that is torn so in the middle of a call may abort the process.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def share_heaps() -> None:
    """Give the threads of this process few heaps in common, where its C library is glibc.

    It would give each one of its own, up to eight a processor, and keep what is free in each; yet one thread at a time
    computes.
    """
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        mallopt(_M_ARENA_MAX, _MALLOC_ARENAS)


@contextmanager
def loading() -> Iterator[None]:
    """Around the loading of what stays: to look for garbage among it would take a fifth of the start, and of each later look.

    structlog would load rich to print tracebacks, which no log in JSON has, and Alembic's Mako would load Pygments.
    """
    gc.disable()
    try:
        with _unavailable("pygments", "rich"):
            yield
        gc.freeze()
    finally:
        gc.enable()


@contextmanager
def _unavailable(*names: str) -> Iterator[None]:
    """Let imports of these modules fail, unless they are loaded already, so that libraries do without them."""
    blocked = dict.fromkeys(set(names) - sys.modules.keys())
    sys.modules.update(blocked)  # type: ignore[arg-type]  # None is Python's own way to say that there is no such module
    try:
        yield
    finally:
        for name in blocked:
            del sys.modules[name]
