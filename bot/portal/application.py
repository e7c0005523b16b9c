"""The portal as a WSGI application that is made for its first request, or ahead of it: who serves is ready before."""

from collections.abc import Callable, Iterable
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from bot.portal.portal_services import PortalServices
from bot.server import processes

if TYPE_CHECKING:
    from flask import Flask


class PortalApplication:
    """Answers by one Flask app; threads that ask before it is there wait for the one that makes it."""

    def __init__(self, services: PortalServices) -> None:
        self._services = services
        self._making = Lock()

    def __call__(self, environ: dict[str, Any], start: Callable[..., Callable[[bytes], None]]) -> Iterable[bytes]:
        """Answer one request (PEP 3333)."""
        return self.flask(environ, start)

    def load(self) -> None:
        """Make the app, and load its libraries, so that the first visitor does not wait for them."""
        self.flask  # noqa: B018 - to be made is all

    @property
    def flask(self) -> "Flask":
        """The app, made now if this is the first request."""
        with self._making:  # Two threads would make two apps.
            return self._flask

    @cached_property
    def _flask(self) -> "Flask":
        with processes.loading():  # What stays is loaded here.
            from flask import Flask  # noqa: PLC0415 - a third of all that a server would load at its start

            from bot.portal import site  # noqa: PLC0415 - as above

            app = Flask("bot", static_folder=None, template_folder=None)  # Templates and files come with a blueprint.
            site.prepare(app, self._services)
            return app
