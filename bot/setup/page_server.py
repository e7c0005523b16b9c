"""Serves the setup pages in this process until the operator finishes or interrupts it, after which it can be resumed."""

import socket
import threading
import webbrowser
from collections.abc import Callable

from werkzeug.serving import WSGIRequestHandler, make_server

from bot.clock import Clock
from bot.doctor.report import Report
from bot.setup import verification
from bot.setup.pages import SetupPages
from bot.setup.registrar import Registrar
from bot.setup.webhook_receiver import WebhookReceiver


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
    """Serve until the operator finishes: the result of the check, None when interrupted. `say` gets lines for people."""
    done = finished or threading.Event()
    receiver = WebhookReceiver(registrar.webhook_secret)
    pages = SetupPages(
        registrar, receiver, lambda: verification.verify(registrar.progress.file, receiver, clock), done.set
    )
    host, port = listener.getsockname()[:2]
    server = make_server(host, port, pages.app(), threaded=True, request_handler=_UnloggedHandler, fd=listener.fileno())
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
