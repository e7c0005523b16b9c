"""Verifies the log of the records on all processors: others follow its parts while this process looks at the rows, then helps."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Engine
from sqlmodel import Session, SQLModel

from agreements.store.integrity import verification
from agreements.store.integrity.verification import (
    Done,
    Elsewhere,
    NewestEntries,
    VerificationOptions,
    VerificationResult,
)
from agreements.vault import ErasureKeys, KeyRing, Vault
from bot import clock, db
from bot.server import processes
from bot.store.pulls import verdicts

MIN_PARALLEL_ENTRIES = 10_000
"""Entries from which on other processes are faster, although they have to start first."""
_PART_ENTRIES = 2_500


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys from which a vault is made, here and in another process: the `ring`, and `erasure_keys` where they are used."""

    ring: KeyRing
    erasure_keys: ErasureKeys | None = None

    @property
    def vault(self) -> Vault:
        """A vault of them."""
        return Vault(self.ring, erasure_keys=self.erasure_keys)


def verify(
    engine: Engine,
    keys: Keys,
    tables: Sequence[type[SQLModel]],
    *,
    kept: str | None = None,
    done: Done = lambda _steps: None,
    least: int = MIN_PARALLEL_ENTRIES,
) -> VerificationResult:
    """Verify as `agreements.store.integrity.verification`, and the verdicts; with others from `least` entries on."""
    with _others(engine, keys, done, least) as elsewhere, db.sessions(engine)() as session:
        options = VerificationOptions(
            at=clock.now(), kept=kept, done=done, elsewhere=elsewhere, unsupported=unsupported
        )
        return verification.verify(session, keys.vault, tables, options)


@contextmanager
def _others(engine: Engine, keys: Keys, done: Done, least: int) -> Iterator[Elsewhere | None]:
    """Processes that follow parts of a long log; None where there is one processor or little to do."""
    others = processes.usable() - 1  # This process works, too.
    if others == 0 or _entries(engine) < least:
        yield None
        return
    url = engine.url.render_as_string(hide_password=False)  # Another process connects by it.
    engine.dispose()  # No connection is carried over into another process.
    with ProcessPoolExecutor(others, processes.context(), _begin, (url, keys)) as pool:
        try:
            pool.submit(processes.usable)  # So that they begin before this process opens its session.
            yield lambda size: _started(pool, size, lambda first, end: _followed(engine, keys.vault, first, end), done)
        finally:  # Also when something was found, or at Ctrl-C: the waiting parts need not be done any more.
            pool.shutdown(cancel_futures=True)


def _entries(engine: Engine) -> int:
    with db.sessions(engine)() as session:
        return verification.size(session, ())


def _started(pool: ProcessPoolExecutor, size: int, here: Callable[[int, int], bool], done: Done) -> Callable[[], bool]:
    """Hand all parts to the pool; gives what does the parts not begun here, last first, and awaits the others."""
    parts = [(first, min(first + _PART_ENTRIES, size)) for first in range(0, size, _PART_ENTRIES)]
    futures = [(first, end, pool.submit(_part, first, end)) for first, end in parts]

    def well(first: int, end: int, future: "Future[bool]") -> bool:
        try:
            fine = here(first, end) if future.cancel() else processes.result(pool, future)
        except BrokenProcessPool:  # A process that died says nothing of the log: then all of it is followed here.
            return False
        done(end - first if fine else 0)
        return fine

    return lambda: all(well(*part) for part in reversed(futures))  # The pool begins with the first.


# In another process: a pool's initializer returns nothing, so what it opens is kept here.
_OPENED: list[tuple[Engine, Vault]] = []


def _begin(url: str, keys: Keys) -> None:
    processes.only_work()
    _OPENED.append((db.open_engine(url), keys.vault))


def _part(first: int, end: int) -> bool:
    return _followed(*_OPENED[0], first, end)


def _followed(engine: Engine, vault: Vault, first: int, end: int) -> bool:
    with db.sessions(engine)() as session:
        return verification.part(session, vault, first, end)


MAX_DELAY = timedelta(minutes=15)
"""The longest time from what a verdict read to the moment that it notes."""

_TABLES = ("signature", "company", "company_entry")


def unsupported(session: Session, newest: NewestEntries) -> Iterator[str]:
    """A line for each verdict that rests on an unnamed or withdrawn record; `newest`: the last entries on rows."""
    for lot in verdicts.resting(session):
        named = {
            table: {key for resting_verdict in lot for kind, key in resting_verdict.records if kind == table}
            for table in _TABLES
        }
        known = {table: newest(table, keys) for table, keys in named.items()}
        ended = newest("withdrawal", named["signature"])
        for resting_verdict in lot:
            verdict = f"the verdict {resting_verdict.id} on the pull request {resting_verdict.pull_id}"
            for table, key in resting_verdict.records:
                if key not in known.get(table, {}):
                    yield f"{verdict} rests on the row {table} {key}, which no entry names"
                # A signature may be withdrawn while the verdict is made, so a short overlap is no fault.
                elif table == "signature" and key in ended and ended[key].at + MAX_DELAY < resting_verdict.judged_at:
                    yield f"{verdict} rests on the row signature {key}, which had been withdrawn"
