"""The yearly renewal of a company's agreement: reminders, a year for each renewal, and no end by silence."""

from datetime import timedelta
from itertools import count

import pytest
from sqlmodel import select

from agreements.store.companies import companies, renewals
from agreements.store.companies.companies import CompanyDraft
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.tables.ledger_records import LedgerEntry
from tests.within import within

DAY = timedelta(days=1)
YEAR = 365 * DAY
SPANS = (30 * DAY, 7 * DAY)


@pytest.fixture(name="company")
def _company(session, vault, at):
    """A maker of countersigned companies that are due a year from the start."""

    def company(name="c1", **changes):
        fields = {"agreement": "ccla", "version": "2.0", "signed_at": at, "countersigned_at": at} | changes
        row = companies.add(
            within(session, vault, new_id=name), CompanyDraft(party="The CANN Authors", name=name, **fields)
        )
        row.renew_by = at + YEAR
        session.add(row)
        session.flush()
        return row

    return company


@pytest.mark.parametrize(
    ("days", "reminded", "which"),
    [
        (-31, None, None), (-30, None, 30), (-8, None, 30), (-8, -30, None), (-7, -30, 7), (-7, -7, None), (-1, None, 7),
        (-1, -31, 7), (3, -7, None), (-8, -1, 30),
    ],
)  # fmt: skip
def test_only_the_last_of_the_missed_reminders_is_due_and_each_once(at, days, reminded, which):
    before = renewals.reminder(at, None if reminded is None else at + reminded * DAY, SPANS, at=at + days * DAY)
    assert before == (None if which is None else which * DAY)


def test_companies_in_force_are_due_sixty_days_before_the_end_of_the_year(session, company, at):
    row, end = company(), at + YEAR
    company("over", ended_at=at)
    company("waiting", countersigned_at=None)

    def due(when):
        return [(renewal.name, renewal.before.days) for renewal in renewals.due(session, at=when)]

    assert due(end - 61 * DAY) == []
    for days in (60, 30, 7, 0):
        when = end - days * DAY
        assert due(when) == [("c1", days)]
        renewals.reminded(session, "c1", at=when)
        assert due(when + DAY) == []
    row.renew_by = end + YEAR
    assert due(end + DAY) == []
    assert due(end + YEAR - 60 * DAY) == [("c1", 60)]


def test_due_companies_are_in_the_order_of_their_names_in_any_case(session, company, at):
    for name in ("Beta", "aleph", "Alpha"):
        company(name)

    assert [renewal.name for renewal in renewals.due(session, at=at + YEAR)] == ["aleph", "Alpha", "Beta"]


def test_a_renewal_lasts_a_year_and_is_not_possible_too_early(session, vault, company, at):
    row, end, ids = company(), at + YEAR, count(1)

    def renew(when, key="c1"):
        return renewals.renew(within(session, vault, when, lambda: f"l{next(ids)}", by=12), key)

    with pytest.raises(CompanyRefused, match="early"):
        renew(end - 61 * DAY)
    assert renew(end - 60 * DAY) == end + YEAR
    assert renew(end + YEAR + 40 * DAY) == end + 2 * YEAR + 40 * DAY
    row.renew_by = None
    assert renew(at) == at + YEAR
    company("waiting", countersigned_at=None)
    company("over", ended_at=at)
    for key in ("waiting", "over"):
        with pytest.raises(CompanyRefused, match="not-in-force"):
            renew(at, key)
    with pytest.raises(LookupError):
        renew(at, "nobody")
    entries = session.exec(select(LedgerEntry)).all()
    assert [(entry.kind, entry.actor_id, entry.subject_id) for entry in entries] == [("company.renewed", 12, "c1")] * 3


def test_an_agreement_in_force_is_overdue_from_thirty_days_after_its_year(session, company, at):
    company()
    company("over", ended_at=at)
    end = at + YEAR
    assert renewals.overdue(session, at=end + 30 * DAY - timedelta(seconds=1)) == ()
    assert renewals.overdue(session, at=end + 30 * DAY) == (("c1", "c1", end),)
