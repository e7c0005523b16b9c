"""Connects to GitHub: as an App with all that it may do, on behalf of a person, or without credentials."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from agreements.github_server import GitHubServer
from bot import clock
from bot.clock import Clock
from bot.github.client.admission_control import AdmissionControl, OnRecovery
from bot.github.client.credentials import PersonAuth
from bot.github.client.requester_pool import API_VERSION, TIMEOUT_SECONDS, RequesterPool
from bot.github.client.transport import Credentials, Transport
from bot.github.client.transport_pool import TransportPool
from bot.github.client.write_pacer import documented_budget
from bot.github.hub import Hub
from bot.secret import Secret

DEFAULT_API = "https://api.github.com"


class AppSettings(Protocol):
    """The settings by which the App is reached: where GitHub is, and what the App shows there."""

    @property
    def github_api_url(self) -> str: ...
    @property
    def github_server(self) -> GitHubServer: ...
    @property
    def app_id(self) -> int: ...
    @property
    def private_key(self) -> Secret: ...


def connect(  # noqa: PLR0913 - keywords only, and most calls name three
    *, app_id: int, private_key: str, server: GitHubServer, api_url: str = DEFAULT_API, patience: float = 0.0, pause: float = 0.5,
    now: Clock = clock.now, on_recovery: OnRecovery | None = None, api_version: str = API_VERSION,
    timeout: int = TIMEOUT_SECONDS,
) -> Hub:  # fmt: skip
    """The hub for an App. Nothing is asked of GitHub yet, but a text that is no RSA private key is `Refused`.

    `patience` is the longest wait inside one call for GitHub to be asked again, 0 for a caller with a queue; `pause` the
    unit of waiting between repeats, both in seconds. `now` is the clock by which it forgets what it remembers of GitHub.
    `timeout` is how many seconds GitHub may take for each step of an exchange. `on_recovery` is told whose calls are
    sent again, by the thread whose call brought it about; it raises nothing.
    """
    pool = RequesterPool(api_url.rstrip("/"), patience=patience, pause=pause, api_version=api_version, timeout=timeout)
    control = AdmissionControl(documented_budget(api_url), on_recovery=on_recovery)
    return Hub(TransportPool(pool, app_id, private_key, control, server), now)


def connect_by(
    settings: AppSettings,
    *,
    patience: float = 0.0,
    on_recovery: OnRecovery | None = None,
    timeout: int = TIMEOUT_SECONDS,
) -> Hub:
    """The same as the settings say."""
    return connect(
        api_url=settings.github_api_url,
        server=settings.github_server,
        app_id=settings.app_id,
        private_key=settings.private_key.reveal(),
        patience=patience,
        on_recovery=on_recovery,
        timeout=timeout,
    )


@contextmanager
def connect_anonymously(api_url: str = DEFAULT_API) -> Iterator[Transport]:
    """A transport without credentials, for pages of setup, which have no App yet; its connections are closed at the end."""
    # Repeated at once or not at all: a person waits for the page, and can send it again.
    with _connected(api_url, None, pause=0.0) as transport:
        yield transport


@contextmanager
def connect_person(api_url: str, token: str) -> Iterator[Transport]:
    """A transport on behalf of the person whose token that is; its connections are closed at the end."""
    with _connected(api_url, PersonAuth(token)) as transport:
        yield transport


@contextmanager
def _connected(api_url: str, auth: Credentials | None, *, pause: float = 0.5) -> Iterator[Transport]:
    pool = RequesterPool(api_url.rstrip("/"), patience=0.0, pause=pause)
    try:
        yield Transport(pool, auth)
    finally:
        pool.close()
