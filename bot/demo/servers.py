"""The servers of the demo: the small GitHub in this process and the real `countersign serve` in another, both on loopback."""

import os
import secrets
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from agreements.vault import KeyRing, Vault
from bot import app_yaml, db
from bot.demo.dns_server import DnsServers
from bot.demo.github.authentication import key_pair
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer
from bot.demo.github.state import StoredApp, StoredMail
from bot.mail.smtp import EmailInvalid, read
from bot.settings import Settings, for_child, load
from bot.store import outbox

_EMAILS_SHOWN = 50


class SentMail:
    """Reads the outbox when it is called; close it when done."""

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._engine: Engine | None = None

    def __call__(self) -> list[StoredMail]:
        """The newest e-mails, newest first; none while the server has not made its database."""
        settings = self._settings()
        file = settings.database_file
        if file is not None and not file.exists():  # To connect would make an empty database.
            return []
        self._engine = self._engine or db.open_engine(settings.database_url)
        try:
            with db.sessions(self._engine)() as session:
                mails = list(outbox.EMAILS.listed(session))[-_EMAILS_SHOWN:]
        except SQLAlchemyError:  # It is being made just now
            return []
        vault = Vault(KeyRing.parse(settings.keys.reveal()))
        return [stored_mail for mail in reversed(mails) if (stored_mail := _received(vault, mail)) is not None]

    def close(self) -> None:
        """Let go of the database."""
        if self._engine is not None:
            self._engine.dispose()


def _received(vault: Vault, mail: outbox.Mail) -> StoredMail | None:
    email = outbox.opened(vault, mail)
    if email is None:
        return None
    try:
        page = read(email)
    except EmailInvalid as error:
        return StoredMail(at=mail.made_at, to=email.to, subject=f"An e-mail that cannot be written: {error}", body="")
    return StoredMail(at=mail.made_at, to=email.to, subject=page.subject, body=page.body)


READY_WITHIN = 60.0  # Seconds for a start.


# For a shell that reads from us: the end of what it reads is ours, however we came to it, also by kill -9.
LAST_WILL = 'read -r _ || kill -s TERM -- "$1" 2>/dev/null'


class ServerNotReady(Exception):
    """The server ended or did not become ready; the message holds the end of its log."""


class DemoServers:
    """Both servers, wired to each other; `with DemoServers(folder) as stage:` starts the GitHub, `serve()` Countersign."""

    def __init__(
        self,
        folder: Path,
        *,
        port: int,
        github_port: int,
        latency: float = 0.0,
        settings: Mapping[str, str] | None = None,
        wrap: Callable[[Any], Any] | None = None,
    ) -> None:
        """Each API call takes `latency` seconds longer; `settings` replace our own, `wrap` adds a WSGI layer."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder = folder.resolve()
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.github_url = f"http://127.0.0.1:{github_port}"
        self.world = SimulatedGitHub(folder / "github")
        self.world.reaches_private = True  # Everything is on this machine
        self.server = SimulatedGitHubServer(self.world, github_port, latency=latency, wrap=wrap)
        self.process: subprocess.Popen[bytes] | None = None
        self._extra = dict(settings or {})
        self._log: IO[bytes] | None = None
        self._heir: subprocess.Popen[bytes] | None = None
        self._private, public = key_pair()
        self.app = self._register(public)
        self._sent_mail = self.world.mailbox = SentMail(lambda: self.settings)
        self.world.zone = {}
        self._dns = DnsServers(self.world.zone)

    @property
    def environment(self) -> dict[str, str]:
        """The settings that `countersign serve` runs with here."""
        return {
            "COUNTERSIGN_URL": self.url,
            "COUNTERSIGN_DATABASE_URL": f"sqlite:///{self.folder / 'countersign.db'}",
            "COUNTERSIGN_GITHUB_URL": self.github_url,
            "COUNTERSIGN_GITHUB_API_URL": f"{self.github_url}/api/v3",
            "COUNTERSIGN_APP_ID": str(self.app.id),
            "COUNTERSIGN_PRIVATE_KEY": self._private,
            "COUNTERSIGN_WEBHOOK_SECRET": self.app.webhook_secret,
            "COUNTERSIGN_CLIENT_ID": self.app.client_id,
            "COUNTERSIGN_CLIENT_SECRET": self.app.client_secret,
            "COUNTERSIGN_KEYS_FILE": str(self.folder / "keys"),
            "COUNTERSIGN_ACCOUNTS": "cann",
            "COUNTERSIGN_ADMIN_TEAM": "cann/cla-admins",
            "COUNTERSIGN_AUDITOR_TEAM": "cann/cla-auditors",
            "COUNTERSIGN_DNS_SERVERS": self._dns.addresses,
            "COUNTERSIGN_REGISTRIES": "none",  # Nothing leaves the machine
            **self._extra,
        }

    @property
    def settings(self) -> Settings:
        """The settings of `environment`, read."""
        return load(self.environment, serving=True)

    def __enter__(self) -> Self:
        """Start the small GitHub, and the small DNS with it."""
        self.server.start()
        self._dns.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop both, by their own process ids."""
        self.stop()
        self.server.stop()
        self._dns.close()
        self._sent_mail.close()
        self.world.close()

    def serve(self, *, until: threading.Event | None = None) -> None:
        """Start Countersign and wait until it is ready, or no longer once `until` is set. Raises `ServerNotReady`."""
        self._log = (self.folder / "serve.log").open("ab")
        self.process = subprocess.Popen(  # noqa: S603 - our own command, arguments never through a shell
            [sys.executable, "-m", "bot", "serve", "--port", str(self.port)],
            env=for_child(self.environment),
            # Python looks for modules where it is started: the `bot` folder of another project must not get in.
            cwd=self.folder,
            stdout=self._log,
            stderr=self._log,
            # Ctrl-C in a terminal goes to the whole group; Countersign is told by us, once.
            start_new_session=True,
        )
        self._heir = subprocess.Popen(  # noqa: S603 - our own command, its one argument is a number
            ["/bin/sh", "-c", LAST_WILL, "sh", str(self.process.pid)], stdin=subprocess.PIPE, start_new_session=True
        )
        deadline = time.monotonic() + READY_WITHIN
        while not self._is_ready() and not (until is not None and until.is_set()):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise ServerNotReady(self.log_end())
            time.sleep(0.05)

    def stop(self) -> None:
        """Let Countersign end; after 25 seconds it is killed with everything that it started."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=25)
            except subprocess.TimeoutExpired:
                self.kill()
        self._ended()

    def kill(self) -> None:
        """Send kill -9 to Countersign and everything that it started."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)  # A session leader's group has its own number
        self.process.wait()
        self._ended()

    def _ended(self) -> None:
        self.process = None
        if self._heir is not None:
            self._heir.kill()  # Before its input ends: the number of the process may be another's by now
            self._heir.communicate()
            self._heir = None
        if self._log is not None:
            self._log.close()
            self._log = None

    def log_end(self) -> str:
        """The last lines that Countersign logged."""
        return "\n".join((self.folder / "serve.log").read_text(encoding="utf-8", errors="replace").splitlines()[-15:])

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=2) as answer:  # noqa: S310 - our own http address
                return bool(answer.status == 200)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def _register(self, public: str) -> StoredApp:
        slip = app_yaml.read(self.url)
        (self.folder / "keys").write_text(KeyRing.generate("stage") + "\n", encoding="utf-8")
        (self.folder / "keys").chmod(0o600)
        return self.world.app(
            "countersign",
            self.world.organization("countersign-makers", name="the Countersign project"),
            public,
            name=slip["name"],
            webhook_secret=secrets.token_hex(20),
            hook_url=slip["hook_attributes"]["url"],
            callbacks=slip["callback_urls"],
            permissions=slip["default_permissions"],
            events=slip["default_events"],
        )
