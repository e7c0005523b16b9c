"""A receiver as an operator would write it: a process of its own that believes nothing without its signature."""

import hashlib
import hmac
import json
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.request import urlopen

SECRET = "a-secret-of-the-receiver"


class Receiver:
    """Starts and ends the process on one port, and reads what it believed."""

    def __init__(self, folder, port):
        self.file, self.port = folder / "received", port
        self.file.touch()
        self.url = f"http://127.0.0.1:{port}/hook"
        self.process = None

    def start(self, *, answer=204):
        """There from now on; answers what it believes so."""
        arguments = [sys.executable, __file__, str(self.port), str(self.file), str(answer)]
        self.process = subprocess.Popen(arguments)
        for _ in range(200):
            try:
                with urlopen(f"http://127.0.0.1:{self.port}/", timeout=1):
                    return self
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the receiver does not start")

    def stop(self):
        """Away."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    @property
    def received(self):
        """Event, delivery id and body of each that was believed, in order; `None` for one that was not."""
        return [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]


class _Handler(BaseHTTPRequestHandler):
    """Verifies, notes, answers."""

    file, answer = "", 204

    def do_GET(self):
        """I am there."""
        self._say(200)

    def do_POST(self):
        """One webhook."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        wanted = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        is_ours = hmac.compare_digest(wanted, self.headers.get("X-Countersign-Signature-256", ""))
        found = {
            "event": self.headers.get("X-Countersign-Event"),
            "delivery": self.headers.get("X-Countersign-Delivery"),
            "body": json.loads(body),
        }
        with open(self.file, "a", encoding="utf-8") as file:  # noqa: PTH123 - a script of its own
            file.write(json.dumps(found if is_ours else None) + "\n")
        self._say(self.answer if is_ours else 401)

    def _say(self, status):
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_arguments):
        """Quiet."""


if __name__ == "__main__":
    _Handler.file, _Handler.answer = sys.argv[2], int(sys.argv[3])
    HTTPServer(("127.0.0.1", int(sys.argv[1])), _Handler).serve_forever()
