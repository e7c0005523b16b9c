"""Rotates the key ring while the server runs: all processes get the new key first, then every record is re-encrypted.

A running process reads the ring again when its file changes, and tells the others which keys it has.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy import Table
from sqlmodel import Session, SQLModel

from agreements.store import reencryption
from agreements.store.ledger import transient_rows
from agreements.store.reencryption import IndexedColumn
from agreements.vault import KeyRing, KeysInvalid, Vault
from bot import atomic_file
from bot.clock import Clock
from bot.db import Sessions
from bot.store import keyring_holders, tokens
from bot.store.logged_tables import AUTHENTICATED, DATA_KEY_TABLES

KEY_UPTAKE_TIMEOUT = timedelta(seconds=60)
"""The time that processes have to take up a new key."""


class NotRotated(Exception):
    """The rotation cannot begin or go on; one line that says what to do. What was done so far stays done."""


@dataclass(frozen=True, slots=True)
class RotatedRows:
    """The result of one lot: `step` names the kind of record, `rows` counts those that were moved."""

    step: str
    rows: int


def add_key(path: Path, ring: KeyRing, line: str) -> KeyRing:
    """Put a new key on top of the ring's file. Raises OSError, NotRotated when that isn't as `ring` was read."""
    path = path.resolve(strict=True)
    text = path.read_text(encoding="utf-8")
    if KeyRing.parse(text).keys != ring.keys:  # A key that was added since would be lost.
        raise NotRotated(f"{path} has changed meanwhile: run this again")
    changed = f"{line}\n{text}"
    with atomic_file.replacement(path) as made:
        made.write(changed.encode())
    return KeyRing.parse(changed)


def unmoved(sessions: Sessions, vault: Vault) -> int:
    """The number of data keys and sealed values that are under another key than the current one."""
    return sum(count for key, count in held(sessions).items() if key != vault.ids[0])


def held(sessions: Sessions) -> dict[str, int]:
    """The number of data keys that each key of the ring wraps, and of values that it seals."""
    found: Counter[str] = Counter()
    with sessions() as session:
        for table in DATA_KEY_TABLES:
            found.update(reencryption.held(session, table))
        for table in reencryption.sealed_tables():
            found.update(reencryption.sealed_by(session, table))
        found.update(reencryption.authenticated_by(session))
        for model in AUTHENTICATED:
            found.update(transient_rows.authenticated_by(session, model))
    return dict(found)


def wait_for_holders(sessions: Sessions, vault: Vault, clock: Clock, wait: Callable[[float], None]) -> None:
    """Wait until every running process has the current key. Raises NotRotated after KEY_UPTAKE_TIMEOUT."""
    # A process without it could not open a record that was moved.
    for _ in range(int(KEY_UPTAKE_TIMEOUT.total_seconds())):
        with sessions() as session:
            lacking = keyring_holders.without(session, vault.ids[0], at=clock())
        if not lacking:
            return
        wait(1)
    raise NotRotated(
        f"{lacking} running processes don't have the key {vault.ids[0]!r}: give it to them"
        " (COUNTERSIGN_KEYS_FILE is followed by itself, COUNTERSIGN_KEYS needs a restart), then run this again"
    )


def move(sessions: Sessions, vault: Vault) -> Iterator[RotatedRows]:
    """Move every record to the current key, lot by lot; may be stopped and run again. Raises DecryptionFailed."""
    for table in reencryption.sealed_tables():
        yield from _lots(sessions, vault, reencryption.reseal, table, step=table.name)
    for indexed in reencryption.indexed_columns():
        yield from _lots(sessions, vault, reencryption.reindex, indexed, step="look-ups")
    with sessions() as session:
        yield RotatedRows("look-ups", tokens.index(session, vault))
    for model in AUTHENTICATED:
        yield from _lots(sessions, vault, transient_rows.authenticate_anew, model, step="codes of rows")
    yield from _all(sessions, partial(reencryption.authenticate_anew, vault=vault), step="codes of rows")
    # Last: look-ups do not say which key made them, so while something is left to do, keys are left to count.
    for table in DATA_KEY_TABLES:
        yield from _all(sessions, partial(reencryption.rewrap, vault=vault, table=table), step=table.name)


def _all(sessions: Sessions, lot: Callable[[Session], int], *, step: str) -> Iterator[RotatedRows]:
    while True:
        with sessions() as session:
            rows = lot(session)
        if not rows:
            return
        yield RotatedRows(step, rows)


def _lots(
    sessions: Sessions,
    vault: Vault,
    lot: Callable[..., tuple[int, Any]],
    column: Table | IndexedColumn | type[SQLModel],
    *,
    step: str,
) -> Iterator[RotatedRows]:
    after = None
    while True:
        with sessions() as session:
            rows, after = lot(session, vault, column, after)
        if after is None:
            return
        yield RotatedRows(step, rows)


REFRESH_INTERVAL = timedelta(seconds=5)
"""The pause between two looks at the file; after each, the held keys are stored for `keys rotate`."""

log = structlog.get_logger()


class RingFile:
    """The file that COUNTERSIGN_KEYS_FILE names, and whether it has changed since it was last read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = self._stamp()

    def changed(self) -> KeyRing | None:
        """The ring if the file changed; None else. A file that is wrong or gone changes nothing, and is logged once."""
        stamp = self._stamp()
        if stamp is None or stamp == self._seen:
            return None
        self._seen = stamp  # Before it is parsed: a wrong file is logged once.
        try:
            return KeyRing.parse(self._path.read_text(encoding="utf-8"))
        except (KeysInvalid, OSError, UnicodeDecodeError) as error:
            log.warning("keys.not-taken", why=str(error) if isinstance(error, KeysInvalid) else type(error).__name__)
            return None

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size  # An exchange changes the inode, an edit the time.


class KeyRingWatcher:
    """Keeps the vault's ring that of the file, and lets `keys rotate` know what this process can open."""

    def __init__(self, vault: Vault, sessions: Sessions, holder_id: str, clock: Clock) -> None:
        self._vault = vault
        self._sessions = sessions
        self._holder_id = holder_id
        self._clock = clock

    def refresh(self) -> None:
        """Take a changed ring, then tell which keys are held. Raises SQLAlchemyError."""
        if self._vault.refresh():
            log.info("keys.taken", current=self._vault.ids[0], keys=len(self._vault.ids))
        # After the ring was taken: once all processes hold a key, `keys rotate` moves records to it.
        with self._sessions() as session:
            keyring_holders.tell(session, self._holder_id, self._vault.ids, at=self._clock())
