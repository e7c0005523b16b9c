"""The database as commands open it: one that is there, in this release's schema, or one line about why not."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot.cli.mistake import Mistake
from bot.cli.setting import settings

if TYPE_CHECKING:
    from sqlalchemy import Engine


@contextmanager
def opened(*, for_migration: bool = False) -> Iterator["Engine"]:
    """The engine for COUNTERSIGN_DATABASE_URL, closed at the end. A Mistake is every error of it, and what no key opens.

    Opening an SQLite file that is not there would make an empty one, which only `for_migration` may; it alone also
    takes a database in another schema.
    """
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415 - start-up time of the other commands

    import migrations  # noqa: PLC0415 - start-up time of the other commands
    from agreements.vault import SealBroken  # noqa: PLC0415 - start-up time of the other commands
    from bot import db  # noqa: PLC0415 - start-up time of the other commands

    chosen = settings()
    file = chosen.database_file
    if file is not None and not for_migration and not file.exists():
        raise Mistake(f"there is no database at {file}: run `countersign migrate`")
    engine = db.open_engine(chosen.database_url)
    try:
        if not for_migration and migrations.current(engine) != migrations.newest():
            raise Mistake("the database is not at the newest schema: run `countersign migrate`")
        yield engine
    except SQLAlchemyError as error:
        raise Mistake(chosen.about_database(db.explain(error))) from None
    except SealBroken as error:
        raise Mistake(
            f"{error}: put the key that sealed it back into the ring, then run this again;"
            " `countersign ledger verify` finds what was changed"
        ) from None
    finally:
        engine.dispose()
