"""Large answers that no client reads, and requests of clients that left: how much memory is taken, and who waits?"""

import contextlib
import socket
import sqlite3
import sys
import time

sys.path.append(__file__.rpartition("/")[0])

import program
import victim

LONGEST = 1.0
"""Seconds that a page may take while the server holds answers that no client reads."""
BEHIND = 5.0
"""The same where thousands of clients have just come and left."""
MOST = 200
"""MiB more than before."""
DAY = "'2026-01-01 00:00:00.000000'"
OWN = {
    "person": {"id": "'p' || n", "account_id": "n + 1000", "login": "'somebody-with-a-name-' || n"},
    "signature": {
        "id": "'s' || n", "person_id": "'p' || n", "account_id": "n + 1000", "receipt": "'r' || n", "signed_at": DAY,
    },
}  # fmt: skip
EMPTY = {"INTEGER": "0", "BIGINT": "0", "BOOLEAN": "0", "DATETIME": DAY, "JSON": "'{}'", "BLOB": "x''"}


def attack(*, short, say):
    """Ask for the public list and read nothing of it; then send requests and leave at once."""
    people, readers, seconds = (4_000, 60, 2) if short else (20_000, 150, 10)
    with victim.serving() as stage, contextlib.ExitStack() as held:
        _fill(stage, people)
        victim.seconds(stage, victim.get("/whitelist.json"))
        before = victim.memory(stage)
        for _ in range(readers):
            held.enter_context(contextlib.closing(_slow(stage, victim.get("/whitelist.json"))))
        victim.seconds(stage, victim.get("/"), patience=120)  # behind those who asked before
        page, more = _page(stage), victim.memory(stage, "VmRSS") - before
        say(f"{readers} lists of {people} people that are not read: {more:.0f} MiB more, a page {page * 1000:.0f} ms")
        through = [f"slow readers took {more:.0f} MiB"] if more > MOST else []
        through += (
            [f"a page took {page:.1f} s while lists are not read"]
            if page > victim.bearable(LONGEST, short=short)
            else []
        )
        left = _leave(stage, seconds)
        begun = time.monotonic()  # 503 is an answer, too: a client that asks again at once gets the page
        while victim.seconds(stage, victim.get("/"), patience=60) > 60 and time.monotonic() < begun + 60:
            time.sleep(0.05)
        page = time.monotonic() - begun
        say(f"{left} requests of clients that left in {seconds} s: a page {page * 1000:.0f} ms")
    return through + (
        [f"a page took {page:.1f} s behind clients that left"] if page > victim.bearable(BEHIND, short=short) else []
    )


def _page(stage):
    # The best of three: another process of this machine may have its turn.
    return min(victim.seconds(stage, victim.get("/"), patience=30) for _ in range(3))


def _leave(stage, seconds):
    """How many requests were sent and left."""
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.closing(victim.connect(stage, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")):
            count += 1
    return count


def _slow(stage, request):
    """A connection that takes next to nothing of the answer."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect(("127.0.0.1", stage.port))
    line.sendall(request)
    return line


def _fill(stage, people):
    """So many who signed, as far as the public list reads them."""
    with contextlib.closing(sqlite3.connect(stage.settings.database_file, timeout=20)) as database:
        for table, own in OWN.items():
            columns = database.execute(f"PRAGMA table_info({table})").fetchall()
            values = {
                name: own.get(name, EMPTY.get(kind, "''"))
                for _, name, kind, needed, *_ in columns
                if needed or name in own
            }
            database.execute(
                f"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {people}) "
                f"INSERT INTO {table} ({', '.join(values)}) SELECT {', '.join(values.values())} FROM c"
            )
        database.commit()


if __name__ == "__main__":
    sys.exit(program.main(attack))
