"""Our own processes, as an operator runs them: started, killed, stopped, frozen, with a clock of their own; and nginx before two of them."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from bot.demo.servers import LAST_WILL
from bot.settings import for_child
from tests.conftest import free_port

READY_WITHIN = 60.0
"""Seconds that a process may take from its start to be ready; several start at once on few cores."""

FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")

NGINX = """\
daemon off; master_process off; pid {folder}/nginx.pid; error_log stderr warn; events {{}}
http {{
  access_log off; {spools}
  upstream countersign {{
    {servers}
    keepalive 16; keepalive_timeout 20s;
  }}
  server {{
    listen 127.0.0.1:{port}; client_max_body_size 25m;
    proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host;
    proxy_connect_timeout 5s; proxy_read_timeout 60s;
    # The other one is asked where a connection was refused, never where a request had been sent.
    proxy_next_upstream error timeout;
    location / {{ proxy_pass http://countersign; }}
  }}
}}
"""


class Lacking(Exception):
    """This machine has not what a phase needs; the message says what, and how to get it."""


def clock(words):
    """The environment of a process whose wall clock is another one, in libfaketime's words such as `+3600s` or `+0s x20`.

    What counts seconds from an arbitrary start is left alone, as in a machine whose clock is set wrong.
    """
    if not FAKETIME.exists():
        raise Lacking("a clock that is off needs libfaketime: apt-get install libfaketime")
    # libfaketime 0.9.10 cannot sleep with that choice (clock_nanosleep: EINVAL): Python waits in another way.
    beside = f"{Path(__file__).parent / 'skewed'}:{Path(__file__).parents[2]}"
    return {"LD_PRELOAD": str(FAKETIME), "FAKETIME": words, "DONT_FAKE_MONOTONIC": "1", "PYTHONPATH": beside}


def held_port(stack):
    """A free loopback port that stays ours until the end, also while no server listens: others try to bind a port."""
    holder = stack.enter_context(socket.socket())
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server that listens there does, too
    while True:
        port = free_port()
        try:
            holder.bind(("127.0.0.1", port))
        except OSError:  # another process was faster
            continue
        return port


class Process:
    """A process of ours that ends with us, however we end."""

    def __init__(self, name, command, *, folder, environment):
        self.name, self.command, self.folder, self.environment = name, command, folder, environment
        self.extra, self.process, self.is_frozen = {}, None, False
        self._heir = None

    def start(self):
        """Begin, also after it ended by itself; it is not waited for."""
        self._end_heir()
        with (self.folder / f"{self.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command, env=for_child({**self.environment, **self.extra}), cwd=self.folder, stdout=log,
                stderr=log, start_new_session=True,
            )  # fmt: skip
        words = ["/bin/sh", "-c", LAST_WILL, "sh", str(self.process.pid)]
        self._heir = subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)

    @property
    def is_running(self):
        """Whether it is there, also while it is frozen."""
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """SIGKILL, to it and to all that it started; nothing of it is left, also where it had ended by itself."""
        if self.is_running:
            os.killpg(self.process.pid, signal.SIGKILL)  # a session leader's group has its own number
        if self.process is not None:
            self._ended()

    def stop(self):
        """SIGTERM, and the exit code; killed when it takes longer than it may."""
        self.thaw()
        self.process.terminate()
        try:
            self.process.wait(timeout=40)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
        return self._ended()

    def freeze(self):
        """SIGSTOP."""
        self.process.send_signal(signal.SIGSTOP)
        self.is_frozen = True

    def thaw(self):
        """SIGCONT."""
        if self.is_frozen:
            self.process.send_signal(signal.SIGCONT)
            self.is_frozen = False

    def log_end(self, lines=15):
        """What it said last."""
        text = (self.folder / f"{self.name}.log").read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def _ended(self):
        code = self.process.wait()
        for left in ("faketime_shm_", "sem.faketime_sem_"):  # libfaketime's, which a killed process leaves behind
            Path(f"/dev/shm/{left}{self.process.pid}").unlink(missing_ok=True)
        self._end_heir()
        self.process, self.is_frozen = None, False
        return code

    def _end_heir(self):
        if self._heir is not None:
            self._heir.kill()  # before its input ends: the number of the process may be another's by now
            self._heir.communicate()
            self._heir = None


class Server(Process):
    """`countersign serve` in one of its roles."""

    def __init__(self, name, role, port, *, folder, environment):
        command = [sys.executable, "-m", "bot", "serve", "--role", role]
        command += [] if role == "worker" else ["--port", str(port)]
        super().__init__(name, command, folder=folder, environment=environment)
        self.role, self.port = role, port

    def start(self):
        """Begin; `wait` says when it is ready."""
        log = self.folder / f"{self.name}.log"
        self._said = log.stat().st_size if log.exists() else 0
        super().start()

    def is_ready(self):
        """Whether it answers, as load balancers ask; of a worker, whether it has said that it takes jobs."""
        if self.role == "worker":
            with (self.folder / f"{self.name}.log").open("rb") as log:
                log.seek(self._said)
                return b"takes jobs" in log.read()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/livez", timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def wait(self, within=READY_WITHIN):
        """Until it is ready. Raises TimeoutError, or RuntimeError when it ended, with the end of its log."""
        deadline = time.monotonic() + within
        while not self.is_ready():
            if not self.is_running:
                raise RuntimeError(f"{self.name} ended by itself:\n{self.log_end()}")
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.name} is not ready after {within:.0f} s:\n{self.log_end()}")
            time.sleep(0.02)


def nginx(port, servers, folder):
    """A real nginx on that port before these servers, which takes the next one where one refuses a connection."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        raise Lacking("two web processes behind one address need nginx: apt-get install nginx-light")
    spools = " ".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # One that was away is asked again at once: with the usual pause both might be passed over.
    lines = "\n    ".join(f"server 127.0.0.1:{server.port} max_fails=0;" for server in servers)
    text = NGINX.format(folder=folder, spools=spools, servers=lines, port=port)
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    command = [program, "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]
    return Process("nginx", command, folder=folder, environment={})
