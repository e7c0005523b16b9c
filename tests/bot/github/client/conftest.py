"""A server that stands for GitHub at the other end of a connection."""

import json

import pytest

from tests.http_server import LoopbackServer, QuietHandler


class _Comments(QuietHandler):
    """Gives every comment the number that its text says, and takes any token but those that were revoked."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self):
        said = json.loads(self.body())
        if self.path.endswith("/access_tokens"):
            self.server.minted.append(f"ghs_{len(self.server.minted)}")
            self._answer(201, {"token": self.server.minted[-1], "expires_at": "2099-01-01T00:00:00Z"})
        elif self.headers["Authorization"].removeprefix("Bearer ") in self.server.revoked:
            self.server.together.wait()
            self._answer(401, {"message": "Bad credentials"})
        else:
            self.server.heard.append((self.path, said["body"]))
            self._answer(201, {"id": int(said["body"])})

    def do_GET(self):
        self.server.asked.append((self.path, dict(self.headers), self.client_address[1]))
        self._answer(200, {"ok": 1})

    def _answer(self, status, answer):
        data = json.dumps(answer).encode()
        self.send_response_only(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Set-Cookie", "whose=the first caller's; Path=/")
        self.end_headers()
        self.wfile.write(data)


class _Server(LoopbackServer):
    request_queue_size = 64

    def __init__(self):
        super().__init__(_Comments)
        self.heard, self.asked, self.minted, self.revoked = [], [], [], set()
        self.connections, self.ended = 0, []

    def verify_request(self, request, client_address):
        """Count the connection."""
        self.connections += 1
        return True

    def shutdown_request(self, request):
        """Count its end."""
        self.ended.append(request)
        super().shutdown_request(request)


@pytest.fixture(name="server")
def _server():
    with _Server().running() as made:
        yield made
