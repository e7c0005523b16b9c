"""HTTP servers on loopback that stand for others: without a word, in a thread, and gone when their block ends."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class QuietHandler(BaseHTTPRequestHandler):
    """Reads a request's body, and answers with a whole one."""

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(self, status, body=b"", headers=()):
        """Send all of it."""
        self.send_response(status)
        for name, value in {**dict(headers), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nothing."""


class LoopbackServer(ThreadingHTTPServer):
    """Listens on a free port of loopback as soon as it is made, and lets those go who do not wait for an answer."""

    daemon_threads = True

    def __init__(self, handler, port=0):
        super().__init__(("127.0.0.1", port), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"

    @contextmanager
    def running(self):
        """Answers until the block ends."""
        thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield self
        finally:
            self.shutdown()
            thread.join()
            self.server_close()
