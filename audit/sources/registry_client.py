"""One request to a registry and its answer: within bounds, to no other place than the one that was named."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import requests
import urllib3
from requests.compat import quote, urljoin, urlsplit

from audit.sources.answers import MAX_ANSWER_BYTES, GarbledAnswer

# crates.io wants to know who asks, and where to find out more.
AGENT: Final = "countersign-license-audit (+https://pypi.org/project/countersign-app/)"
_GONE: Final = frozenset({400, 404, 410})
_REFUSED: Final = frozenset({401, 403})
_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_TROUBLES: Final = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)
_FILE_HOSTS: Final = {"pypi.org": "files.pythonhosted.org"}  # A public registry's files are at another host.
_MAX_REQUESTS: Final = 3  # For one answer, redirects among them.
_READ_BYTES: Final = 65_536


class RegistryFailed(Exception):
    """There is no answer, and there will be none: why."""


class RegistryRefused(RegistryFailed):
    """The registry does not say it to us: 401 or 403."""


class RegistryBusy(Exception):
    """There is no answer now: why, and after how many seconds to ask again (None: the registry doesn't say)."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.after = after


@dataclass(frozen=True, slots=True)
class RequestTimeouts:
    """Seconds to `connect`, for each `piece` of an answer, and for a `whole` answer."""

    connect: float = 5
    piece: float = 15
    whole: float = 30


class _Session(requests.Session):
    """Leaves redirects to us: it would read an answer of any length first."""

    def get_redirect_target(self, resp: requests.Response) -> str | None:  # noqa: ARG002 - requests' signature
        """None: it leads nowhere."""
        return None


class RegistryConnection:
    """The way to one registry, for several threads; `reached` once it has answered anything at all.

    A name and a password in its address are sent there, and shown nowhere.
    """

    def __init__(
        self, address: str, *, now: Callable[[], datetime], limits: RequestTimeouts = RequestTimeouts()
    ) -> None:
        self.reached = False
        self.now = now
        self.limits = limits
        parts = urlsplit(address)
        self.host = parts.hostname or address
        self._base = requests.utils.urldefragauth(address).rstrip("/")
        self._session = _Session()
        self._session.headers.update({"User-Agent": AGENT})
        user = requests.utils.get_auth_from_url(address)
        self._has_user = any(user)
        # Without a function of its own a .netrc would be looked through.
        self._session.auth = user if self._has_user else lambda request: request

    def url(self, path: tuple[str, ...]) -> str:
        """The address of what these parts name."""
        # A name is one part, also `@scope/name`.
        return "/".join([self._base, *(quote(part, safe="") for part in path)])

    def file(self, page: str, address: str) -> str | None:
        """The address of a file that a page of this registry names; None for a file at another host."""
        try:
            url = str(urljoin(page, address)).partition("#")[0]
            own, parts = urlsplit(self._base), urlsplit(url)
            here = (parts.scheme, parts.hostname, parts.port) == (own.scheme, own.hostname, own.port)
            files = parts.scheme == "https" and parts.port is None and parts.hostname == _FILE_HOSTS.get(self.host)
        except ValueError:
            return None
        # A name and a password are for the registry's own host alone.
        return url if (here or (files and not self._has_user)) and not parts.username else None

    def fetch(self, url: str, accept: str = "application/json", most: int = MAX_ANSWER_BYTES) -> bytes | None:
        """The body of the answer, of at most so many bytes; None where there is nothing of that name.

        Raises RegistryBusy, RegistryRefused, RegistryFailed, GarbledAnswer.
        """
        limits = (self.limits.connect, self.limits.piece)
        for _ in range(_MAX_REQUESTS):
            try:
                with self._session.get(
                    url, headers={"Accept": accept}, timeout=limits, stream=True, allow_redirects=False
                ) as answer:
                    self.reached = True
                    if answer.status_code not in _MOVED:
                        return self._body(answer, most)
                    url = _same_place(url, answer.headers.get("Location", ""))
            except _TROUBLES as error:
                raise RegistryBusy(f"could not be reached ({type(error).__name__})") from None
            except ValueError:  # Headers that cannot be read.
                raise RegistryFailed("answers nonsense") from None
        raise RegistryFailed("leads from address to address")

    def _body(self, answer: requests.Response, most: int) -> bytes | None:
        status = answer.status_code
        if status in _GONE:
            return None
        if status == 429 or status >= 500:
            raise RegistryBusy(f"answered {status}", self._after(answer.headers.get("Retry-After", "")))
        if status in _REFUSED:
            raise RegistryRefused(f"answered {status}")
        if status != 200:
            raise RegistryFailed(f"answered {status}")
        ends = time.monotonic() + self.limits.whole
        data = bytearray()
        # At most what one packet brings: slow is noticed.
        while piece := answer.raw.read1(_READ_BYTES, decode_content=True):
            data += piece
            # Counted unpacked: a few compressed bytes may hide many.
            if len(data) > most:
                raise GarbledAnswer(f"answered with more than {most:,} bytes")
            if time.monotonic() > ends:
                raise RegistryBusy("answers too slowly")
        return bytes(data)

    def _after(self, words: str) -> float | None:
        """Seconds that a registry asks to wait: it says a number, or a moment."""
        if words.isascii() and words.isdecimal():
            return float(words[:9])  # More digits are no number of seconds.
        try:
            moment = parsedate_to_datetime(words)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - self.now()).total_seconds())


def _same_place(url: str, to: str) -> str:
    """The address to which a redirect leads, if that is the same host by the same way. Raises RegistryFailed."""
    try:
        before, after = urlsplit(url), urlsplit(urljoin(url, to))
        # Another host would learn what the work uses, and a password if there is one.
        same = (after.scheme, after.hostname, after.port) == (before.scheme, before.hostname, before.port)
    except ValueError:
        raise RegistryFailed("leads to an address that is none") from None
    if not to or not same or after.username:
        raise RegistryFailed("leads to another place")
    return str(after.geturl())
