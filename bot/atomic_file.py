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
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".new-", encoding="utf-8", delete=False) as made:
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


def _sync(folder: Path) -> None:
    """The name itself is on the disk, too."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
