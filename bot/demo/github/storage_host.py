"""The other host, where GitHub lays things down for a short while: whoever has the address gets them, once, and no token belongs here."""

from collections.abc import Callable, Iterable
from typing import Any

from bot.demo.github.simulated_state import SimulatedState


def application(world: SimulatedState) -> Callable[..., Iterable[bytes]]:
    """A WSGI application for the world's stored_files; a token that comes along is remembered as a mistake."""

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if "HTTP_AUTHORIZATION" in environ or "HTTP_COOKIE" in environ:
            world.refused.append(f"{environ['REQUEST_METHOD']} at another host with credentials")
            start("400 Bad Request", [("Content-Length", "0")])
            return [b""]
        with world.lock:
            data = world.stored_files.pop(environ["PATH_INFO"].strip("/"), None)
        if data is None:
            start("404 Not Found", [("Content-Length", "0")])
            return [b""]
        start("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(data)))])
        return [data]

    return answer
