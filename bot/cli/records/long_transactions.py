"""Transactions for a command that writes for long: the key ring may be rotated meanwhile, as with a running server."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from bot import clock

if TYPE_CHECKING:
    from sqlmodel import Session

    from agreements.vault import Vault
    from bot.db import Sessions


@contextmanager
def following(sessions: "Sessions", vault: "Vault") -> Iterator["Sessions"]:
    """Sessions that begin with the ring of that time; `keys rotate` waits until this process has the new key."""
    from bot.records.key_rotation import KeyRingWatcher
    from bot.store import keyring_holders

    holder = clock.new_id()
    watch = KeyRingWatcher(vault, sessions, holder, clock.now)

    def session() -> AbstractContextManager["Session"]:
        watch.refresh()  # Before each transaction: no row may be written with a key that was rotated out.
        return sessions()

    try:
        yield session
    finally:
        # Else `keys rotate` would wait for a process that has ended.
        with sessions() as ending:
            keyring_holders.forget(ending, holder)
