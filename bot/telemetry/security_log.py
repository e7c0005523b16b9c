"""Security events: one line of the log each, with ids and no other personal data; docs/reference/security-events.csv lists them all."""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from threading import Lock
from typing import Final

import structlog

from bot.clock import monotonic

MAX_LINES_PER_VISITOR, MAX_LINES_PER_EVENT = 20, 600  # Visitors must not fill the disk.
"""Lines of one event that one visitor, and all visitors together, may cause in a minute, in one process."""


class Event(StrEnum):
    """The events that are told, each under the name that stands in its line."""

    SIGNED_IN = "login.signed-in"
    SIGNED_OUT = "login.signed-out"
    LOGIN_REFUSED = "login.refused"
    LOGIN_MISCONFIGURED = "login.misconfigured"
    ACCESS_REFUSED = "access.refused"
    REQUEST_REFUSED = "request.refused"
    TOKEN_MADE = "token.made"  # noqa: S105 - no password
    TOKEN_REVOKED = "token.revoked"  # noqa: S105 - as above
    TOKEN_USED = "token.used"  # noqa: S105 - as above
    TOKEN_REFUSED = "token.refused"  # noqa: S105 - as above
    ROW_REFUSED = "row.refused"
    EXPORTED = "export.made"


FIELDS: Final[Mapping[Event, tuple[str, ...]]] = {
    Event.SIGNED_IN: ("account",),
    Event.SIGNED_OUT: ("account",),
    Event.LOGIN_REFUSED: ("why", "github_error"),
    Event.LOGIN_MISCONFIGURED: ("github_error", "help"),
    Event.ACCESS_REFUSED: ("account", "endpoint", "needs", "status"),
    Event.REQUEST_REFUSED: ("account", "token", "endpoint", "status", "why"),
    Event.TOKEN_MADE: ("account", "token", "scopes"),
    Event.TOKEN_REVOKED: ("account", "token"),
    Event.TOKEN_USED: ("token", "endpoint"),
    Event.TOKEN_REFUSED: ("token", "endpoint", "why"),
    Event.ROW_REFUSED: ("table", "row", "why"),
    Event.EXPORTED: ("account", "what", "subject"),
}
"""What stands in each line beside its time and level."""

MEANINGS: Final[Mapping[Event, str]] = {
    Event.SIGNED_IN: "Someone signed in.",
    Event.SIGNED_OUT: "Someone signed out.",
    Event.LOGIN_REFUSED: "Someone could not sign in and can do something about it. `why`: `denied`, `expired`, `unverified`, `account` (not a person's account) or `unfinished` (too slow, or another browser). `github_error`: GitHub's code, if it sent one that we know.",
    Event.LOGIN_MISCONFIGURED: "Nobody can sign in: GitHub answered `incorrect_client_credentials`, `redirect_uri_mismatch` or `application_suspended`. `help` says what to correct.",
    Event.ACCESS_REFUSED: "Someone who is signed in asked for a page that is not theirs. `needs`: `reader`, `administrator` or `manager`.",
    Event.REQUEST_REFUSED: "A page or the API refused a request. `why`: `form` (its token is missing or another session's), `input` (wrong values), `size`, `rate` (a limit was reached) or `visit` (not signed in). `account` and `token` are null if there is none.",
    Event.TOKEN_MADE: "An administrator created an API token.",
    Event.TOKEN_REVOKED: "An administrator revoked an API token.",
    Event.TOKEN_USED: "A request had a valid API token.",
    Event.TOKEN_REFUSED: "A request had no valid API token. `why`: `missing`, `unknown`, `ended` (expired or revoked) or `scope`. `token` is null unless it is one of ours. At most 60 a minute from one network address.",
    Event.ROW_REFUSED: "A row of the database opened and proved nothing, because this server did not write it so. `table`: `api_token`, `visit` (a session), `one_time_code` or `signatory_request`. `row`: its id, null for a session. `why`: `unlogged` (the log of records has no such token, or another one), `wrong-code` (someone changed the row), `unknown-key` (the key ring lacks the key that made its code) or `no-code` (someone inserted it, or the release before wrote it). A release that makes no codes also causes `wrong-code` for sessions while it runs beside this one during an upgrade. At any other time, someone writes to the database: run `countersign ledger verify`.",
    Event.EXPORTED: "A download began. `what`: `personal`, `company`, `records` or `licenses`. `subject`: whose data it is.",
}
"""What each event says, for docs/reference/security-events.csv."""

_ERRORS: Final = frozenset({Event.LOGIN_MISCONFIGURED})  # No person can sign in until the operator acts.
# Each may be part of an attack.
_WARNINGS: Final = frozenset({Event.ACCESS_REFUSED, Event.TOKEN_REFUSED, Event.ROW_REFUSED})


def tell(event: Event, **fields: int | str | None) -> None:
    """Write the line; `fields` are those of `FIELDS`."""
    getattr(structlog.get_logger(), level(event))(event.value, **fields)


class LogRateLimit:
    """The limit on the lines that an event may cause in a minute. Many threads may use one."""

    def __init__(self) -> None:
        self._minute = 0
        # By account or network address, in memory and for a minute alone.
        self._counts: Counter[tuple[Event, str]] = Counter()
        self._lock = Lock()

    def admits(self, event: Event, whom: str) -> bool:
        """Whether one more line of that event may be written about what this visitor does."""
        with self._lock:
            minute = int(monotonic() // 60)
            if minute != self._minute:
                self._minute, self._counts = minute, Counter()
            if self._counts[event, whom] >= MAX_LINES_PER_VISITOR or self._counts[event, ""] >= MAX_LINES_PER_EVENT:
                return False
            self._counts[event, whom] += 1
            self._counts[event, ""] += 1  # The events of all visitors together.
            return True


def level(event: Event) -> str:
    """The level of the event's line in the log."""
    return "error" if event in _ERRORS else "warning" if event in _WARNINGS else "info"
