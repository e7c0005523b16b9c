"""The cheapest GitHub: a process that answers each call with what fits, and remembers only when each head got its check run."""

import itertools
import json
import pickle
import re
import socketserver
import sys
import time
from typing import Any

_FAR = "2999-01-01T00:00:00Z"


class Stub(socketserver.ThreadingTCPServer):
    """`look` is what GraphQL answers, but for the number of the pull request and its head; a call takes `latency` seconds."""

    allow_reuse_address, daemon_threads = True, True
    request_queue_size = 128

    def __init__(self, port: int, look: dict[str, Any], latency: float) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.latency = latency
        pull = look["repository"]["pullRequest"]
        self._number, self._head = pull["number"], pull["headRefOid"]
        self._owner = look["repository"]["owner"]["databaseId"]
        self._look, self._ids = json.dumps({"data": look}), itertools.count(1)
        self._calls, self._shown = 0, dict[str, float]()

    def answer(self, verb: str, path: str, body: bytes) -> bytes:
        """To any call; `/seen` tells how many there were before, and when each head first got a conclusion."""
        if path == "/seen":
            return json.dumps({"calls": self._calls, "shown": self._shown}).encode()
        self._calls += 1  # A call more or less does not matter
        if path.endswith("/check-runs") and b'"conclusion"' in body:
            self._shown.setdefault(json.loads(body)["head_sha"], time.perf_counter())
        if path.endswith("/graphql"):
            number = json.loads(body)["variables"]["number"]
            text = self._look.replace(self._head, f"{number:040x}")
            return text.replace(f'"number": {self._number},', f'"number": {number},').encode()
        if path.endswith("/access_tokens"):
            return json.dumps({"token": "ghs_stub", "expires_at": _FAR}).encode()
        if "/users/" in path:
            return json.dumps({"id": self._owner, "login": "cann", "type": "Organization"}).encode()
        if verb == "GET" and "/app/" in path:
            return b"[]"
        return b'{"id": %d}' % next(self._ids)


class _Handler(socketserver.StreamRequestHandler):
    server: Stub
    disable_nagle_algorithm = True  # Else a small answer may wait for 40 ms.

    def handle(self) -> None:
        while line := self.rfile.readline():
            verb, path, _ = line.decode().split()
            length = 0
            while (header := self.rfile.readline()) not in (b"\r\n", b""):
                if found := re.fullmatch(rb"(?i)content-length: *(\d+)\r\n", header):
                    length = int(found[1])
            time.sleep(self.server.latency)
            answer = self.server.answer(verb, path, self.rfile.read(length))
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            self.wfile.write(head % len(answer) + answer)


if __name__ == "__main__":
    Stub(*pickle.load(sys.stdin.buffer)).serve_forever()
