"""Verifies the log of the records on all processors: others follow it part by part while this process looks at the rows."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from sqlalchemy import Engine
from sqlmodel import SQLModel

from agreements.store import verifying
from agreements.store.verifying import Done, Elsewhere, Verified
from agreements.vault import KeyRing, Vault
from bot import db, processes

WORTHWHILE = 10_000
"""Entries from which on other processes are faster, although they have to start first."""
_PART = 5_000


def verify(
    engine: Engine,
    ring: KeyRing,
    tables: Sequence[type[SQLModel]],
    *,
    kept: str | None = None,
    done: Done = lambda _steps: None,
    least: int = WORTHWHILE,
) -> Verified:
    """As `agreements.store.verifying.verify`, which says what it raises; with others from `least` entries on."""
    with db.sessions(engine)() as session, _others(engine, ring, done, least) as elsewhere:
        return verifying.verify(session, Vault(ring), tables, kept=kept, done=done, elsewhere=elsewhere)


@contextmanager
def _others(engine: Engine, ring: KeyRing, done: Done, least: int) -> Iterator[Elsewhere | None]:
    """Processes that follow parts of a long log; None where there is one processor or little to do."""
    processors = processes.usable()
    if processors == 1 or _entries(engine) < least:
        yield None
        return
    url = engine.url.render_as_string(hide_password=False)
    with ProcessPoolExecutor(processors, get_context("spawn"), _begin, (url, ring)) as pool:
        yield lambda size: _started(pool, size, done)
        pool.shutdown(cancel_futures=True)


def _entries(engine: Engine) -> int:
    with db.sessions(engine)() as session:
        return verifying.size(session, ())


def _started(pool: ProcessPoolExecutor, size: int, done: Done) -> Callable[[], bool]:
    """All parts, handed out; what is given waits for them."""
    parts = [(first, min(first + _PART, size)) for first in range(0, size, _PART)]
    futures = [(end - first, pool.submit(_part, first, end)) for first, end in parts]
    return lambda: all(_well(future, entries, done) for entries, future in futures)


def _well(future: "Future[bool]", entries: int, done: Done) -> bool:
    """A process that died says nothing of the log: then it is followed here."""
    try:
        well = future.result()
    except BrokenProcessPool:
        return False
    done(entries if well else 0)
    return well


_OPENED: list[tuple[Engine, Vault]] = []


def _begin(url: str, ring: KeyRing) -> None:
    """Once in each process."""
    processes.only_work()
    _OPENED.append((db.open_engine(url), Vault(ring)))


def _part(first: int, end: int) -> bool:
    engine, vault = _OPENED[0]
    with db.sessions(engine)() as session:
        return verifying.part(session, vault, first, end)
