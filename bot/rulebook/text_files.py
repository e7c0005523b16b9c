"""The agreement texts that are files: those shipped, and those beside the rulebook file."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from agreements.catalog import Catalog

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
    if folder is None or not (folder / _SUMS).is_file():  # By their sums texts are known to be as released.
        return shipped
    return lambda: shipped().with_texts(Catalog.load(folder).texts())
