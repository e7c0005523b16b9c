"""An application behind our own web server, in a thread of the test's process."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bot.server import listening
from bot.server.asgi import AsgiApplication
from bot.server.http_server import HttpServer
from bot.server.wsgi_bridge import WsgiBridge
from tests.conftest import free_port


@contextmanager
def serving(application: AsgiApplication) -> Iterator[tuple[int, Callable[[], object]]]:
    """A server that ends silent connections after a second; gives its port and what stops it."""
    port = free_port()
    listener, loop = listening.listener("127.0.0.1", port), asyncio.new_event_loop()
    made: list[HttpServer] = []

    async def serve() -> None:
        made.append(HttpServer(application, listener, connections=100, idle_seconds=1))
        await made[0].serve()
        await application.drained()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    while not made:
        time.sleep(0.01)
    try:
        yield port, lambda: loop.call_soon_threadsafe(made[0].stop)
    finally:
        if thread.is_alive():
            loop.call_soon_threadsafe(made[0].stop)
        thread.join(10)
        loop.close()
        listener.close()


@contextmanager
def served(app: Any) -> Iterator[str]:
    """A WSGI application; gives its address."""
    pages = WsgiBridge(app)
    with serving(AsgiApplication({}, pages)) as (port, _stop):
        yield f"http://localhost:{port}"
