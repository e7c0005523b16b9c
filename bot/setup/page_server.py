"""Serves the setup pages in this process until the operator finishes or interrupts it, and checks the result at the end."""

import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Final

from werkzeug.serving import WSGIRequestHandler, make_server

from bot.clock import Clock
from bot.doctor import account_checks, deployment, github, webhook, webhook_secret
from bot.doctor.doctor_report import DoctorResult, Report
from bot.github.hub import Hub
from bot.github.ports import HubError
from bot.settings import Settings, load
from bot.setup import settings_file
from bot.setup.registrar import Registrar
from bot.setup.setup_pages import SetupPages, WebhookReceiver

_TIMEOUT_SECONDS: Final = 15.0  # GitHub waits for ten.


def verify(file: Path, receiver: WebhookReceiver, clock: Clock, *, patience: float = _TIMEOUT_SECONDS) -> Report:
    """The result of `doctor` for all that exists before the server runs. Raises SettingsInvalid, OSError."""
    settings = load(settings_file.read(file), serving=True)
    with deployment.connected(settings) as (hub, why):
        at_github = github.judge(hub, why, clock, settings.github_server)
        is_asked = all(result.is_met for result in at_github if result.id in (github.REACHABLE.id, github.APP.id))
        asked = hub if is_asked else None  # It is not asked again for everything else.
        items = [*at_github, *account_checks.judge(settings, asked)]
        if asked is not None:
            items += _webhook(settings, asked, receiver, patience)
    return Report(tuple(items))


def _webhook(settings: Settings, hub: Hub, receiver: WebhookReceiver, patience: float) -> list[DoctorResult]:
    # A webhook that came to us counts; otherwise, what GitHub was answered elsewhere.
    if not receiver.has_arrived and _sent_again(hub):
        receiver.wait(patience)
    address, *others = webhook.delivered(settings, hub)
    if not receiver.has_arrived:
        return [address, *others]
    return [
        address,
        webhook_secret.SECRET.passed("A webhook arrived that was signed with this secret."),
        webhook.ANSWERED.passed("GitHub's webhooks arrive."),
    ]


def _sent_again(hub: Hub) -> bool:
    # The ping of a new App could not be verified before there was its secret.
    try:
        newest = next(iter(hub.newest_deliveries()), None)
        return newest is not None and hub.redeliver(newest.id)
    except HubError:
        return False


class _UnloggedHandler(WSGIRequestHandler):
    """No line for each request: addresses hold the login key and GitHub's code."""

    def log(self, type: str, message: str, *arguments: object) -> None:  # noqa: A002 - werkzeug's word
        """Say nothing."""


def run(
    registrar: Registrar,
    listener: socket.socket,
    clock: Clock,
    say: Callable[[str], None],
    *,
    browser: bool,
    finished: threading.Event | None = None,
) -> Report | None:
    """Serve until the operator finishes: the result of the check, None when interrupted. `say` gets lines."""
    done = finished or threading.Event()
    receiver = WebhookReceiver(registrar.webhook_secret)
    pages = SetupPages(registrar, receiver, lambda: verify(registrar.progress.file, receiver, clock), done.set)
    host, port = listener.getsockname()[:2]
    server = make_server(host, port, pages.app(), threaded=True, request_handler=_UnloggedHandler, fd=listener.fileno())
    # A short interval, so that the command ends at once.
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="setup-pages", daemon=True
    )
    thread.start()
    address = f"{registrar.page_url}/?key={pages.login_key}"
    say(
        f"\nOpen this address in the browser where you are signed in to GitHub:\n\n    {address}\n\n"
        "It works once. Keep this command running until the last page says that you can close it.\n"
    )
    if browser:
        webbrowser.open(address)
    try:
        done.wait()
    except KeyboardInterrupt:
        say("\nSetup was interrupted. Run the same command again to resume.")
        return None
    finally:
        server.shutdown()
        thread.join(timeout=5)
        server.server_close()
        listener.close()
    return pages.report
