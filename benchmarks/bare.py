"""The baseline of the webhook: a bare Flask route that stores the body as one row, on disk before it answers."""

import sqlite3
import tempfile
import threading

from flask import Flask, request


def make() -> Flask:
    """The application; its database, in a folder that is gone afterwards, is as durable as Countersign's."""
    folder = tempfile.TemporaryDirectory(prefix="countersign-bare-")
    connection = sqlite3.connect(f"{folder.name}/bare.db", check_same_thread=False, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE row (guid TEXT PRIMARY KEY, body BLOB)")
    turn = threading.Lock()
    bare = Flask("bare")
    bare.extensions["folder"] = folder  # removed together with the application

    @bare.post("/webhook")
    def receive() -> tuple[str, int]:
        with turn:
            connection.execute(
                "INSERT INTO row VALUES (?, ?)", (request.headers["X-GitHub-Delivery"], request.get_data())
            )
        return "stored", 202

    return bare
