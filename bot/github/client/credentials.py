"""Authentication of calls: as the App by a signed JWT, as an installation or a person by its token."""

import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final

import structlog
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from bot import clock
from bot.github.client.answer_headers import moment as moment_of_header
from bot.github.client.transport import Transport
from bot.github.ports import Refused
from bot.github.reading import moment, understanding

RENEW_BEFORE_END: Final = timedelta(minutes=2)  # Longer than any one call may take.

# GitHub advises to backdate a JWT by a minute, and refuses one that lasts longer than ten minutes.
_JWT_BACKDATED_BY, _JWT_LIFETIME = timedelta(minutes=1), timedelta(minutes=5)
_DATE_TOLERANCE: Final = timedelta(seconds=5)  # GitHub's dates are in whole seconds, and of another of its machines.

_BEARER: Final = "Bearer "

log = structlog.get_logger()


class GitHubClock:
    """GitHub's time: this machine's, unless GitHub refused what we had signed by it."""

    def __init__(self) -> None:
        self._ahead = timedelta(0)

    def now(self) -> datetime:
        """The present moment as GitHub sees it."""
        return clock.now() + self._ahead

    def set(self, shown: datetime) -> None:
        """Sign by the moment that GitHub's clock shows now: a JWT by this machine's clock was not of GitHub's time."""
        self._ahead = shown - clock.now()
        seconds = round(self._ahead.total_seconds())
        log.warning(
            "github.clock",
            seconds=-seconds,
            why="the clock of this machine differs from GitHub's; the difference is corrected for",
        )


class AppAuth:
    """Fulfils Credentials by the App's JWT, signed for each call. A text that is no RSA private key is `Refused`."""

    def __init__(self, app_id: int, private_key: str, github_clock: GitHubClock) -> None:
        self._app_id = app_id
        self._key = _rsa_key(private_key)
        self._clock = github_clock

    def header(self) -> str:
        """A new header for each call."""
        at = self._clock.now()
        claims = {
            "iat": int((at - _JWT_BACKDATED_BY).timestamp()),
            "exp": int((at + _JWT_LIFETIME).timestamp()),
            "iss": str(self._app_id),
        }
        import jwt  # noqa: PLC0415 - only where a call is signed

        return _BEARER + jwt.encode(claims, self._key, algorithm="RS256")

    def renew(self, refused: str, headers: Mapping[str, Any]) -> bool:
        """True if the refused JWT was outside GitHub's time; the next one is then signed by GitHub's clock."""
        shown = moment_of_header(headers.get("date"))
        if shown is None:
            return False
        import jwt  # noqa: PLC0415 - as above

        # It is this App's own JWT, read for its times alone: there is no signature to doubt.
        claims = jwt.decode(refused.removeprefix(_BEARER), options={"verify_signature": False})
        tolerance = _DATE_TOLERANCE.total_seconds()
        if claims["iat"] + tolerance <= shown.timestamp() <= claims["exp"] - tolerance:
            return False
        self._clock.set(shown)
        return True


class PersonAuth:
    """Fulfils Credentials by a token that a person made for themselves; it is kept in memory alone."""

    def __init__(self, token: str) -> None:
        self._token = token

    def header(self) -> str:
        return _BEARER + self._token

    def renew(self, refused: str, headers: Mapping[str, Any]) -> bool:  # noqa: ARG002 - there is no other token
        return False


class InstallationAuth:
    """Fulfils Credentials by the installation's token: any length, minted when needed, by one thread at a time, never stored elsewhere."""

    def __init__(self, app: Transport, number: int, github_clock: GitHubClock) -> None:
        self._app = app
        self._path = f"/app/installations/{number}/access_tokens"
        self._clock = github_clock
        self._lock = threading.Lock()
        self._token = ""
        self._until: datetime | None = None

    def header(self) -> str:
        """May mint a token, which is a call of the App's: raises HubError."""
        with self._lock:  # One thread mints a token; the others wait, then use the same.
            if self._until is None or self._clock.now() >= self._until - RENEW_BEFORE_END:
                minted: Any = self._app.write("POST", self._path, {})
                with understanding():
                    self._token, self._until = str(minted["token"]), moment(minted["expires_at"])
            return _BEARER + self._token

    def renew(self, refused: str, headers: Mapping[str, Any]) -> bool:  # noqa: ARG002 - a token says nothing of its time
        """Forget the token that GitHub refused."""
        with self._lock:
            # Another thread may have put a new token in its place already, which must not be thrown away.
            if refused == _BEARER + self._token:
                self._until = None
        return True


@lru_cache(maxsize=2)
def _rsa_key(text: str) -> RSAPrivateKey:
    # To check that a key's numbers fit together takes as long as to load a large library: done once.
    key = None
    with suppress(ValueError, TypeError):
        key = load_pem_private_key(text.encode(), password=None)
    if not isinstance(key, RSAPrivateKey):
        raise Refused("the private key is not an RSA key in PEM format, as GitHub issues it")
    return key
