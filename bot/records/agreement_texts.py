"""The agreement texts of this deployment: those that are files, and those released in the portal."""

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from agreements.catalog import Catalog
from agreements.store.people import texts
from bot import db
from bot.db import Sessions
from bot.rulebook.text_files import Texts
from bot.settings import Settings

_T = TypeVar("_T")


class Library:
    """The texts of files and of the database; a text released by any process is noticed at the next call."""

    def __init__(self, files: Texts, sessions: Sessions) -> None:
        self._files = files
        self._sessions = sessions
        # The number of released texts when the catalog was made, and the catalog.
        self._kept: tuple[int, Catalog] | None = None
        self._lock = Lock()

    def __call__(self) -> Catalog:
        """The catalog as it is now; files are read once. Raises CatalogBroken when a text is not as released."""
        with self._sessions() as session, self._lock:
            # A released text never changes and never goes, so their number tells whether there are new ones.
            number = texts.count(session)
            if self._kept is None or self._kept[0] != number:
                self._kept = (number, self._files().with_texts(texts.released(session)))
            return self._kept[1]


def parse_with_database(parse: Callable[[Texts], _T], files: Texts, settings: Settings) -> _T:
    """The result of `parse` for rulebooks that may name the texts of files and of the settings' database.

    Raises what `parse` does, FileNotFoundError without a database, SQLAlchemyError when it does not answer.
    """
    # SQLite would make an empty database where there is none.
    if settings.database_file is not None and not settings.database_file.exists():
        raise FileNotFoundError(settings.database_file)
    with db.opened(settings.database_url) as engine:
        return parse(Library(files, db.sessions(engine)))
