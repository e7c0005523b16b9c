"""Whose data the audit judges by, as their licences ask it to be named."""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from audit.licenses.spdx import data_file

COLUMNS: Final = ("data", "date or version", "licence", "source")
"""What a list of the data says of each."""
_MATRIX: Final = "osadl-matrix.json"


class Dataset(NamedTuple):
    """What the data is, its date or version, its licence, and whom it is by."""

    content: str
    version: str
    license: str
    attribution: str


def data(versions: Sequence[str] = ()) -> tuple[Dataset, ...]:
    """Each source of the vendored data (audit/data/sources.json), in order; `versions` are the dates of the matrix that judged."""
    return tuple(
        dict.fromkeys(
            one._replace(version=", ".join(versions) or one.version) if file == _MATRIX else one
            for file, one in _shipped()
        )
    )


@cache
def _shipped() -> tuple[tuple[str, Dataset], ...]:
    found = data_file("sources.json")
    return tuple(
        (one["file"], Dataset(one["content"], one["data"], one["license"], one["attribution"])) for one in found
    )
