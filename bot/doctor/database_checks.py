"""The database: reachable, writable, in a schema that this release can use, with room on its disk, and private."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Engine, make_url
from sqlalchemy.exc import SQLAlchemyError

import migrations
from bot import clock, db
from bot.db import Sessions
from bot.doctor import sqlite_file
from bot.doctor.doctor_report import DATABASE_FIRST, DoctorCheck, DoctorResult, sentence
from bot.doctor.github import SET_CLOCK
from bot.doctor.sqlite_file import REACHABLE, SPACE, WRITABLE
from bot.settings import Settings
from bot.store.logged_tables import TABLES

SCHEMA: Final = DoctorCheck("database.schema", "critical")
_CLOCK: Final = DoctorCheck("database.clock", "high")
_PRIVATE: Final = DoctorCheck("database.private", "high")
_CONNECT_SECONDS: Final = "4"  # Settings and database together have six.
# By words of libpq's and PostgreSQL's messages, of which libpq's have no codes.
_REMEDIES: Final = (
    ("password authentication failed|no password supplied", "Correct the role's password in COUNTERSIGN_DATABASE_URL (percent-encoded)."),
    (r'role ".*" does not exist', "Create the role (deploy/postgresql-roles.sql), or correct its name in COUNTERSIGN_DATABASE_URL."),
    (r'database ".*" does not exist', "Create it with `createdb --encoding UTF8 --template template0`, or correct its name in COUNTERSIGN_DATABASE_URL."),
    ("pg_hba", "Let this role and this machine in: a line in pg_hba.conf of the PostgreSQL server, then `SELECT pg_reload_conf()`."),
    ("server_encoding|the encoding of this database", "Make a database with UTF8 as the message says, and move the records there (`countersign backup`, `restore`)."),
    ("too many clients|connection slots|too many connections", "Raise max_connections of the PostgreSQL server, or run fewer replicas (see 'Memory' in the documentation)."),
    ("starting up|shutting down|recovery mode", "Wait until the PostgreSQL server is up, and see its log."),
    ("[Cc]onnection refused", "Start the PostgreSQL server, or correct host and port in COUNTERSIGN_DATABASE_URL."),
    ("resolve|translate host|not known", "Correct the host in COUNTERSIGN_DATABASE_URL, or its DNS record."),
    ("time ?out", "Let this machine through the firewall to the PostgreSQL server, or correct host and port in COUNTERSIGN_DATABASE_URL."),
    ("SSL|certificate", "Correct sslmode and sslrootcert in COUNTERSIGN_DATABASE_URL, or the certificate of the PostgreSQL server."),
    ("No space left|disk full|53100", "Make room on the disk of the PostgreSQL server."),
    ("permission denied|42501", "Give the role its rights: deploy/postgresql-roles.sql."),
)  # fmt: skip
_OTHERWISE: Final = "Start the database, or correct COUNTERSIGN_DATABASE_URL: host, name, role and password."
_PRIMARY: Final = "Name the primary server in COUNTERSIGN_DATABASE_URL, not a standby, and see default_transaction_read_only of database and role."


def checks(settings: Settings) -> tuple[DoctorCheck, ...]:
    """The checks that `judge` has a result for."""
    return (REACHABLE, WRITABLE, SPACE, SCHEMA, _PRIVATE if settings.database_file else _CLOCK)


def impatient(url: str) -> str:
    """The same database, with less patience for a PostgreSQL server that is silent; what is no address stays as it is."""
    try:
        place = make_url(url)
    except (SQLAlchemyError, ValueError):
        return url
    if url.startswith("sqlite"):  # A file has no such option.
        return url
    # A timeout in the address itself goes first.
    return place.set(query={"connect_timeout": _CONNECT_SECONDS, **place.query}).render_as_string(hide_password=False)


@contextmanager
def opened(url: str) -> Iterator[Engine | None]:
    """An engine on it, without a connection yet; None for what is no address."""
    try:
        made = db.open_engine(url)
    except (SQLAlchemyError, ValueError):
        yield None
        return
    try:
        yield made
    finally:
        made.dispose()


def judge(engine: Engine | None, settings: Settings) -> Iterator[DoctorResult]:
    """The results about the database, as far as it can be used. Creates no file, and changes nothing."""
    if engine is None:
        yield REACHABLE.failed("COUNTERSIGN_DATABASE_URL is not the address of a database.", _OTHERWISE)
        return
    file = settings.database_file
    if file is None:
        yield from _postgres(engine)
        return
    exposed = db.exposed(file)  # Before it is opened, which sets the rights right
    is_reachable = True
    for result in sqlite_file.judge(file):
        is_reachable = is_reachable and (result.id != REACHABLE.id or result.is_met)
        yield result
    if not is_reachable:
        return
    try:
        yield _schema(engine)
    except SQLAlchemyError as error:
        yield SCHEMA.unknown(*sqlite_file.explained(error, file))
    names = " ".join(map(str, exposed))
    yield (
        _PRIVATE.failed(
            f"{', '.join(map(str, exposed))} can be read or changed by other accounts of this machine.",
            f"Run `chmod 600 {names}`.",
        )
        if exposed
        else _PRIVATE.passed(f"Only the owner of {file} can read it.")
    )


def is_usable(results: list[DoctorResult]) -> bool:
    """Whether records can be read, by what `judge` found."""
    return {REACHABLE.id, SCHEMA.id} <= {result.id for result in results if result.is_met}


def read(
    sessions: Sessions | None,
    judge: Callable[[Sessions], list[DoctorResult]],
    *checks: DoctorCheck,
    what: str = "database",
) -> list[DoctorResult]:
    """The results of `judge` on the open database; all of `checks` are unknown where it cannot be used (None), or does not answer."""
    if sessions is None:
        return [check.unknown(f"Not checked: the {what} could not be read.", DATABASE_FIRST) for check in checks]
    try:
        return judge(sessions)
    except SQLAlchemyError as error:
        said = f"The database could not be read: {db.explain(error)}."
        return [check.unknown(said, DATABASE_FIRST) for check in checks]


def _schema(engine: Engine) -> DoctorResult:
    problem = migrations.problem(engine)
    if problem is not None:
        return SCHEMA.failed(sentence(problem), "Run `countersign migrate` with the newest release that will run here.")
    return SCHEMA.passed(f"The schema {migrations.current(engine)} fits this release.")


def _postgres(engine: Engine) -> Iterator[DoctorResult]:
    try:
        size = db.size(engine)
        yield REACHABLE.passed("The database is reachable.")
        schema = _schema(engine)
        yield schema
        yield (
            _writable(engine)
            if schema.is_met  # Else the tables that it asks about may not be there.
            else WRITABLE.unknown("Not checked: the schema does not fit.", DATABASE_FIRST)
        )
    except SQLAlchemyError as error:
        said = db.explain(error)
        # The driver's own text: SQLAlchemy's quotes the statement, too.
        remedy = next(
            (remedy for words, remedy in _REMEDIES if re.search(words, str(getattr(error, "orig", error)))), _OTHERWISE
        )
        yield REACHABLE.failed(sentence(said), remedy)
        return
    megabytes = f"{size / 1_000_000:,.1f} MB"
    yield SPACE.not_applicable(
        f"The database has {megabytes}. Its disk is the PostgreSQL server's: watch its room there."
    )
    yield _clock()


# A standby, and a role or database with default_transaction_read_only, take connections but no writes.
_ASK_WRITABLE: Final = "SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'"
_ASK_RIGHTS: Final = "SELECT has_table_privilege(%s, 'INSERT')"


def _writable(engine: Engine) -> DoctorResult:
    # By what PostgreSQL says of itself and of our rights: nothing is written.
    with engine.connect() as connection:
        is_standby, is_read_only = connection.exec_driver_sql(_ASK_WRITABLE).one()
        if is_standby or is_read_only:
            what = "a standby server" if is_standby else "read-only"
            return WRITABLE.failed(f"The database cannot be written: it is {what}.", _PRIMARY)
        denied = [
            name for name in sorted(str(table.__tablename__) for table in TABLES)
            if not connection.exec_driver_sql(_ASK_RIGHTS, (name,)).scalar_one()
        ]  # fmt: skip
    if denied:
        said = f"The role of COUNTERSIGN_DATABASE_URL may not write {', '.join(denied[:5])}."
        return WRITABLE.failed(said, "Give the role its rights: deploy/postgresql-roles.sql.")
    return WRITABLE.passed("The database can be written.")


def _clock() -> DoctorResult:
    # The clock of the server counts, for all who share it.
    seconds = round(clock.machine_ahead().total_seconds())
    if seconds:
        said = f"The clock here is {abs(seconds)} seconds {'ahead of' if seconds > 0 else 'behind'} the database's."
        return _CLOCK.failed(said, SET_CLOCK)
    return _CLOCK.passed("The clock here agrees with the database's.")
