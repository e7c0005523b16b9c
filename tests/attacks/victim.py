"""A server to be attacked: Countersign with a small GitHub beside it, and what is asked of it meanwhile."""

import json
import socket
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

from bot.demo.github.webhooks import signature
from bot.demo.servers import DemoServers


def free_port():
    """A port that no process has just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serving(**settings):
    """A server that is ready; it ends, and its folder goes, with the block."""
    with tempfile.TemporaryDirectory(prefix="countersign-attack-") as folder:
        stage = DemoServers(Path(folder) / "stage", port=free_port(), github_port=free_port(), settings=settings)
        with stage:
            stage.world.organization("cann", admins=[stage.world.user("boss")])
            stage.serve()
            yield stage


def connect(stage, text=b""):
    """A connection on which that has been sent."""
    line = socket.create_connection(("127.0.0.1", stage.port), timeout=10)
    line.sendall(text)
    return line


def delivery(stage, body=None):
    """A webhook as GitHub signs it, which asks nothing of us."""
    body = body or json.dumps({"zen": "Keep it logically awesome.", "hook_id": 1}).encode()
    return (
        "POST /webhook HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n"
        f"X-GitHub-Event: ping\r\nX-GitHub-Delivery: {time.monotonic_ns()}\r\nContent-Length: {len(body)}\r\n"
        f"X-Hub-Signature-256: {signature(stage.app.webhook_secret, body)}\r\n\r\n"
    ).encode() + body


def get(path):
    """A GET that ends its connection."""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()


def seconds(stage, request, status=b"200", *, patience=10.0):
    """How long the answer takes; infinite when none comes, or another than that."""
    begun, answer = time.monotonic(), b""
    try:
        with closing(socket.create_connection(("127.0.0.1", stage.port), timeout=patience)) as line:
            line.sendall(request)
            while piece := line.recv(65536):
                answer += piece
    except OSError:
        return float("inf")
    return time.monotonic() - begun if answer.startswith(b"HTTP/1.1 " + status) else float("inf")


def bearable(limit, *, short):
    """The seconds that count: beside other tests the machine is not the server's alone, so only what hangs is found."""
    return limit * (20 if short else 1)


def memory(stage, name="VmHWM"):
    """MiB that the server's process has, or (VmHWM) had at most, with those that it started."""
    pid = stage.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    texts = [Path(f"/proc/{child}/status").read_text(encoding="ascii") for child in (pid, *children)]
    return sum(int(text.split(f"{name}:")[1].split()[0]) for text in texts) / 1024
