"""The exchange of a file for a new one, whole or not at all, with the mode and owner that it has."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PRIVATE_MODE = 0o600


@contextmanager
def replacement(path: Path, *, mode: int | None = None) -> Iterator[IO[bytes]]:
    """A file to be written in the block, and then where `path` is; after a crash that is the old one or the new one.

    `mode` is given to it; else it keeps the mode of the file before, and one that was not there yet is for its owner
    alone. Raises OSError.
    """
    if path.exists() and not path.is_file():  # Root would put a file in the place of /dev/null.
        with path.open("wb") as made:
            yield made
        return
    path = path.resolve()  # A link stays one: the file behind it is replaced.
    before = path.stat() if path.exists() else None
    if mode is None:
        mode = stat.S_IMODE(before.st_mode) if before else PRIVATE_MODE
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=_prefix(path), delete=False) as made:
        try:
            yield made
            made.flush()
            # Rights and owner are set before the file has its name: it is never readable for others.
            os.fchmod(made.fileno(), mode)
            if before and os.geteuid() == 0:
                os.fchown(made.fileno(), before.st_uid, before.st_gid)
            # The content is on the disk before the name: a power cut leaves the old file or the new one.
            os.fsync(made.fileno())
            Path(made.name).replace(path)
        except BaseException:
            Path(made.name).unlink(missing_ok=True)
            raise
    # The folder is written to the disk, too, so that the new name survives a power cut.
    opened = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def sweep(path: Path) -> None:
    """Remove what a killed exchange left behind; only while no other one of that file runs. Raises OSError."""
    path = path.resolve()
    for left in path.parent.iterdir():
        if left.name.startswith(_prefix(path)):
            left.unlink()


def _prefix(path: Path) -> str:
    return f".{path.name}.new-"
