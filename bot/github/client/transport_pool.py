"""A transport for each way of being authenticated, all over PyGithub's requesters."""

import threading

import structlog

from agreements.github_server import GitHubServer
from bot.github.availability import CircuitOpen
from bot.github.client.admission_control import AdmissionControl
from bot.github.client.credentials import AppAuth, GitHubClock, InstallationAuth
from bot.github.client.requester_pool import RequesterPool
from bot.github.client.transport import Transport
from bot.github.ports import AppIdentity, HubError, Missing, Refused
from bot.github.reading import understanding

log = structlog.get_logger()


class TransportPool:
    """A transport for each way of being authenticated, all over the same requesters; many threads may use one."""

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
        self._app = Transport(
            requesters, AppAuth(app_id, private_key, self._clock), control=control, caller="app",
            unfit=f"the private key does not match App {app_id}",
        )  # fmt: skip
        self._identity: AppIdentity | None = None
        self._lines: dict[int, Transport] = {}
        self._lock = threading.Lock()

    def app(self) -> Transport:
        """The transport that calls as the App, by a JWT."""
        return self._app

    def anonymous(self) -> Transport:
        """A transport without any credentials."""
        return Transport(self._requesters, control=self.control)

    def installation(self, number: int) -> Transport:
        """The transport that calls as one installation; its first call mints the token."""
        with self._lock:  # Two transports for one installation would mint two tokens.
            if number not in self._lines:
                auth = InstallationAuth(self._app, number, self._clock)
                self._lines[number] = Transport(self._requesters, auth, control=self.control, caller=number)
            return self._lines[number]

    def identity(self, *, again: bool = False) -> AppIdentity:
        """The App's identity, asked once, or `again`. `AppRefused` when GitHub does not accept the key, `Refused` when it is another App's."""
        if self._identity is None or again:
            try:
                data = self.app().read("/app")
            except Missing:
                raise Refused(
                    f"App {self.app_id} does not exist at GitHub: check COUNTERSIGN_APP_ID and COUNTERSIGN_GITHUB_API_URL"
                ) from None
            with understanding():
                found = AppIdentity(int(data["id"]), str(data["slug"]))
            if found.id != self.app_id:  # A key of another App's is valid, and would act for that App.
                raise Refused(f"the private key belongs to App {found.id}, not to App {self.app_id}")
            self._identity = found
        return self._identity

    def probe(self) -> int:
        """Send one call for each caller whose wait is over; the breakers learn its outcome. Gives their number."""
        due = self.control.due()
        for whose in due:  # /rate_limit does not count towards the primary limit.
            if isinstance(whose, int):
                _answers(self.installation(whose), "/rate_limit")
            elif whose == "nobody":
                _answers(self.anonymous(), "/rate_limit")
            elif not _answers(self._app, "/app") and whose == "host":
                # The App's own wait goes on; a call without credentials shows whether the host answers.
                _answers(self.anonymous(), "/rate_limit")
        return len(due)

    def close(self) -> None:
        """Close all connections."""
        self._requesters.close()


def _answers(transport: Transport, path: str) -> bool:
    try:
        transport.read(path)
    except CircuitOpen:
        return False  # It was not sent at all.
    except HubError as error:
        log.debug("github.probe", why=str(error))
    return True  # The breakers know by now what came of it.
