"""Nights with changes are listed newest first, and forgotten after a while."""

from datetime import UTC, datetime, timedelta

from audit.store import nights, sealed
from audit.store.nights import Counts
from audit.store.sealed import Sealed

AT = datetime(2026, 11, 22, 3, tzinfo=UTC)


def test_nights_of_an_account_are_newest_first_and_old_ones_are_forgotten(sessions):
    with sessions() as session:
        for number, owner in enumerate((7, 7, 7, 8)):
            report = Sealed(b"told", b"k", "k1")
            night = f"n{number}"
            told = {nights.name(night, language): report for language in nights.LANGUAGES}
            nights.add(session, night, owner, Counts(3, 2, number), told, at=AT + number * timedelta(days=1))
    with sessions() as session:
        assert [night.id for night in nights.of(session, 7)] == ["n2", "n1", "n0"]
        assert [
            (night.id, night.changes, night.violations, night.mended) for night in nights.of(session, 7, most=1)
        ] == [("n2", 3, 2, 2)]
        nights.purge(session, 7, before=AT + timedelta(days=1, hours=1))
    with sessions() as session:
        assert [night.id for night in nights.of(session, 7)] == ["n2"]
        assert [sealed.get(session, nights.name("n0", language)) for language in nights.LANGUAGES] == [None, None]
        assert sealed.get(session, nights.name("n2", "zh")) == report
        nights.purge(session, 7)
        assert nights.of(session, 7) == []
        assert [night.id for night in nights.of(session, 8)] == ["n3"]
