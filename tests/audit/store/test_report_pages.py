"""The files of an audit run: one of each name for each account, and only the newest."""

from datetime import UTC, datetime

import pytest

from audit.store import report_pages, sealed
from audit.store.sealed import Sealed

AT = datetime(2026, 11, 22, 3, tzinfo=UTC)


def test_only_the_newest_files_of_an_account_stay(sessions):
    with sessions() as session:
        for owner, name, digest in (
            (7, "report.json", "d1"),
            (7, "gone", "d"),
            (8, "gone", "d"),
            (7, "report.json", "d2"),
        ):
            report_pages.put(
                session, report_pages.page(owner, name, digest, at=AT), Sealed(digest.encode(), b"k", "k1")
            )
    with sessions() as session:
        assert report_pages.get(session, 7, "report.json").sealed == b"d2"
        report_pages.keep_only(session, 7, {"report.json"})
    with sessions() as session:
        assert [(page.name, page.made_at) for page in report_pages.of(session, 7)] == [("report.json", AT)]
        assert [page.name for page in report_pages.of(session, 8)] == ["gone"]
        assert sealed.get(session, report_pages.name(7, "gone")) is None


@pytest.mark.parametrize(
    ("found", "stays"),
    [
        (report_pages.page(7, "a.zip", "d1", "new", at=AT, repository_id=9), True),
        (report_pages.page(7, "a.zip", "d2", "new", at=AT, repository_id=9), False),
        (report_pages.page(7, "a.zip", "d1", "new", at=AT, repository_id=8), False),
        (report_pages.page(7, "a.zip", "d1", "new", at=AT), False),
        (report_pages.page(7, "b.zip", "d1", "new", at=AT, repository_id=9), False),
        (report_pages.page(8, "a.zip", "d1", "new", at=AT, repository_id=9), False),
    ],
)
def test_a_file_with_the_same_content_stays_unless_its_key_is_gone(sessions, found, stays):
    with sessions() as session:
        report_pages.put(
            session, report_pages.page(7, "a.zip", "d1", "old", at=AT, repository_id=9), Sealed(b"s", b"k", "k1")
        )
    with sessions() as session:
        assert not report_pages.confirm(session, found, ["k2"])
        assert report_pages.confirm(session, found, ["k2", "k1"]) is stays
    with sessions() as session:
        assert [page.inputs for page in report_pages.of(session, 7)] == ["new" if stays else "old"]
