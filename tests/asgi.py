"""A client at the ASGI interface: sends a request as the server would, and gives the whole answer."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor


def run(coroutine):
    """What it gives, on a loop in a thread of its own: a test's thread may have one, a browser's."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


class Answer:
    """What was answered; `is_cut` when the answer broke off."""

    def __init__(self):
        self.status_code, self.headers, self.data, self.is_cut = None, {}, b"", True

    def get_json(self):
        """The answer as JSON."""
        return json.loads(self.data)


class Client:
    """Calls an ASGI application; each request runs in a loop of its own unless `ask` is awaited."""

    def __init__(self, application):
        self.application = application

    def get(self, path, **more):
        """A GET."""
        return self.open("GET", path, **more)

    def post(self, path, **more):
        """A POST."""
        return self.open("POST", path, **more)

    def open(self, method, path, *, data=b"", headers=None, content_type=None, address="127.0.0.1"):
        """A request whose body comes at once, from that address."""
        given = [(name, value) for name, value in (headers or {}).items()]
        given += [("Content-Type", content_type)] if content_type else []
        given += [("Content-Length", str(len(data)))] if data or method == "POST" else []
        return run(self.ask(method, path, given, [data], address=address))

    async def ask(self, method, path, headers=(), pieces=(b"",), taken=None, gone=None, *, address="127.0.0.1"):
        """A request whose body comes in these pieces; None stands for one that never comes, without any the client has gone.

        `taken` sees what is sent; `gone` is an event after which a client that waits for its answer has gone.

        An exception of the application after its answer began is what the server cuts the connection for.
        """
        answer, rest = Answer(), list(pieces)
        path, _, query = path.partition("?")

        async def receive():
            if not rest and (not pieces or None in pieces):
                return {"type": "http.disconnect"}
            if not rest:  # it waits for its answer
                await (gone or asyncio.Event()).wait()
                return {"type": "http.disconnect"}
            piece = rest.pop(0)
            if piece is None:
                await asyncio.Event().wait()
            await asyncio.sleep(0)
            return {"type": "http.request", "body": piece, "more_body": bool(rest)}

        async def send(message):
            if taken:
                await taken(message)
            if message["type"] == "http.response.start":
                assert answer.status_code is None
                answer.status_code = message["status"]
                answer.headers = {name.decode().title(): value.decode() for name, value in message["headers"]}
            else:
                answer.data += message["body"]
                answer.is_cut = message["more_body"]

        scope = {
            "type": "http", "http_version": "1.1", "method": method, "scheme": "http", "path": path,
            "raw_path": path.encode(), "query_string": query.encode(), "server": ("127.0.0.1", "8080"),
            "client": (address, "50000"),
            "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        }  # fmt: skip
        try:
            await self.application(scope, receive, send)
        except Exception:
            if answer.status_code is None:
                raise
        return answer
