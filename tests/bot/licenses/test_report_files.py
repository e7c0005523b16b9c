"""The files of a report are kept sealed, left alone while they say the same, and are to be had as one zip."""

import io
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agreements.vault import DecryptionFailed, KeyRing, Vault
from audit.output.all_reports import on_top
from audit.store import report_pages, repositories, sealed
from audit.store.repositories import Row
from bot.licenses.report_files import ON_TOP, REPORT, ReportFiles, ReportFilesWriter
from tests.audit.runs import READLINE, audited, whole

pytestmark = pytest.mark.sqlite_alone

AT = datetime(2026, 11, 22, 3, tzinfo=UTC)
VAULT = Vault(KeyRing.parse(KeyRing.generate("k1")))


@pytest.fixture(name="put")
def _put(sessions):
    """Puts a report of these repositories (all, by default), made so many days later."""

    def put(*found, days=0):
        at = AT + timedelta(days=days)
        found = found or whole().repositories
        report_files = ReportFilesWriter(7, VAULT, sessions, at)
        for number, repository in enumerate(found):
            report_files.folder(repository, 100 + number)
        keep = report_files.top(dict(on_top(replace(whole(), repositories=tuple(found), at=at))))
        with sessions() as session:
            keep(session, "inputs")
            return {page.name: page.made_at for page in report_pages.of(session, 7)}

    return put


def test_unchanged_files_of_a_report_are_left_alone(put):
    """The moment at which a file is made counts for nothing."""
    first = put()
    assert set(first) == {*ON_TOP, "org/empty.zip", "org/free.zip", "org/work.zip"}
    assert put(days=1) == first
    work = audited(READLINE, name="org/work")
    assert {name for name, at in put(work, days=2).items() if at > AT} == {*ON_TOP, "org/work.zip"}
    assert set(put(work, days=2)) == {*ON_TOP, "org/work.zip"}


def test_a_file_opens_only_under_its_own_name_and_is_sealed(put, sessions):
    put()
    report_files = ReportFiles(7, VAULT, sessions)
    assert b'"generated_at": "2026-11-22T03:00:00Z"' in report_files.opened(REPORT)
    assert (report_files.opened("none"), ReportFiles(8, VAULT, sessions).opened(REPORT)) == (None, None)
    with sessions() as session:
        held = sealed.get(session, "page/7/report.json")
        sealed.put(session, "page/7/report.html", held)
    assert b"readline" not in held.sealed
    with pytest.raises(DecryptionFailed):
        report_files.opened("report.html")


def test_the_zip_holds_every_file_once(put, sessions):
    put()
    pieces = list(ReportFiles(7, VAULT, sessions).all())
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
    assert len(names) == len(set(names)) == 3 + 3 * 7
    assert {"report.html", "org/work/NOTICE", "org/free/sbom.spdx.json"} < set(names)
    assert len(pieces) == 7


def test_a_folder_belongs_to_its_repository_and_renames_are_known(put, sessions):
    put()
    fields = {
        "owner_id": 7, "installation_id": 5, "owner": "org", "node": "R", "branch": "main", "private": False,
        "archived": False, "fork": False, "pushed_at": None, "looked_at": AT,
    }  # fmt: skip
    with sessions() as session:
        repositories.update_listing(
            session, [Row(repository_id=101, name="freedom", **fields), Row(repository_id=102, name="work", **fields)]
        )
    report_files = ReportFiles(7, VAULT, sessions)
    assert (report_files.folder_of(102), report_files.folder_of(99)) == ("org/work.zip", None)
    assert report_files.renamed() == {"org/free": "org/freedom"}
