"""The agreement texts that are files: those shipped, and those beside the rulebook file."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from agreements.catalog import Catalog, CatalogBroken

Texts = Callable[[], Catalog]
"""Gives the catalog as it is now. Raises CatalogBroken when a released text changed."""

_FOLDER = "texts"

shipped: Texts = lru_cache(maxsize=1)(Catalog.load)
"""The texts that came with this program, read once."""


def beside(rulebook: Path | None) -> Texts:
    """The shipped texts and those in the folder `texts` beside that rulebook file, if there is anything in it.

    It is laid out as the shipped ones are: `texts/icla/3.0/en.md`, with SHA256SUMS.
    """
    folder = rulebook.parent / _FOLDER if rulebook else None
    if folder is None or _is_empty(folder):
        return shipped
    return lambda: shipped().with_texts(_load(folder).texts())


def _is_empty(folder: Path) -> bool:
    try:
        return not any(path.name != "README.md" and not path.name.startswith(".") for path in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:  # What may not be looked into may hold texts by which people count: loading says so.
        return False


def _load(folder: Path) -> Catalog:
    try:
        return Catalog.load(folder)
    except CatalogBroken as broken:  # Not the whole path: checks show it.
        raise CatalogBroken(tuple(f"{_FOLDER}/{problem}" for problem in broken.problems)) from None
