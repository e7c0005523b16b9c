"""Which accounts this deployment serves: the logins of the settings, each resolved once to its numeric id."""

from collections.abc import Sequence

from bot.db import Sessions
from bot.hub.ports import Places
from bot.store import owners


class Served:
    """Answers `owner_id in served`; numbers count at once, logins after GitHub resolved them, once and for good."""

    def __init__(self, accounts: Sequence[str], places: Places, sessions: Sessions) -> None:
        self._ids = frozenset(int(word) for word in accounts if word.isdecimal())
        self._waiting = tuple(word.lower() for word in accounts if not word.isdecimal())
        self._places = places
        self._sessions = sessions

    def __contains__(self, owner_id: object) -> bool:
        """True when that account is served. Raises HubError while a login still waits for GitHub."""
        if owner_id in self._ids:
            return True
        self.resolve()
        return owner_id in self._ids

    @property
    def known(self) -> frozenset[int] | None:
        """All served ids, or None while a login still waits for GitHub; never asks GitHub."""
        return None if self._waiting else self._ids

    def resolve(self) -> None:
        """Find the ids that are missing: what an earlier start wrote down counts, GitHub is asked for the rest.

        Raises HubError; `Missing` names a login that nobody has.
        """
        if not self._waiting:
            return
        with self._sessions() as session:
            before = owners.resolved(session)
        found = {login: before.get(login) or self._places.account_by_login(login).id for login in self._waiting}
        with self._sessions() as session:
            for login in found.keys() - before.keys():
                owners.remember_login(session, login, found[login])
        self._ids, self._waiting = self._ids | frozenset(found.values()), ()
