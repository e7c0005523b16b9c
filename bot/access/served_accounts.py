"""The accounts that this deployment serves: the logins of the settings, each resolved once to its numeric id."""

import threading
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.clock import Clock
from bot.db import Sessions
from bot.github.hub import Hub
from bot.github.ports import HubError, Missing, Unreachable
from bot.job_queue import Engine, Job
from bot.store import owners

SETTING: Final = "COUNTERSIGN_ACCOUNTS"
REFRESH_INTERVAL: Final = timedelta(minutes=1)
"""How often the logins without an id are looked at, beside the questions of the flows."""
RETRY_UNKNOWN_AFTER: Final = timedelta(minutes=10)
"""After so long GitHub is asked again for a login that no account had: the account may be new, or renamed."""

log = structlog.get_logger()


class ServedAccounts:
    """Answers `owner_id in served`; numbers count at once, logins after GitHub resolved them, once and for good.

    A login that no account has does not hold up the others. Many threads may use one.
    """

    def __init__(
        self, accounts: Sequence[str], repositories: Hub, sessions: Sessions, *, engine: Engine, clock: Clock
    ) -> None:
        self._ids = frozenset(int(word) for word in accounts if word.isdecimal())
        self._written = {word.lower(): word for word in accounts if not word.isdecimal()}
        self._waiting = frozenset(self._written)  # GitHub has not answered yet
        self._unknown: Mapping[str, datetime] = {}  # Login → when GitHub said last that no account has it
        self._why = ""
        self._lock = threading.Lock()
        self._repositories = repositories
        self._sessions = sessions
        self._engine = engine
        self._clock = clock

    def __contains__(self, owner_id: object) -> bool:
        """True when that account is served. Raises Unreachable while GitHub has not told whose a login is."""
        if owner_id in self._ids:
            return True
        self.refresh()
        if owner_id in self._ids:
            return True
        # A no could be wrong: one of these logins may be the account's.
        if waiting := self._waiting:
            raise Unreachable(f"{SETTING}: GitHub has not said who {', '.join(sorted(waiting))} is: {self._why}")
        return False

    @property
    def known(self) -> frozenset[int] | None:
        """All served ids, or None while a login still waits for GitHub; never asks GitHub."""
        return None if self._waiting else self._ids

    @property
    def unknown(self) -> tuple[str, ...]:
        """The logins that no account at GitHub has, as far as we know; never asks GitHub."""
        return tuple(self._written[login] for login in sorted(self._unknown))

    @property
    def is_settled(self) -> bool:
        """True once every login has its id."""
        return not (self._waiting or self._unknown)

    def may_be(self, account_id: int, login: str) -> bool:
        """False for an account that is certainly not served; never asks GitHub."""
        # In this order: a login that another thread resolves meanwhile is among the ids before it leaves the others.
        return bool(self._waiting) or login.lower() in self._unknown or account_id in self._ids

    def refresh(self) -> None:
        """Find ids that are missing, and log what GitHub does not know or did not answer."""
        for login in self.ask():
            log.warning("accounts.unknown", setting=SETTING, login=login, why=unknown(login))
        if waiting := self._waiting:
            log.warning("accounts.unanswered", setting=SETTING, logins=sorted(waiting), why=self._why)

    def ask(self) -> list[str]:
        """Find ids that are missing; the logins that no account has, as GitHub says now. Raises nothing of GitHub's."""
        waiting, unknown = self._waiting, self._unknown  # Other threads may ask as well
        if not (waiting or unknown):
            return []
        # The first answer counts for good: a stranger who takes the login later is not served.
        with self._sessions() as session:
            before = owners.resolved(session)
        missing, now = [], self._clock()
        for login in sorted(waiting | unknown.keys()):
            if login in before:
                self._found(login, before[login])
            elif login in waiting or now - unknown[login] >= RETRY_UNKNOWN_AFTER:
                try:
                    found = self._repositories.account_by_login(login).id
                    self._keep(login, found, is_late=bool(before) or login in unknown)
                except Missing:
                    if self._missed(login, now):
                        missing.append(self._written[login])
                except HubError as error:
                    self._why = str(error)
        return missing

    def _keep(self, login: str, account_id: int, *, is_late: bool) -> None:
        with self._sessions() as session:
            owners.remember_login(session, login, account_id)
            # Others were served before it: deliveries of this account were left alone until now.
            if is_late:
                self._engine.enqueue(session, Job("account", (account_id,), "later"))
        self._found(login, account_id)

    def _found(self, login: str, account_id: int) -> None:
        with self._lock:
            self._ids |= {account_id}
            self._waiting -= {login}
            self._unknown = {other: at for other, at in self._unknown.items() if other != login}

    def _missed(self, login: str, at: datetime) -> bool:
        with self._lock:
            before = self._unknown.get(login)
            self._unknown = {**self._unknown, login: at}
            self._waiting -= {login}
        # Another thread asked at the same time: one of them logs it.
        return before is None or at - before >= RETRY_UNKNOWN_AFTER


def unknown(login: str) -> str:
    """The advice to the operator about a login that no account has, in one line."""
    return f"{SETTING}: GitHub knows no account {login!r}: correct {SETTING}, or use the account's numeric id"
