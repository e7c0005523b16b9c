"""The licence data in use: OSADL's matrix as Countersign carries it, or a newer one that was taken since."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from audit.licenses import osadl
from audit.licenses.osadl import Matrix, MatrixInvalid
from bot import atomic_file

_MAX_MATRIX_BYTES: Final = 64_000_000
"""Bytes; OSADL's own file has 4 million."""


@dataclass(frozen=True, slots=True)
class NewMatrix:
    """A newer `matrix`, `packed` to be stored; its new `licenses`, and how many answers `changed`."""

    packed: dict[str, Any]
    matrix: Matrix
    licenses: tuple[str, ...]
    changed: int


def current(path: Path) -> Matrix:
    """The newer one of the stored matrix, if there is one, and the shipped one. Raises MatrixInvalid, OSError."""
    shipped = osadl.shipped()
    try:
        found = osadl.unpack(_parsed(path))
    except FileNotFoundError:
        return shipped
    return shipped if found.moment < shipped.moment else found  # A newer release may carry newer data.


def read_newer(path: Path, before: Matrix) -> NewMatrix:
    """OSADL's file `matrixseqexpl.json`, when it is not older than what is in use. Raises MatrixInvalid, OSError."""
    packed = osadl.pack(_parsed(path))
    found = osadl.unpack(packed)
    # Older data would bring back answers that OSADL has corrected since.
    if found.moment < before.moment:
        raise MatrixInvalid(f"it is of {found.date}, older than the data in use, which is of {before.date}")
    changed = sum(
        found.answer(name, other) is not before.answer(name, other) for name in before.names for other in before.names
    )
    return NewMatrix(packed, found, tuple(name for name in found.names if name not in before.names), changed)


def store(path: Path, packed: dict[str, Any]) -> None:
    """Write the matrix, whole or not at all. Raises OSError."""
    with atomic_file.replacement(path, mode=0o644) as made:  # Public data, which the users of all commands may read.
        made.write(json.dumps(packed, ensure_ascii=False).encode())


def _parsed(path: Path) -> object:
    with path.open("rb") as file:
        content = file.read(_MAX_MATRIX_BYTES + 1)
    if len(content) > _MAX_MATRIX_BYTES:
        raise MatrixInvalid(f"it has more than {_MAX_MATRIX_BYTES} bytes")
    try:
        return json.loads(content.decode())
    except RecursionError:  # A file of brackets alone.
        raise MatrixInvalid("it is nested too deeply") from None
    except ValueError:
        raise MatrixInvalid("it is not JSON in UTF-8") from None
