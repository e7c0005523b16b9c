"""A new key for a hundred thousand people, while others read: how long it takes, and that no reader fails."""

import threading
import time
from datetime import UTC, datetime
from functools import partial

import databases
from figures import Figure, best_of
from sqlalchemy import Engine, insert

from agreements.store.people import emails
from agreements.store.tables.records import PersonRecord, Proof
from agreements.vault import KeyRing, Vault
from bot import db
from bot.records import key_rotation

AT = datetime(2026, 1, 1, tzinfo=UTC)
PEOPLE = 100_000
LOT = 10_000


def measure(*, quick: bool) -> list[Figure]:
    """People with a proven address each; beside the same rows written by one plain UPDATE."""
    count = PEOPLE // 20 if quick else PEOPLE
    figures = []
    for kind in databases.kinds():
        with databases.opened(kind) as engine:
            old, new = KeyRing.generate("old"), KeyRing.generate("new")
            _fill(engine, Vault(KeyRing.parse(old)), count)
            plain = best_of(1, partial(_update, engine))
            both = Vault(KeyRing.parse(f"{new}\n{old}"))
            reader = _Reader(engine, both, count)
            start = time.perf_counter()
            rows = sum(lot.rows for lot in key_rotation.move(db.sessions(engine), both))
            seconds = time.perf_counter() - start
            reads = reader.stop()
            # A person and an address each.
            if rows != 2 * count or key_rotation.unmoved(db.sessions(engine), both):
                raise RuntimeError(f"{rows} of {2 * count} rows were moved")
            print(f"{kind}: {reads:,} reads meanwhile, none failed")
            figures.append(
                Figure(
                    what=f"rotation of {count:,} people and their addresses, {kind}",
                    value=seconds,
                    unit="s",
                    target="≤ 60 s",
                    baseline=plain,
                    beside="one UPDATE of those rows",
                )
            )
    return figures


class _Reader:
    """Opens proven addresses on a thread of its own, until it is stopped or fails."""

    def __init__(self, engine: Engine, vault: Vault, count: int) -> None:
        self._sessions, self._vault, self._count = db.sessions(engine), vault, count
        self._reads, self._failed, self._done = 0, "", threading.Event()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def stop(self) -> int:
        """The number of reads. Raises RuntimeError when one failed."""
        self._done.set()
        self._thread.join()
        if self._failed:
            raise RuntimeError(f"a reader failed: {self._failed}")
        return self._reads

    def _read(self) -> None:
        try:
            while not self._done.is_set():
                number = self._reads * 7919 % self._count + 1  # A prime: all rows, in no order.
                with self._sessions() as session:
                    found = emails.proven(session, self._vault, [number], AT)
                if found != {number: (f"a{number}@example.org",)}:
                    raise RuntimeError("an address was not found")  # noqa: TRY301 - told with the others
                self._reads += 1
                time.sleep(0.002)  # One reader, no load.
        except Exception as error:  # noqa: BLE001 - the main thread tells every error
            self._failed = repr(error)


def _update(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE person SET wrapped_key = wrapped_key")
        connection.exec_driver_sql("UPDATE proof SET address_index = address_index")


def _fill(engine: Engine, vault: Vault, count: int) -> None:
    for start in range(1, count + 1, LOT):
        ids = range(start, min(start + LOT, count + 1))
        rows = [databases.person_and_proof(vault, number, f"a{number}@example.org", AT) for number in ids]
        people, proofs = [list(column) for column in zip(*rows, strict=True)]
        with engine.begin() as connection:
            connection.execute(insert(PersonRecord), people)
            connection.execute(insert(Proof), proofs)
