"""The baseline of the webhook: a bare Flask route that stores the body as one row, on disk before it answers."""

import http.client
import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable

from flask import Flask, request


def make() -> Flask:
    """The application; its database, in a folder that is gone afterwards, is as durable as Countersign's."""
    return _make(lambda: None)


def calling() -> Flask:
    """The same, which calls the GitHub at the port BARE_GITHUB once before it stores: the least that a check takes."""
    here = threading.local()

    def call() -> None:
        if not hasattr(here, "line"):
            port = int(os.environ["BARE_GITHUB"])  # noqa: TID251 - this program has no settings
            here.line = http.client.HTTPConnection("127.0.0.1", port)
        here.line.request("POST", "/repos/cann/ops-math/check-runs", b"{}", {"Content-Type": "application/json"})
        here.line.getresponse().read()

    return _make(call)


def _make(call: Callable[[], None]) -> Flask:
    folder = tempfile.TemporaryDirectory(prefix="countersign-bare-")
    connection = sqlite3.connect(f"{folder.name}/bare.db", check_same_thread=False, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")  # As durable as Countersign: an answer follows the fsync.
    connection.execute("CREATE TABLE row (guid TEXT PRIMARY KEY, body BLOB)")
    turn = threading.Lock()
    bare = Flask("bare")
    bare.extensions["folder"] = folder  # Removed together with the application

    @bare.post("/webhook")
    def receive() -> tuple[str, int]:
        call()
        with turn:
            connection.execute(
                "INSERT INTO row VALUES (?, ?)", (request.headers["X-GitHub-Delivery"], request.get_data())
            )
        return "stored", 202

    return bare
