"""The file of erasure keys: one for each person, outside the database; without it no copy of the database can be decrypted."""

import base64
import errno
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import RLock

from sqlmodel import Session

from agreements.store.people import person_rows
from bot import atomic_file
from bot.clock import monotonic
from bot.server import file_lock

CACHE_LIFETIME = timedelta(seconds=1)
"""The time for which the keys in memory count without a look at the file."""

_FIRST = "# Countersign's erasure keys, one a person. A copy brings back whom it outlives: docs/privacy.md. "
"""The beginning of each file. Files that are in use have it: never change it, also when the page moves."""
_MARK_BYTES = 16  # Random, and new each time the file is exchanged.
_HEAD = len(_FIRST) + 2 * _MARK_BYTES + 1
_LINE = re.compile(rb"(?m)^([^:\s]+):([A-Za-z0-9+/]{43}=)$")  # Base64 of 32 bytes.
_KEY_BYTES = 32
_TAIL_BYTES = 128  # Bytes, the last key among them.
_MOUNTS = Path("/proc/self/mountinfo")


class ErasureKeyFile:
    """The file that COUNTERSIGN_ERASURE_KEYS_FILE names; processes and threads that share it wait for each other.

    A key is added at its end. To destroy one the whole file is exchanged for another that lacks it. It is made by `make`
    alone: where it is missing later on, its folder was not mounted, and no key may go into another one.
    """

    def __init__(self, path: Path) -> None:
        """The first call reads the file; nothing is made before."""
        self.path = path
        self._turn = RLock()
        self._keys: dict[str, bytes] = {}
        # The first line and the last bytes that were read tell a file that grew from another one.
        self._head, self._tail, self._end, self._stamp, self._looked = b"", b"", 0, (0, 0, 0), 0.0

    def __reduce__(self) -> tuple[type["ErasureKeyFile"], tuple[Path]]:
        """Another process reads the file for itself."""
        return ErasureKeyFile, (self.path,)

    def make(self) -> None:
        """Make it where there is none yet. Raises OSError."""
        with self._locked():
            if not self.path.exists() or self.path.stat().st_size == 0:
                self._exchange({})

    def find(self, subject_id: str) -> bytes | None:
        """The key of that person; None when they have none. Raises OSError, also without the file."""
        with self._turn:
            # An unknown key is looked for at once: another process may have made it meanwhile.
            if subject_id not in self._keys or monotonic() > self._looked + CACHE_LIFETIME.total_seconds():
                self._look()
            self._is_there()  # A missing file must not read as a destroyed key.
            found = self._keys.get(subject_id)
        return base64.b64decode(found) if found else None

    def ids(self) -> frozenset[str]:
        """The people who have a key. Raises OSError."""
        with self._turn:
            self._look()
            return frozenset(self._keys)

    def is_another(self) -> bool:
        """Whether there is a file with other content, as far as it was read: no key is found in it or added to it."""
        return not self._head and self._stamp[-1] > 0

    def give(self, subject_ids: Sequence[str], *, anew: bool) -> Mapping[str, bytes]:
        """Give these people keys, made where there are none or `anew`; on the disk when it returns. Raises OSError."""
        with self._locked():
            self._is_there()
            known = () if anew else tuple(subject_id for subject_id in subject_ids if subject_id in self._keys)
            new_keys = {
                subject_id: base64.b64encode(os.urandom(_KEY_BYTES))
                for subject_id in subject_ids
                if subject_id not in known
            }
            # A key that is in use can only be replaced with the whole file: appended, its old line would stay on the disk.
            if self._keys.keys() & new_keys.keys():
                self._exchange(self._keys | new_keys)
            elif new_keys:
                self._append(new_keys)
            return {subject_id: base64.b64decode(self._keys[subject_id]) for subject_id in subject_ids}

    def destroy(self, subject_ids: Collection[str]) -> int:
        """Exchange the file for one without their keys; how many. Raises OSError; then the file is as it was."""
        with self._locked():
            kept = {subject_id: key for subject_id, key in self._keys.items() if subject_id not in subject_ids}
            gone = len(self._keys) - len(kept)
            if gone:  # Repeated each hour: most times there is nothing to write.
                self._exchange(kept)
            return gone

    def renew(self) -> None:
        """Exchange the file for an equal one, to try what an erasure does. Raises OSError, as for mounted ones."""
        with self._locked():
            self._is_there()
            self._exchange(self._keys)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        path = self.path.resolve()  # Processes that name the file by a link share the lock, too.
        # The lock is a file of its own: ours is exchanged, and a lock on it would go with it.
        with file_lock.locked(path.with_name(f"{path.name}.lock"), wait=True), self._turn:
            self._look()  # It may have changed while this process waited.
            yield

    def _look(self) -> None:
        """Read what is new: the end of the same file, or all of another one."""
        self._looked = monotonic()
        try:
            with self.path.open("rb") as file:
                found = os.fstat(file.fileno())
                stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
                if stamp == self._stamp:  # The same file, unchanged.
                    return
                head = file.read(_HEAD)
                file.seek(self._end - len(self._tail))
                # A copy that was put back into the same file may begin as before: its end tells it apart.
                if head != self._head or file.read(len(self._tail)) != self._tail:
                    # Without our first line it counts as missing.
                    self._forget(head if head.startswith(_FIRST.encode()) and head.endswith(b"\n") else b"")
                file.seek(self._end)
                content = file.read()
                # A line that breaks off is no line yet: another process writes it, or was killed.
                whole = content[: content.rfind(b"\n") + 1]
                self._end += len(whole)
                self._tail = (self._tail + whole[-_TAIL_BYTES:])[-_TAIL_BYTES:]
                self._keys |= {name.decode(): key for name, key in _LINE.findall(whole)}
                self._stamp = stamp
        except FileNotFoundError:  # `make` looks, too, before there is one.
            self._forget(b"")
            self._stamp = (0, 0, 0)

    def _forget(self, head: bytes) -> None:
        self._keys, self._head, self._tail, self._end = {}, head, b"", 0

    def _is_there(self) -> None:
        if not self._head:
            raise FileNotFoundError(
                errno.ENOENT, "the file of erasure keys does not exist or is not valid", str(self.path)
            )

    def _append(self, new_keys: Mapping[str, bytes]) -> None:
        with self.path.open("r+b") as file:
            file.truncate(self._end)  # What broke off.
            file.seek(self._end)
            file.write(b"".join(_lines(new_keys)))
            file.flush()
            # Before the database stores anything that only this key opens.
            os.fsync(file.fileno())
        self._look()

    def _exchange(self, keys: Mapping[str, bytes]) -> None:
        head = f"{_FIRST}{os.urandom(_MARK_BYTES).hex()}\n"
        atomic_file.sweep(self.path)  # Under the lock no other exchange is under way.
        with atomic_file.replacement(self.path) as made:
            made.writelines((head.encode(), *_lines(keys)))
        self._look()


def check(file: Path | None, session: Session, warn: Callable[[str], None], *, serving: bool = False) -> str | None:
    """The problem with the file, in one line; it is made if no person has a key. For `serving` it must be writable."""
    needing = person_rows.with_erasure_key(session)
    found = problem_for(file, needing, warn, serving=serving)
    if found is not None or file is None:
        return found
    keys = ErasureKeyFile(file)
    try:
        if not needing:  # Else a missing file was lost or is not mounted, and a new one would hide that.
            keys.make()
        # Tried at the start, so that the first erasure does not find a file that cannot be replaced.
        if serving and needing <= keys.ids():
            keys.renew()
    except OSError as error:
        return _unusable(file, error.strerror)
    return None


def problem(file: Path | None, session: Session, warn: Callable[[str], None]) -> str | None:
    """The problem with the file for serving, found by reading alone: the file is neither made nor changed."""
    return problem_for(file, person_rows.with_erasure_key(session), warn, serving=True)


def problem_for(
    file: Path | None, needing: frozenset[str], warn: Callable[[str], None], *, serving: bool
) -> str | None:
    """The problem with the file for the records of these people, found by reading alone."""
    if file is None:
        said = f"COUNTERSIGN_ERASURE_KEYS_FILE is not set, and the records of {len(needing)} of the people here open only with it"
        return said if needing else None
    keys = ErasureKeyFile(file)
    try:
        lost = needing - keys.ids()
    except OSError as error:
        return _unusable(file, error.strerror)
    if keys.is_another():
        return f"COUNTERSIGN_ERASURE_KEYS_FILE: {file} is no file of erasure keys, or lacks its first line: put a whole one in its place"
    # Not one key fits: it is the file of another database, or its folder is not mounted.
    if needing and lost == needing:
        what = "has no key of any person in this database" if file.exists() else "is not there"
        return f"COUNTERSIGN_ERASURE_KEYS_FILE: {file} {what}: put the one that belongs to the database in its place"
    if serving and (why := _unchangeable(file)):
        return _unusable(file, why)
    if lost:  # Fits a copy from before erasures, too, so it is no reason to refuse.
        warn(
            f"{file} lacks the erasure keys of {len(lost)} of the people in this database: either the database is a copy from before their"
            " erasure, then erase them again, or the file is older than the database"
        )
    return None


def _unusable(file: Path, why: str | None) -> str:
    return f"COUNTERSIGN_ERASURE_KEYS_FILE: cannot use {file}: {why}"


def _unchangeable(file: Path) -> str | None:
    """The reason why the file cannot be exchanged for another one, as an erasure does, as far as reading shows."""
    folder = file.resolve().parent
    if not folder.is_dir():
        return f"there is no folder {folder}"
    # The new file is made beside the old one and renamed over it: the folder is what is written to.
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"the folder {folder} cannot be written"
    if _is_mounted(file):
        return "it is mounted by itself, so it cannot be replaced: mount its folder"
    return None


def _is_mounted(file: Path) -> bool:
    """Whether a file system, or that very file, is mounted there (Linux); nothing can be renamed over it."""
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False  # Without /proc it is not Linux.
    # Field 5 is the mount point; the kernel writes a blank in it as an octal escape (proc_pid_mountinfo(5)).
    return str(file.resolve()) in {line.split(" ")[4].replace("\\040", " ") for line in mounts.splitlines()}


def _lines(keys: Mapping[str, bytes]) -> Iterable[bytes]:
    for name, key in keys.items():
        line = name.encode() + b":" + key
        if not _LINE.fullmatch(line):
            raise ValueError("a name in the file of erasure keys has no colon and no blank")
        yield line + b"\n"
