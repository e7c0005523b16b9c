"""A way to a server, for tests in which that server cannot be reached for a while."""

import socket
import threading
from contextlib import suppress

from tests.conftest import free_port


class Relay:
    """A way to a server that can be frozen: connections stay, and nothing comes any more.

    A connection that comes when `opens` gives False is closed.
    """

    def __init__(self, to, *, port=None, opens=lambda: True):
        self.port, self._to, self._frozen, self._lines = port or free_port(), to, threading.Event(), []
        self._opens = opens
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def freeze(self):
        """From now on nothing passes; connections are taken in all the same."""
        self._frozen.set()

    def close(self):
        """Both sides hear the end."""
        for line in (self._listener, *self._lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()

    def _accept(self):
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                if not self._opens():
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._to))
                self._lines += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=pair, daemon=True).start()

    def _pass(self, source, to):
        with suppress(OSError):
            while piece := source.recv(65536):
                if not self._frozen.is_set():
                    to.sendall(piece)
            if not self._frozen.is_set():
                to.shutdown(socket.SHUT_WR)
