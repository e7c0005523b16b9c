"""Totals of the audits: only changed nights are kept, for a year, the newest for good."""

from collections import Counter
from datetime import UTC, datetime, timedelta

from audit.facts import LicenseVerdict
from audit.output.audit_run import Totals
from audit.store import totals

AT = datetime(2026, 11, 22, 3, tzinfo=UTC)


def night(day, violations, **uses):
    """That many days later."""
    return Totals(
        AT + timedelta(days=day), 3, violations, Counter({LicenseVerdict(name): count for name, count in uses.items()})
    )


def test_only_changed_nights_are_kept_for_a_year_and_the_newest_for_good(sessions):
    counted = [night(0, 2, review=1), night(1, 2, review=1), night(2, 0, review=3), night(3, 2, review=1)]
    with sessions() as session:
        for tally in counted:
            totals.add(session, 7, tally)
        totals.add(session, 8, counted[0])
        totals.add(session, 7, counted[3])
    with sessions() as session:
        found = totals.of(session, 7)
        assert [tally.at for tally in found] == [counted[0].at, counted[2].at, counted[3].at]
        assert found[1].uses[LicenseVerdict.REVIEW] == 3
        totals.purge(session, 7, before=AT + timedelta(days=900))
        assert [tally.at for tally in totals.of(session, 7)] == [counted[3].at]
        totals.purge(session, 7)
        assert totals.of(session, 7) == []
        assert len(totals.of(session, 8)) == 1
