"""The files of an account's newest audit: each sealed, one that says the same as before left as it is, all of them one zip."""

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from sqlmodel import Session

from agreements.vault import Vault
from audit.store import report_pages, repositories, sealed
from audit.store.sealed import Sealed
from bot import spreadsheet
from bot.db import Sessions
from bot.licenses import sealed_files

if TYPE_CHECKING:
    from audit.facts import LicenseVerdict, RepositoryAudit

REPORT: Final = "report.json"
ON_TOP: Final = ("LICENSE-COMPATIBILITY.md", REPORT, "report.html")
"""The files about all repositories."""
_ZIP: Final = ".zip"
_FIRST_ZIP_MOMENT: Final = (1980, 1, 1, 0, 0, 0)  # A zip's first moment: the same files make the same bytes


class ReportFiles:
    """The stored report files of one account."""

    def __init__(self, owner_id: int, vault: Vault, sessions: Sessions) -> None:
        self._owner_id = owner_id
        self._vault = vault
        self._sessions = sessions

    def opened(self, name: str) -> bytes | None:
        """A file as it was put; None when it is not there. Raises DecryptionFailed."""
        with self._sessions() as session:
            held = report_pages.get(session, self._owner_id, name)
        return (
            None if held is None else sealed_files.decrypt(self._vault, report_pages.name(self._owner_id, name), held)
        )

    def folder_of(self, repository_id: int) -> str | None:
        """The name under which the files about that repository are stored."""
        with self._sessions() as session:
            found = report_pages.of(session, self._owner_id)
        return next((page.name for page in reversed(found) if page.repository_id == repository_id), None)

    def renamed(self) -> dict[str, str]:
        """The repositories that were renamed since their files were stored: old name, new name."""
        with self._sessions() as session:
            rows = repositories.of(session, self._owner_id)
            found = report_pages.of(session, self._owner_id)
        now: dict[int | None, str] = {row.repository_id: f"{row.owner}/{row.name}" for row in rows}
        before = [(page.repository_id, page.name.removesuffix(_ZIP)) for page in found]
        return {name: now[key] for key, name in before if now.get(key, name) != name}

    def all(self) -> Iterator[bytes]:
        """One zip with every file. Raises DecryptionFailed, and LookupError when a file went meanwhile."""
        with self._sessions() as session:
            names = [page.name for page in report_pages.of(session, self._owner_id)]
        sink = _UnseekableBuffer()
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
            # One repository's files are held at a time.
            for name in names:
                data = self.opened(name)
                if data is None:  # The zip lacks its end then: no reader takes it for whole.
                    raise LookupError(f"{name} went while the zip was made")
                for path, content in _files(name, data):
                    archive.writestr(zipfile.ZipInfo(path, _FIRST_ZIP_MOMENT), content, zipfile.ZIP_DEFLATED)
                yield sink.taken()
        yield sink.taken()


class ReportFilesWriter(ReportFiles):
    """Stores the files of one run, one after the other."""

    def __init__(self, owner_id: int, vault: Vault, sessions: Sessions, at: datetime) -> None:
        super().__init__(owner_id, vault, sessions)
        self._at = at
        self._taken: set[str] = set()
        self._names: set[str] = set()

    def made_from(self) -> dict[int | None, str]:
        """By repository the inputs of the files that are kept about it, by None those of the files about all."""
        needed: dict[int | None, set[str]] = {}
        with self._sessions() as session:
            found = report_pages.of(session, self._owner_id)
            for page in found:
                of_facts = set() if page.repository_id is None else {repositories.name(page.repository_id)}
                needed.setdefault(page.repository_id, of_facts).add(report_pages.name(self._owner_id, page.name))
            # Without the key of a file, or of the facts that it tells of, the file has to be made again.
            held = sealed.under(session, set().union(*needed.values()), self._vault.ids)
        return {page.repository_id: page.inputs for page in found if page.inputs and needed[page.repository_id] <= held}

    def keep(self, full_name: str) -> None:
        """The files about the repository of that name stay as they are."""
        self._name(full_name)

    def folder(
        self,
        audited: "RepositoryAudit",
        repository_id: int,
        fail_on: "Sequence[LicenseVerdict] | None" = None,
        inputs: str = "",
    ) -> None:
        """Store the files about one repository, as one zip; `fail_on` fails by its rules (None: the usual)."""
        from audit.output import all_reports, suppliers  # noqa: PLC0415 - who reads the files needs none of it
        from audit.output.audit_run import FAIL_ON, AuditRun  # noqa: PLC0415 - as above

        name = self._name(audited.repository.name)
        alone = AuditRun((audited,), self._at, tuple(FAIL_ON if fail_on is None else fail_on))
        below = all_reports.below(alone, spreadsheet.escape, suppliers.owner(audited.repository))
        files = [(f"{name.removesuffix(_ZIP)}/{path}", data) for path, data in below]
        page = report_pages.page(
            self._owner_id, name, _digest(files, self._at), inputs, at=self._at, repository_id=repository_id
        )
        with self._sessions() as session:
            # The same files as before are neither encrypted nor written.
            if report_pages.confirm(session, page, self._vault.ids):
                return
        held = self._sealed(name, _zipped(files))
        with self._sessions() as session:
            report_pages.put(session, page, held)

    def top(self, files: Mapping[str, bytes]) -> Callable[[Session, str], None]:
        """Seal files about all repositories; gives a function that stores them and deletes files of earlier runs."""
        made = {name: (_digest([(name, data)], self._at), self._sealed(name, data)) for name, data in files.items()}

        def keep(session: Session, inputs: str) -> None:
            # In the caller's transaction: a report is stored with what follows from it.
            for name, (digest, held) in made.items():
                page = report_pages.page(self._owner_id, name, digest, inputs, at=self._at)
                if not report_pages.confirm(session, page, self._vault.ids):
                    report_pages.put(session, page, held)
            report_pages.keep_only(session, self._owner_id, self._names | made.keys())

        return keep

    def _name(self, full_name: str) -> str:
        from audit.output import all_reports  # noqa: PLC0415 - as above

        name = all_reports.folder(full_name, self._taken) + _ZIP
        self._names.add(name)
        return name

    def _sealed(self, name: str, data: bytes) -> Sealed:
        return sealed_files.encrypt(self._vault, report_pages.name(self._owner_id, name), data)


class _UnseekableBuffer(io.RawIOBase):
    """Takes a zip that is sent on while it is written, so that zipfile cannot seek back."""

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
        """The bytes that were written since the last call."""
        found, self._written = bytes(self._written), bytearray()
        return found


def _files(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    if not name.endswith(_ZIP):
        yield name, data
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        yield from ((member.filename, archive.read(member)) for member in archive.infolist())


def _digest(files: Sequence[tuple[str, bytes]], at: datetime) -> str:
    # Without the moment: else each night's files would differ.
    from audit.output.audit_run import stamp  # noqa: PLC0415 - as above

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
