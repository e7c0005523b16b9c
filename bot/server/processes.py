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
    """The number of processors that this process may use."""
    # Not the machine's number: a container may be bound to fewer. macOS does not say.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def context() -> BaseContext:
    """The way to begin such processes: a fork, which starts at once, else a new interpreter."""
    # A fork copies a lock that another thread holds, and nothing would ever release it.
    return get_context("fork" if sys.platform == "linux" and active_count() == 1 else "spawn")


def result(pool: ProcessPoolExecutor, future: "Future[_T]") -> _T:
    """The result of work in a process. Raises BrokenProcessPool if one was killed, and what the work raised."""
    while True:
        try:
            return future.result(_LOOK_SECONDS)
        except TimeoutError:
            if future.done():  # The work's own
                raise
        started = list((pool._processes or {}).values())  # noqa: SLF001 - there is no public way
        # One that is killed while it writes leaves half an answer, and the pool waits for the rest for ever.
        if not all(process.is_alive() for process in started):
            # The others could still write to the same pipe, so they are ended, too.
            for process in started:
                process.kill()
            pool._result_queue._writer.close()  # type: ignore[attr-defined]  # noqa: SLF001 - as above


def only_work() -> None:
    """Prepare such a process: Ctrl-C is its parent's to answer, and it ends when its parent has been killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # A terminal sends Ctrl-C to the whole group.
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # `sys.exit` would end this thread alone.


def end_at_once(code: int) -> NoReturn:
    """End this process without waiting for its other threads."""
    # Python's own end tears other threads out of a library's call, which may abort the process.
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def share_heaps() -> None:
    """Give the threads of this process few heaps in common, where its C library is glibc."""
    # In glibc each thread gets a heap, up to eight a processor, and what is free stays in each.
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        mallopt(_M_ARENA_MAX, _MALLOC_ARENAS)  # Two are enough: one thread at a time computes.


@contextmanager
def loading() -> Iterator[None]:
    """Load, in the block, what stays: the garbage collector never looks at it."""
    gc.disable()  # Collecting while modules load would take a fifth of the start.
    try:
        # For tracebacks structlog would load rich, Alembic's Mako Pygments: a log in JSON needs neither.
        with _unavailable("pygments", "rich"):
            yield
        gc.freeze()  # Later collections leave out what was loaded.
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
            del sys.modules[name]  # `None` would keep a later import from finding it.
