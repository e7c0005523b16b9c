"""Whether GitHub accepts the App's id and private key; checked in the background while the server runs."""

from datetime import timedelta
from typing import Final

import structlog

from bot.clock import monotonic
from bot.github.availability import AppRefused
from bot.github.hub import Hub
from bot.github.ports import HubError, Refused

SETTINGS: Final = "COUNTERSIGN_APP_ID, COUNTERSIGN_PRIVATE_KEY"
UNCHECKED: Final = "GitHub did not answer; the App's key is not checked yet"
CHECK_INTERVAL: Final = timedelta(minutes=1)
"""How often GitHub is asked until it takes the key."""
RECHECK_AFTER: Final = timedelta(minutes=10)
"""After so long GitHub is asked again whether the key is accepted: a key can be deleted there."""

log = structlog.get_logger()


class AppKey:
    """Remembers what GitHub said last; a GitHub that does not answer says nothing against the key."""

    def __init__(self, app: Hub, *, again: timedelta = RECHECK_AFTER) -> None:
        self._app = app
        self._again = again.total_seconds()
        self._refused: str | None = None
        self._said = ""
        self._taken_at: float | None = None

    @property
    def refused(self) -> str | None:
        """The reason why GitHub does not take the key, in one line; never asks GitHub."""
        return self._refused

    def refresh(self) -> None:
        """Ask GitHub whether it accepts the key, if it is time to; a new answer is logged."""
        # Only a yes is believed for a while: a key that was refused may be corrected at any moment.
        if self._taken_at is not None and monotonic() - self._taken_at < self._again:
            return
        try:
            self._app.identity(again=True)  # Not from the hub's memory.
        except (Refused, AppRefused) as error:
            self._refused, self._taken_at = f"{SETTINGS}: {error}", None
            self._say("app.refused", self._refused)
        # A silent GitHub leaves the last answer as it is.
        except HubError:
            self._say("app.unchecked", UNCHECKED)
        else:
            if self._said:
                log.info("app.taken")
            self._refused, self._taken_at, self._said = None, monotonic(), ""

    def _say(self, event: str, why: str) -> None:
        if why != self._said:  # A key that stays wrong is one line, not one a minute.
            log.warning(event, why=why)
        self._said = why
