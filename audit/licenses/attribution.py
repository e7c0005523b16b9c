"""The data that the audit judges by, named as its licences ask for."""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from audit.licenses.spdx import data_file

COLUMNS: Final = ("data", "date or version", "licence", "source")  # The heads of a table of the data.
_MATRIX: Final = "osadl-matrix.json"


class Dataset(NamedTuple):
    """A data set: its `content`, its date or `version`, its `license`, and the `attribution` that this asks for."""

    content: str
    version: str
    license: str
    attribution: str


def data(versions: Sequence[str] = ()) -> tuple[Dataset, ...]:
    """The sources of the vendored data (audit/data/sources.json), in order; `versions` date the matrix that judged."""
    return tuple(
        dict.fromkeys(
            # A newer matrix than the vendored one may have judged.
            dataset._replace(version=", ".join(versions) or dataset.version) if file == _MATRIX else dataset
            for file, dataset in _shipped()
        )
    )


@cache
def _shipped() -> tuple[tuple[str, Dataset], ...]:
    found = data_file("sources.json")
    return tuple(
        (source["file"], Dataset(source["content"], source["data"], source["license"], source["attribution"]))
        for source in found
    )
