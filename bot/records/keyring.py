"""The key ring of a running process: read again when its file changes; tells other processes which keys it has."""

from datetime import timedelta
from pathlib import Path

import structlog

from agreements.vault import KeyRing, KeysInvalid, Vault
from bot.clock import Clock
from bot.db import Sessions
from bot.store import keyring_holders

REFRESH_INTERVAL = timedelta(seconds=5)
"""How often the file is looked at and the others are told."""

log = structlog.get_logger()


class RingFile:
    """The file that COUNTERSIGN_KEYS_FILE names, and whether it has changed since it was last read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = self._stamp()

    def changed(self) -> KeyRing | None:
        """The ring if the file changed; None else. A file that is wrong or gone changes nothing, and is said once."""
        stamp = self._stamp()
        if stamp is None or stamp == self._seen:
            return None
        self._seen = stamp
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
        return found.st_ino, found.st_mtime_ns, found.st_size


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
        with self._sessions() as session:
            keyring_holders.tell(session, self._holder_id, self._vault.ids, at=self._clock())
