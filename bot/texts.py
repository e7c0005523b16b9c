"""The agreement texts of this deployment: those shipped, those beside the rulebook file, those released in the portal."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from threading import Lock

from agreements.catalog import Catalog
from agreements.store import texts
from bot.db import Sessions

Texts = Callable[[], Catalog]
"""Gives the catalog as it is now. Raises CatalogBroken when a released text changed."""

_FOLDER, _SUMS = "texts", "SHA256SUMS"

shipped: Texts = lru_cache(maxsize=1)(Catalog.load)
"""The texts that came with this program, read once."""


def beside(rulebook: Path | None) -> Texts:
    """The shipped texts and those in the folder `texts` beside that rulebook file, if it has a SHA256SUMS.

    It is laid out as the shipped ones are: `texts/icla/3.0/en.md`.
    """
    folder = rulebook.parent / _FOLDER if rulebook else None
    if folder is None or not (folder / _SUMS).is_file():
        return shipped
    return lambda: shipped().with_texts(Catalog.load(folder).texts())


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
