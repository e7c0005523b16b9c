"""Runs our server as ever, and counts beside it what is asked of its database: in a file, for another process to read.

With the word `paced` it writes to its GitHub as slowly as to github.com.
"""

import mmap
import struct
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, event

from bot import serving
from bot.github import connection
from bot.github.client.write_pacer import GITHUB_BUDGET
from bot.server import listening
from bot.telemetry import logs

_FORMAT = "<3Q"
SIZE = struct.calcsize(_FORMAT)


class Counts(NamedTuple):
    """The numbers so far; a transaction that wrote held the database's one lock, and ended with an fsync."""

    transactions: int
    writing: int
    statements: int

    @classmethod
    def read(cls, file: Path) -> "Counts":
        """As of now."""
        return cls(*struct.unpack(_FORMAT, file.read_bytes()))


def count(file: Path) -> None:
    """From now on, in every engine of this process."""
    with file.open("r+b") as opened:
        shared = mmap.mmap(opened.fileno(), SIZE)  # Another process reads it at any time.
    counts, lock = [0, 0, 0], threading.Lock()

    def more(*places: int) -> None:
        with lock:
            for place in places:
                counts[place] += 1
            shared[:] = struct.pack(_FORMAT, *counts)

    def ended(ending: Connection) -> None:
        raw: Any = ending.connection.dbapi_connection
        more(0, *([1] if getattr(raw, "in_transaction", False) else []))  # SQLite's begins with the first write

    event.listen(Engine, "commit", ended)
    event.listen(Engine, "rollback", ended)  # A reader's transaction ends so.
    event.listen(Engine, "before_cursor_execute", lambda *_: more(2))


if __name__ == "__main__":
    count(Path(sys.argv[1]))
    if "paced" in sys.argv:
        # An Enterprise Server, as which the simulated GitHub appears, is not paced.
        vars(connection)["documented_budget"] = lambda _api_url: GITHUB_BUDGET
    logs.begin()
    serving.serve(listening.listener("127.0.0.1", int(sys.argv[2])), worker=sys.argv[3] == "worker")
