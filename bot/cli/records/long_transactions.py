"""Transactions for a command that writes for long: the key ring may be rotated meanwhile, as with a running server."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot import clock

if TYPE_CHECKING:
    from sqlmodel import Session

    from agreements.vault import Vault
    from bot.db import Sessions


@contextmanager
def following(sessions: "Sessions", vault: "Vault") -> Iterator["Sessions"]:
    """Sessions, each of which begins with the ring as it is then; `keys rotate` moves nothing before this process has the new key."""
    from bot.store import keyring_holders

    holder = clock.new_id()

    @contextmanager
    def session() -> Iterator["Session"]:
        vault.refresh()
        with sessions() as telling:
            keyring_holders.tell(telling, holder, vault.ids, at=clock.now())
        with sessions() as writing:
            yield writing

    try:
        yield session
    finally:
        with sessions() as ending:
            keyring_holders.forget(ending, holder)
