"""GitHub for real: a transport for each way of being authenticated, and all of Hub over PyGithub's requester."""

import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Literal

import structlog

from agreements.github_server import GitHubServer
from bot import clock
from bot.clock import Clock
from bot.github.app_registration import GitHubAppRegistration
from bot.github.availability import CircuitOpen, GitHubState
from bot.github.checks import GitHubChecks
from bot.github.client.admission_control import AdmissionControl, Caller, OnRecovery
from bot.github.client.credentials import AppAuth, Credentials, GitHubClock, InstallationAuth, PersonAuth
from bot.github.client.pygithub_wire import PyGithubTransport
from bot.github.client.request_pacer import documented_budget
from bot.github.client.requester_pool import API_VERSION, TIMEOUT_SECONDS, RequesterPool
from bot.github.client.transport import Transport
from bot.github.comments import GitHubComments
from bot.github.contents.blobs import GitHubBlobs
from bot.github.contents.content import GitHubContent
from bot.github.contents.sbom import GitHubSboms
from bot.github.contents.trees import GitHubTrees
from bot.github.deliveries import GitHubDeliveries
from bot.github.merge_queue import GitHubMergeQueues
from bot.github.open_pulls import GitHubOpenPulls
from bot.github.ports import AppIdentity, HubError, Missing, Refused
from bot.github.proposals import GitHubProposals
from bot.github.pulls import GitHubPulls
from bot.github.pushes import GitHubPushes
from bot.github.reading import understanding
from bot.github.repositories import GitHubRepositories
from bot.github.required_checks import GitHubRequiredChecks

DEFAULT_API = "https://api.github.com"

log = structlog.get_logger()


class GitHubHub(
    GitHubPulls, GitHubPushes, GitHubOpenPulls, GitHubDeliveries, GitHubChecks, GitHubComments, GitHubRepositories,
    GitHubContent, GitHubTrees, GitHubBlobs, GitHubSboms, GitHubProposals, GitHubMergeQueues, GitHubAppRegistration,
    GitHubRequiredChecks,
):  # fmt: skip
    """Fulfils Hub; many threads may use one."""

    def __init__(self, pool: "PyGithubTransportPool", now: Clock) -> None:
        super().__init__(pool, now)
        self._transports, self._control = pool, pool.control

    def identity(self, *, again: bool = False) -> AppIdentity:
        return self._pool.identity(again=again)

    def state(self, installation: int | None = None) -> GitHubState:
        return self._control.state("app" if installation is None else installation)

    def states(self) -> tuple[GitHubState, ...]:
        return self._control.states()

    def probe(self) -> int:
        return self._transports.probe(self._control.due())

    def share_writes(self, among: int) -> None:
        self._control.share_writes(among)

    def close(self) -> None:
        self._pool.close()


class PyGithubTransportPool:
    """Fulfils TransportPool: a transport for each way of being authenticated, all over the same pool of requesters."""

    def __init__(
        self,
        requesters: RequesterPool,
        app_id: int,
        private_key: str,
        control: AdmissionControl,
        server: GitHubServer,
    ) -> None:
        """A text that is no RSA private key is `Refused`."""
        self.app_id = app_id
        self.server = server
        self.control = control
        self._requesters = requesters
        self._clock = GitHubClock()
        self._app = PyGithubTransport(
            requesters, AppAuth(app_id, private_key, self._clock), control=control, caller="app",
            unfit=f"the private key does not match App {app_id}",
        )  # fmt: skip
        self._identity: AppIdentity | None = None
        self._lines: dict[int, PyGithubTransport] = {}
        self._lock = threading.Lock()

    def app(self) -> Transport:
        return self._app

    def nobody(self) -> Transport:
        return PyGithubTransport(self._requesters, control=self.control)

    def installation(self, number: int) -> Transport:
        """As one installation; the first call mints its token."""
        with self._lock:
            if number not in self._lines:
                auth = InstallationAuth(self._app, number, self._clock)
                self._lines[number] = PyGithubTransport(self._requesters, auth, control=self.control, caller=number)
            return self._lines[number]

    def identity(self, *, again: bool = False) -> AppIdentity:
        """Who we are, asked once, or `again`. `AppRefused` when GitHub does not accept the key, `Refused` when it is another App's."""
        if self._identity is None or again:
            try:
                data = self.app().read("/app")
            except Missing:
                raise Refused(
                    f"App {self.app_id} does not exist at GitHub: check COUNTERSIGN_APP_ID and COUNTERSIGN_GITHUB_API_URL"
                ) from None
            with understanding():
                found = AppIdentity(int(data["id"]), str(data["slug"]))
            if found.id != self.app_id:
                raise Refused(f"the private key belongs to App {found.id}, not to App {self.app_id}")
            self._identity = found
        return self._identity

    def probe(self, due: Collection[Caller | Literal["host"]]) -> int:
        """One call for each of these; what it shows is known to the breakers. None of the two costs any of a limit."""
        for whose in due:
            if isinstance(whose, int):
                _answers(self.installation(whose), "/rate_limit")
            elif whose == "nobody":
                _answers(self.nobody(), "/rate_limit")
            elif not _answers(self._app, "/app") and whose == "host":
                # The App waits for something else; anybody's answer tells of the host.
                _answers(self.nobody(), "/rate_limit")
        return len(due)

    def close(self) -> None:
        self._requesters.close()


def _answers(transport: Transport, path: str) -> bool:
    """False when the call was not sent at all. What came of it is known to the breakers by then."""
    try:
        transport.read(path)
    except CircuitOpen:
        return False
    except HubError as error:
        log.debug("github.probe", why=str(error))
    return True


def connect(  # noqa: PLR0913 - keywords only, and most calls name three
    *, app_id: int, private_key: str, server: GitHubServer, api_url: str = DEFAULT_API, patience: float = 0.0, pause: float = 0.5,
    now: Clock = clock.now, on_recovery: OnRecovery | None = None, api_version: str = API_VERSION,
    timeout: int = TIMEOUT_SECONDS,
) -> GitHubHub:  # fmt: skip
    """The hub for an App. Nothing is asked of GitHub yet, but a text that is no RSA private key is `Refused`.

    `patience` is the longest wait inside one call for GitHub to be asked again, 0 for whoever has a queue; `pause` the
    unit of waiting between repeats, both in seconds. `now` is the clock by which it forgets what it remembers of GitHub.
    `timeout` is how many seconds GitHub may take for each step of an exchange. `on_recovery` is told whose calls are
    sent again, by the thread whose call brought it about; it raises nothing.
    """
    pool = RequesterPool(api_url.rstrip("/"), patience=patience, pause=pause, api_version=api_version, timeout=timeout)
    control = AdmissionControl(documented_budget(api_url), on_recovery=on_recovery)
    return GitHubHub(PyGithubTransportPool(pool, app_id, private_key, control, server), now)


@contextmanager
def connect_nobody(api_url: str = DEFAULT_API) -> Iterator[Transport]:
    """A transport without credentials, for who has no App yet; its connections are closed at the end."""
    with _connected(api_url, None) as transport:
        yield transport


@contextmanager
def connect_person(api_url: str, token: str) -> Iterator[Transport]:
    """A transport on behalf of the person whose token that is; its connections are closed at the end."""
    with _connected(api_url, PersonAuth(token)) as transport:
        yield transport


@contextmanager
def _connected(api_url: str, auth: Credentials | None) -> Iterator[Transport]:
    pool = RequesterPool(api_url.rstrip("/"), patience=0.0, pause=0.5)
    try:
        yield PyGithubTransport(pool, auth)
    finally:
        pool.close()
