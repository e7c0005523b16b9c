"""The agreement texts of this deployment: those that are files, and those released in the portal."""

from threading import Lock

from agreements.catalog import Catalog
from agreements.store import texts
from bot.db import Sessions
from bot.texts import Texts


class Library:
    """The texts of files and of the database; a text released by any process is noticed at the next call."""

    def __init__(self, files: Texts, sessions: Sessions) -> None:
        self._files = files
        self._sessions = sessions
        self._kept: tuple[int, Catalog] | None = None
        self._lock = Lock()

    def __call__(self) -> Catalog:
        """The catalog as it is now; files are read once. Raises CatalogBroken when a text is not as released."""
        with self._sessions() as session, self._lock:
            number = texts.count(session)
            if self._kept is None or self._kept[0] != number:
                self._kept = (number, self._files().with_texts(texts.released(session)))
            return self._kept[1]
