"""Granian in this very process: HTTP/1.1 on a socket that listens already, which ends connections without a request."""

import socket
from typing import Any, Final

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.net import SocketHolder  # type: ignore[attr-defined]  # it is, where Granian says how one is copied
from granian.server.embed import Server

from bot.server.listening import LISTEN_BACKLOG

IDLE_SECONDS: Final = 30
"""A connection without the whole head of a request for so long is ended: a proxy keeps idle ones for less."""
HEAD_BYTES: Final = 16 * 1024
"""Granian stops reading a head at about twice that, and holds as much of a body that is not read yet."""


class HttpServer(Server):
    """Serves one ASGI application until it is told to stop."""

    def __init__(
        self, application: Any, listener: socket.socket, *, connections: int, idle_seconds: int = IDLE_SECONDS
    ) -> None:
        """`connections`: how many there may be at once."""
        self._listener = listener
        super().__init__(
            application,
            interface=Interfaces.ASGINL,
            # With HTTP/2 to be told apart first, a connection that says nothing would never end.
            http=HTTPModes.http1,
            http1_settings=HTTP1Settings(header_read_timeout=idle_seconds * 1000, max_buffer_size=HEAD_BYTES),
            websockets=False,
            backpressure=connections,
            log_enabled=False,
        )

    def _init_shared_socket(self) -> None:
        # Granian's own socket lets several servers listen by mistake, and cuts off no idle client.
        self._listener.settimeout(0)
        self._ssp = None
        # From here on the socket is Granian's: it is closed with the server.
        self._shd = SocketHolder(fd=self._listener.detach(), uds=False, backlog=LISTEN_BACKLOG)  # type: ignore[assignment,call-arg]  # its types lag
