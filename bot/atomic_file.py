"""Exchanges a file for a new one, whole or not at all, with the mode and owner that it has."""

import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

PRIVATE = 0o600


def replace(path: Path, pieces: Iterable[str]) -> None:
    """Put a file with this text where `path` is; after a crash it is the old one or the new one. Raises OSError.

    A link stays one: the file behind it is replaced. A file that is not there yet is for its owner alone.
    """
    path = path.resolve()
    before = path.stat() if path.exists() else None
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, prefix=_prefix(path), encoding="utf-8", delete=False
    ) as made:
        try:
            made.writelines(pieces)
            made.flush()
            os.fchmod(made.fileno(), stat.S_IMODE(before.st_mode) if before else PRIVATE)
            if before and os.geteuid() == 0:
                os.fchown(made.fileno(), before.st_uid, before.st_gid)
            os.fsync(made.fileno())
            Path(made.name).replace(path)
        except BaseException:
            Path(made.name).unlink(missing_ok=True)
            raise
    _sync(path.parent)


def sweep(path: Path) -> None:
    """Take away what an exchange left that was killed on its way; only while nobody else exchanges that file. Raises OSError."""
    path = path.resolve()
    for left in path.parent.iterdir():
        if left.name.startswith(_prefix(path)):
            left.unlink()


def _prefix(path: Path) -> str:
    return f".{path.name}.new-"


def _sync(folder: Path) -> None:
    """The name itself is on the disk, too."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
