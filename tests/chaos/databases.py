"""Databases that can be taken away: killed, stopped for a while, locked by another process, on a disk that fills up."""

import errno
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import contextmanager, suppress

import sqlalchemy
from sqlalchemy.pool import NullPool

from bot.demo.servers import LAST_WILL
from tests.chaos.servers import Lacking
from tests.conftest import _postgres_programs, _without_root

DISK = "96m"


class Sqlite:
    """A file; a kill of the process that writes it hits the database in the middle of a transaction."""

    kind = "sqlite"

    def __init__(self, folder):
        self.file = folder / "countersign.db"
        self.url = f"sqlite:///{self.file}"

    def start(self):
        """There is nothing to start."""

    stop = start

    def hasten(self, start, rate):
        """It has no clock of its own."""

    def rows(self, query):
        """What it says."""
        connection = sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=20)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    @contextmanager
    def away(self):
        """Another process has the file to itself, such as a backup that went wrong: no process of ours can write."""
        connection = sqlite3.connect(self.file, timeout=30, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")
        finally:
            connection.close()


class Postgres:
    """A server of our own with its usual promises (fsync and all), so that a kill is a crash."""

    kind = "postgres"

    def __init__(self, folder, port):
        self.programs, self.prefix = _postgres_programs(), _without_root()
        if self.programs is None:
            raise Lacking("initdb not found: apt-get install postgresql")
        self.folder, self.port = folder, port
        self.url = f"postgresql://countersign@127.0.0.1:{self.port}/postgres"
        self.process = self._heir = None
        folder.chmod(0o777)
        words = ["-U", "countersign", "-A", "trust", "-E", "UTF8", "--locale=C", "--wal-segsize=4"]
        made = [*self.prefix, self.programs / "initdb", "-D", folder / "data", *words]
        subprocess.run(made, check=True, capture_output=True, cwd="/")

    def start(self):
        """Begin, and wait until it takes connections; after a crash it may have to wait for what the last one left."""
        options = ("listen_addresses=127.0.0.1", f"unix_socket_directories={self.folder}", "max_connections=200",
                   "max_wal_size=64MB", "min_wal_size=16MB")  # fmt: skip
        words = [word for option in options for word in ("-c", option)]
        command = [*self.prefix, self.programs / "postgres", "-D", self.folder / "data", "-p", str(self.port), *words]
        deadline = time.monotonic() + 60
        while not self._answers():
            if self.process is None or self.process.poll() is not None:
                self._begin(command)
            if time.monotonic() > deadline:
                raise TimeoutError("PostgreSQL did not come back")
            time.sleep(0.05)

    def _begin(self, command):
        """Start it, and who ends it once we are gone, however that came."""
        with (self.folder / "postgres.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", start_new_session=True)
        if self._heir is not None:
            self._heir.kill()
            self._heir.communicate()
        words = ["/bin/sh", "-c", LAST_WILL, "sh", str(self.process.pid)]
        self._heir = subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)

    def kill(self):
        """SIGKILL to the postmaster: its processes notice and end, nothing is tidied up."""
        self.process.kill()
        self.process.wait()

    def kill_one(self, chance):
        """SIGKILL to one process that serves a connection: the server ends all and recovers by itself."""
        with suppress(sqlalchemy.exc.SQLAlchemyError):
            found = [
                pid for (pid,) in self.rows("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'")
            ]
            with suppress(ProcessLookupError):
                os.kill(chance.choice(found), signal.SIGKILL)

    def stop(self):
        """An immediate shutdown, as a machine that is going down gives it."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(timeout=30)
        if self._heir is not None:
            self._heir.kill()
            self._heir.communicate()
            self._heir = None

    def rows(self, query):
        """What it says."""
        address = self.url.replace("postgresql://", "postgresql+psycopg://")
        engine = sqlalchemy.create_engine(address, poolclass=NullPool, connect_args={"connect_timeout": 5})
        with engine.connect() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(query)]

    def hasten(self, start, rate):
        """A client that connects from now on is told a time that goes `rate` times as fast from that start.

        By a function that stands before PostgreSQL's own: its processes share no clock that could be set for them together.
        """
        fast = f"TIMESTAMPTZ '{start}' + (pg_catalog.clock_timestamp() - TIMESTAMPTZ '{start}') * {rate}"
        kind = "FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql"
        address = self.url.replace("postgresql://", "postgresql+psycopg://")
        with sqlalchemy.create_engine(address, poolclass=NullPool).begin() as connection:
            connection.exec_driver_sql(f"CREATE {kind} AS $$ SELECT {fast} $$")
            connection.exec_driver_sql("ALTER DATABASE postgres SET search_path = public, pg_catalog")

    @contextmanager
    def away(self):
        """It is down."""
        self.stop()
        yield
        self.start()

    def _answers(self):
        asked = [self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(asked, capture_output=True, check=False).returncode == 0


@contextmanager
def small_disk(folder, size=DISK):
    """A disk of its own at that folder, small enough to be filled; needs to be root."""
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mounted, capture_output=True, check=False).returncode != 0:
        raise Lacking("a disk that fills up needs root, to mount a small tmpfs")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)


@contextmanager
def filled(folder):
    """Nothing more can be written there; then there is room again."""
    ballast = folder / "ballast"
    try:
        with ballast.open("wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                with suppress(OSError):
                    while True:
                        if file.write(b"x" * size) < size:
                            raise OSError(errno.ENOSPC, "full")
        assert shutil.disk_usage(folder).free < 1 << 12
        yield
    finally:
        ballast.unlink()
