"""The files of an run: one of a name for each account, and only those of the newest audit."""

from datetime import UTC, datetime

from audit.store import pages, sealed
from audit.store.sealed import Sealed

AT = datetime(2026, 11, 22, 3, tzinfo=UTC)


def test_files_of_an_edition(sessions):
    """The newer takes the older's place; what is not in the run any more goes, another account's stays."""
    with sessions() as session:
        for owner, name, digest in (
            (7, "report.json", "d1"),
            (7, "gone", "d"),
            (8, "gone", "d"),
            (7, "report.json", "d2"),
        ):
            pages.put(session, pages.page(owner, name, digest, at=AT), Sealed(digest.encode(), b"k", "k1"))
    with sessions() as session:
        assert (pages.digest(session, 7, "report.json"), pages.digest(session, 7, "none")) == ("d2", "")
        assert pages.get(session, 7, "report.json").sealed == b"d2"
        pages.keep_only(session, 7, {"report.json"})
    with sessions() as session:
        assert [(one.name, one.made_at) for one in pages.of(session, 7)] == [("report.json", AT)]
        assert [one.name for one in pages.of(session, 8)] == ["gone"]
        assert sealed.get(session, pages.name(7, "gone")) is None
