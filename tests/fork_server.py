"""Our commands are forked from a process that has loaded their modules: loading them is nine tenths of a start.

What is forked is a child of the test's process as any other: with its own number, signals, files and environment.
Used by every `subprocess.Popen` of a test that runs `python -m bot` or `python -m tests.…`; everything else starts as always.
"""

import atexit
import ctypes
import importlib
import inspect
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

LOADED = ("bot.app", "bot.serving", "bot.server.asgi", "bot.demo.servers", "bot.cli.demo", "bot.cli.setup")
"""What the commands of tests need most."""

FREE = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH"}
"""Of Python's own variables, those that a forked process can follow or need not; any other one makes Python start anew."""

_ENVIRONMENT = os.environ  # noqa: TID251 - what a process begins with, independent of our settings

_PR_SET_CHILD_SUBREAPER = 36
_GREATEST = 1_000_000
_start_anew = subprocess.Popen._execute_child


def _is_ours(module):
    return module == "bot" or module.startswith("tests.")


def _interpreter(environment):
    """What the interpreter itself, the loader or the C library looks at when it starts."""
    return {
        k: v for k, v in environment.items() if k.startswith(("PYTHON", "LD_", "LC_", "LANG", "TZ")) and k not in FREE
    }


class ForkServer:
    """The process that forks them, started by the first one that asks, ended with this process."""

    def __init__(self):
        self._lock, self._ours, self._process, self._owner = threading.Lock(), None, None, None

    def fork(self, order, files):
        """Let one run as `order` says, with these files as its standard ones; gives its process id."""
        with self._lock:
            if self._owner != os.getpid():
                self._start()
            self._adopt(1)  # whose parent ends becomes a child of ours
            try:
                socket.send_fds(self._ours, [json.dumps(order).encode()], files)
                return int(self._ours.recv(_GREATEST))
            finally:
                self._adopt(0)

    def _start(self):
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (self._ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _GREATEST)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()], cwd="/",
                env={**_ENVIRONMENT, "PYTHONPATH": str(Path(__file__).parents[1])},
                start_new_session=True,
            )  # fmt: skip
        self._owner = os.getpid()
        atexit.register(self._end, self._owner)

    def _end(self, owner):
        if os.getpid() == owner:  # and not one that was forked from it
            self._ours.close()
            self._process.wait()

    @staticmethod
    def _adopt(whether):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, whether, 0, 0, 0)


SERVER = ForkServer()


def _execute_child(popen, *given):
    """In place of `Popen._execute_child`, whose arguments it takes."""
    if not (isinstance(given[0], list) and given[0][:2] == [sys.executable, "-m"] and _is_ours(given[0][2])):
        _start_anew(popen, *given)
        return
    asked = inspect.signature(_start_anew).bind(popen, *given).arguments
    environment = dict(_ENVIRONMENT if asked["env"] is None else asked["env"])
    alike = _interpreter(environment) == _interpreter(_ENVIRONMENT)
    if not alike or asked["pass_fds"] or asked["preexec_fn"] or asked["shell"] or asked["executable"]:
        _start_anew(popen, *given)
        return
    files = [
        file if file != -1 else inherited
        for file, inherited in ((asked["p2cread"], 0), (asked["c2pwrite"], 1), (asked["errwrite"], 2))
    ]
    order = {
        "words": [os.fspath(word) for word in asked["args"][2:]],
        "folder": os.fspath(asked["cwd"] or Path.cwd()),
        "environment": environment,
        "session": asked["start_new_session"],
        "deaf": signal.getsignal(signal.SIGINT) == signal.SIG_IGN,
    }
    try:
        popen.pid = SERVER.fork(order, files)
        popen._child_created = True
    finally:
        popen._close_pipe_fds(*(asked[name] for name in
            ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")))  # fmt: skip


if sys.platform == "linux" and __name__ != "__main__":
    subprocess.Popen._execute_child = _execute_child


def _orders(connection):
    """Fork a process for each order; comes back in each of these processes, with its order and its files."""
    while True:
        message, files, _, _ = socket.recv_fds(connection, _GREATEST, 3)
        if not message:
            os._exit(0)
        reading, writing = os.pipe()
        between = os.fork()
        if not between:
            parent = os.getpid()
            forked = os.fork()
            if forked:
                os.write(writing, str(forked).encode())
                os._exit(0)  # so that the test's process becomes its parent
            while os.getppid() == parent:
                os.sched_yield()
            os.close(reading)
            os.close(writing)
            return json.loads(message), files
        os.waitpid(between, 0)
        os.close(writing)
        connection.send(os.read(reading, 20))
        for file in (reading, *files):
            os.close(file)


def _become(order, files):
    """Take what the interpreter would have begun with."""
    for place, file in enumerate(files):
        os.dup2(file, place)
    for file in files:
        if file > 2:
            os.close(file)
    if order["session"]:
        os.setsid()
    _ENVIRONMENT.clear()
    _ENVIRONMENT.update(order["environment"])
    os.chdir(order["folder"])
    signal.signal(signal.SIGINT, signal.SIG_IGN if order["deaf"] else signal.default_int_handler)
    tempfile.tempdir = None
    sys.stdin, sys.stdout, sys.stderr = (
        open(file, mode, buffering, errors=errors, closefd=False)  # noqa: SIM115 - they end with the process
        for file, mode, buffering, errors in ((0, "r", -1, None), (1, "w", -1, None), (2, "w", 1, "backslashreplace"))
    )
    if order["environment"].get("PYTHONUNBUFFERED"):
        sys.stdout.reconfigure(write_through=True)
    sys.argv = order["words"]
    sys.path[:1] = [order["folder"], *filter(None, _ENVIRONMENT.get("PYTHONPATH", "").split(":"))]


if __name__ == "__main__":
    from bot.server import processes

    with processes.loading():
        for module in LOADED:
            importlib.import_module(module)
    with socket.socket(fileno=int(sys.argv[1])) as server:
        chosen = _orders(server)
    _become(*chosen)
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
