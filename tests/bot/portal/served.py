"""An app behind a socket, as its own process would be."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from werkzeug.serving import make_server


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Gives its address."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://localhost:{server.port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
