"""The file of a backup: a ZIP with what was copied and a manifest that says when, of which schema, how much, with checksums."""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

FORMAT_VERSION: Final = 1
CHUNK_BYTES: Final = 1 << 20
_MANIFEST: Final = "manifest.json"
_COMPRESSION_LEVEL: Final = 3
"""Of compression: most of what is stored is encrypted, and does not get smaller however long one tries."""
_MAX_MANIFEST_BYTES: Final = 4 << 20  # A forged manifest could fill the memory.

Write = Callable[[bytes], object]


class BackupInvalid(Exception):
    """The file is no backup, or not whole; the message says why, as one clause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A backup's description of itself: it was made at `made_at` by that `release`, with schema `revision`.

    `database` is SQLAlchemy's name for its kind; `tables` has rows by table; `files` has SHA-256 and bytes by name; `format`
    is the version of the backup's own format.
    """

    made_at: str
    release: str
    database: str
    revision: str
    tables: Mapping[str, int]
    files: Mapping[str, tuple[str, int]]
    format: int = FORMAT_VERSION

    @property
    def moment(self) -> datetime:
        """The moment at which it was made: later changes are not in it."""
        return _moment(self.made_at)

    @property
    def rows(self) -> int:
        """The rows of all tables together."""
        return sum(self.tables.values())


@dataclass(slots=True)
class Contents:
    """Takes the files of a backup into `zip`, one after the other, and counts: `tables` and `files` as in the manifest."""

    zip: zipfile.ZipFile
    tables: dict[str, int] = field(default_factory=dict)
    files: dict[str, tuple[str, int]] = field(default_factory=dict)

    @contextmanager
    def file(self, name: str) -> Iterator[Write]:
        """A writer for the next file, whose size need not be known before."""
        digest, size = hashlib.sha256(), 0
        with self.zip.open(name, "w", force_zip64=True) as member:  # The size is not known, and may pass 2 GiB.

            def write(data: bytes) -> None:
                nonlocal size
                size += len(data)
                digest.update(data)
                member.write(data)

            yield write
        self.files[name] = (digest.hexdigest(), size)


@contextmanager
def write(file: IO[bytes], *, kind: str, revision: str, release: str, at: datetime) -> Iterator[Contents]:
    """Write a backup to this open file in the block."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION_LEVEL) as made:
        contents = Contents(made)
        yield contents
        # The manifest comes last, so that a backup that broke off has none.
        manifest = Manifest(
            made_at=at.isoformat(), release=release, database=kind, revision=revision,
            tables=contents.tables, files=contents.files,
        )  # fmt: skip
        made.writestr(_MANIFEST, json.dumps(asdict(manifest), indent=1))


@dataclass(frozen=True, slots=True)
class Archive:
    """A backup that was opened as `zip`, and its `manifest`, with which its checksums were compared."""

    zip: zipfile.ZipFile
    manifest: Manifest

    def chunks(self, name: str) -> Iterator[bytes]:
        """A file of the backup, in pieces. Raises BackupInvalid where it has none of that name."""
        if name not in self.manifest.files:
            raise BackupInvalid(f"it has no {name}")
        with self.zip.open(name) as member:
            while data := member.read(CHUNK_BYTES):
                yield data


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """The backup in that file. Raises OSError, or BackupInvalid unless all in it is as it was written."""
    with ExitStack() as closing:
        try:
            found = closing.enter_context(zipfile.ZipFile(path))
            archive = Archive(found, _manifest(found))
            _compare(archive)  # Before the caller reads any of it.
        # A member that is encrypted is a RuntimeError, one that is packed in an unknown way the NotImplementedError below it.
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
            raise BackupInvalid(f"it is not a complete backup ({error})") from None
        yield archive  # Outside: what fails at the caller is no fault of the backup.


def _manifest(found: zipfile.ZipFile) -> Manifest:
    try:
        if found.getinfo(_MANIFEST).file_size > _MAX_MANIFEST_BYTES:
            raise BackupInvalid("its manifest is too large")
        values: dict[str, Any] = json.loads(found.read(_MANIFEST))
        if values["format"] != FORMAT_VERSION:
            raise BackupInvalid(f"it has format {values['format']}, and this release reads format {FORMAT_VERSION}")
        values["files"] = {str(name): (str(digest), int(size)) for name, (digest, size) in values["files"].items()}
        values["tables"] = {str(name): int(rows) for name, rows in values["tables"].items()}
        for name in ("release", "database", "revision"):
            _check_text(values[name])
        _moment(values["made_at"])  # A backup that does not say how old it is cannot be told from a new one
        return Manifest(**values)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise BackupInvalid(f"its manifest is missing or not readable ({type(error).__name__})") from None


def _check_text(value: object) -> None:
    if not isinstance(value, str):
        raise TypeError


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise BackupInvalid(f"its manifest says that it was made at {text}, in no time zone")
    return found.astimezone(UTC)


def _compare(archive: Archive) -> None:
    names = set(archive.zip.namelist()) - {_MANIFEST}
    if names != set(archive.manifest.files):
        raise BackupInvalid("its content differs from its manifest")
    for name, (expected, _size) in archive.manifest.files.items():
        digest = hashlib.sha256()
        for data in archive.chunks(name):
            digest.update(data)
        if digest.hexdigest() != expected:
            raise BackupInvalid(f"the checksum of {name} is not that of its manifest")
