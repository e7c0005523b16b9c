"""The database: reachable, in a schema that this release can use, with a log of its records, and private."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

import migrations
from agreements.store.ledger import legacy_import
from bot import clock, db
from bot.db import Sessions
from bot.doctor.github import SET_CLOCK
from bot.doctor.report import DATABASE_FIRST, DoctorCheck, DoctorResult, sentence
from bot.settings import Settings
from bot.store.logged_tables import TABLES

_REACHABLE: Final = DoctorCheck("database.reachable", "critical")
_SCHEMA: Final = DoctorCheck("database.schema", "critical")
_LOG: Final = DoctorCheck("database.log", "critical")
_CLOCK: Final = DoctorCheck("database.clock", "high")
_PRIVATE: Final = DoctorCheck("database.private", "high")


@contextmanager
def opened(settings: Settings) -> Iterator[tuple[Engine | None, list[DoctorResult]]]:
    """The engine, None where the database cannot be used, and its items. Creates no file."""
    file = settings.database_file
    if file is not None and not file.exists():
        remedy = "Correct COUNTERSIGN_DATABASE_URL, or create the database with `countersign migrate`."
        yield None, [_REACHABLE.failed(f"There is no database file {file}.", remedy)]
        return
    exposed = db.exposed(file) if file is not None else {}
    with db.opened(settings.database_url) as engine:
        items = _judged(engine, settings)
        if file is not None:
            items.append(
                _PRIVATE.failed(
                    f"{', '.join(map(str, exposed))} can be read or changed by other accounts of this machine.",
                    f"Run `chmod 600 {' '.join(map(str, exposed))}`.",
                )
                if exposed
                else _PRIVATE.passed(f"Only the owner of {file} can read it.")
            )
        yield (engine if all(one.is_met for one in items[:2]) else None), items


def read(
    sessions: Sessions | None,
    judge: Callable[[Sessions], list[DoctorResult]],
    *checks: DoctorCheck,
    what: str = "database",
) -> list[DoctorResult]:
    """What `judge` finds there; each of these checks is unknown where it cannot be used (None), or does not answer."""
    if sessions is None:
        return [check.unknown(f"Not checked: the {what} could not be read.", DATABASE_FIRST) for check in checks]
    try:
        return judge(sessions)
    except SQLAlchemyError as error:
        said = f"The database could not be read: {db.explain(error)}."
        return [check.unknown(said, DATABASE_FIRST) for check in checks]


def _judged(engine: Engine, settings: Settings) -> list[DoctorResult]:
    try:
        problem = migrations.problem(engine)
        reachable = _REACHABLE.passed("The database is reachable.")
        if problem is not None:
            remedy = "Run `countersign migrate` with the newest release that will run here."
            return [reachable, _SCHEMA.failed(sentence(problem), remedy)]
        schema = _SCHEMA.passed(f"The schema {migrations.current(engine)} fits this release.")
        with db.sessions(engine)() as session:
            is_lost = legacy_import.needed(session, TABLES)
    except SQLAlchemyError as error:
        said = sentence(db.explain(error, settings.database_file))
        remedy = "Start the database, or correct COUNTERSIGN_DATABASE_URL: host, name, role and password."
        return [_REACHABLE.failed(said, remedy)]
    log = _LOG.passed("The records have their log.")
    if is_lost:
        log = _LOG.failed(sentence(legacy_import.WITHOUT_LOG), "Restore a backup, or see docs/reference/ledger.md.")
    return [reachable, schema, log, *([] if settings.database_file else [_clock()])]


def _clock() -> DoctorResult:
    """That of the server counts, for all who share it."""
    seconds = round(clock.machine_ahead().total_seconds())
    if seconds:
        said = f"The clock here is {abs(seconds)} seconds {'ahead of' if seconds > 0 else 'behind'} the database's."
        return _CLOCK.failed(said, SET_CLOCK)
    return _CLOCK.passed("The clock here agrees with the database's.")
