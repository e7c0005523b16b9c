"""The files of an account's newest audit: each sealed, one that says the same as before left as it is, all of them one zip."""

import io
import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final

from agreements.vault import Vault
from audit.facts import LicenseVerdict, RepositoryAudit
from audit.output import all_reports, suppliers
from audit.output.audit_run import FAIL_ON, AuditRun, stamp
from audit.store import pages, repositories
from bot import spreadsheet
from bot.db import Sessions
from bot.licenses import sealed_files

REPORT: Final = "report.json"
ON_TOP: Final = ("LICENSE-COMPATIBILITY.md", REPORT, "report.html")
"""The files about all repositories."""
_ZIP: Final = ".zip"
_FIRST_ZIP_MOMENT: Final = (1980, 1, 1, 0, 0, 0)  # a zip's first moment: the same files make the same bytes


class ReportFiles:
    """Holds one account's files."""

    def __init__(self, owner_id: int, vault: Vault, sessions: Sessions) -> None:
        self._owner_id = owner_id
        self._vault = vault
        self._sessions = sessions

    def opened(self, name: str) -> bytes | None:
        """A file as it was put; None when it is not there. Raises DecryptionFailed."""
        with self._sessions() as session:
            held = pages.get(session, self._owner_id, name)
        return None if held is None else sealed_files.decrypt(self._vault, pages.name(self._owner_id, name), held)

    def folder_of(self, repository_id: int) -> str | None:
        """Under which name the files about that repository are kept."""
        return self._folders().get(repository_id)

    def renamed(self) -> dict[str, str]:
        """Repositories that are called otherwise than in what is kept: old name, new name."""
        with self._sessions() as session:
            rows = repositories.of(session, self._owner_id)
        before = {key: name.removesuffix(_ZIP) for key, name in self._folders().items()}
        now = {one.repository_id: f"{one.owner}/{one.name}" for one in rows}
        return {name: now[key] for key, name in before.items() if now.get(key, name) != name}

    def all(self) -> Iterator[bytes]:
        """One zip with every file, written as it is read: no more than one repository's files are held at once.

        Raises LookupError when a file went meanwhile, DecryptionFailed: a zip that lacks its end is not taken for a whole one.
        """
        with self._sessions() as session:
            names = [one.name for one in pages.of(session, self._owner_id)]
        sink = _UnseekableBuffer()
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                data = self.opened(name)
                if data is None:
                    raise LookupError(f"{name} went while the zip was made")
                for path, content in _files(name, data):
                    archive.writestr(zipfile.ZipInfo(path, _FIRST_ZIP_MOMENT), content, zipfile.ZIP_DEFLATED)
                yield sink.taken()
        yield sink.taken()

    def _folders(self) -> dict[int, str]:
        with self._sessions() as session:
            found = pages.of(session, self._owner_id)
        return {one.repository_id: one.name for one in found if one.repository_id is not None}


class ReportFilesWriter(ReportFiles):
    """Takes the files of the run of one moment, one after the other."""

    def __init__(self, owner_id: int, vault: Vault, sessions: Sessions, at: datetime) -> None:
        super().__init__(owner_id, vault, sessions)
        self._at = at
        self._taken: set[str] = set()
        self._names: set[str] = set()

    def folder(self, audited: RepositoryAudit, repository_id: int, fail_on: Sequence[LicenseVerdict] = FAIL_ON) -> None:
        """The files about one repository, by the rules of which `fail_on` fails, as one zip. Its owner has them made."""
        folder = all_reports.folder(audited.repository.name, self._taken)
        alone = AuditRun((audited,), self._at, tuple(fail_on))
        below = all_reports.below(alone, spreadsheet.escape, suppliers.owner(audited.repository))
        files = [(f"{folder}/{name}", data) for name, data in below]
        self._put(f"{folder}{_ZIP}", files, repository_id)

    def top(self, whole: AuditRun) -> None:
        """The files about all of them; what is not in this run any more goes."""
        for name, data in all_reports.on_top(whole):
            self._put(name, [(name, data)], None)
        with self._sessions() as session:
            pages.keep_only(session, self._owner_id, self._names)

    def _put(self, name: str, files: Sequence[tuple[str, bytes]], repository_id: int | None) -> None:
        self._names.add(name)
        digest = _digest(files, self._at)
        with self._sessions() as session:
            if pages.digest(session, self._owner_id, name) == digest:
                return
        data = files[0][1] if repository_id is None else _zipped(files)
        held = sealed_files.encrypt(self._vault, pages.name(self._owner_id, name), data)
        page = pages.page(self._owner_id, name, digest, at=self._at, repository_id=repository_id)
        with self._sessions() as session:
            pages.put(session, page, held)


class _UnseekableBuffer(io.RawIOBase):
    """Where a zip is written to that nobody can go back in."""

    def __init__(self) -> None:
        super().__init__()
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        size = len(self._written)
        self._written += bytes(data)  # type: ignore[call-overload]  # a buffer
        return len(self._written) - size

    def taken(self) -> bytes:
        """What was written since the last time."""
        found, self._written = bytes(self._written), bytearray()
        return found


def _files(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """What is in a repository's zip, or the file itself."""
    if not name.endswith(_ZIP):
        yield name, data
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        yield from ((one.filename, archive.read(one)) for one in archive.infolist())


def _digest(files: Sequence[tuple[str, bytes]], at: datetime) -> str:
    """Of what the files say, apart from the moment at which they were made."""
    moment = stamp(at).encode()
    found = sha256()
    for name, data in files:
        found.update(sha256(name.encode()).digest() + sha256(data.replace(moment, b"")).digest())
    return found.hexdigest()


def _zipped(files: Sequence[tuple[str, bytes]]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name, _FIRST_ZIP_MOMENT), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()
