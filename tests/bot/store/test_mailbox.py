"""One job waits, one run holds, the newest state wins: the same for every subject that has a mailbox."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import col, select

from bot.job_queue import Job
from bot.jobs.inline import InlineEngine
from bot.store import mailbox
from bot.store.license_checks import LicenseCheck
from bot.store.mailbox import MAX_QUICK_RETRIES, RETRY_DELAYS, SLOW_RETRY
from bot.store.records import Pull

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LEASE = timedelta(minutes=10)
SUBJECTS = {
    "pull request": lambda **given: Pull(repository_id=1, number=2, installation_id=3, owner_id=4, owner="", name="", **given),
    "head": lambda **given: LicenseCheck(repository_id=1, head_sha="a" * 40, basis={}, **given),
}  # fmt: skip


@pytest.fixture(name="row", params=SUBJECTS)
def _row(request):
    """A row of each kind with something new."""
    return SUBJECTS[request.param](latest=3, queued=2)


def begin(row, job="j1", at=NOON, covered=0):
    """Who holds it then."""
    return mailbox.begin(row, job, covered=covered, at=at, lease=LEASE)


@pytest.mark.parametrize(
    ("job", "after", "is_taken"),
    [
        ("j2", timedelta(0), False), ("j2", LEASE - timedelta(seconds=1), False), ("j2", LEASE, True),
        ("j1", timedelta(0), True), ("j", timedelta(0), False),
    ],
)  # fmt: skip
def test_one_run_holds_it_until_its_lease_ends(row, job, after, is_taken):
    """Another job waits for the lease's end; the same job may take it again, and is another run then."""
    first = begin(row)
    again = begin(row, job, NOON + after)

    assert (again is not None) is is_taken
    assert row.lease_by == (again or first)
    assert again != first


def test_nothing_new_is_not_taken(row):
    """Who came for nothing leaves nothing held."""
    row.lease_by, row.lease_until = "j1/x", NOON

    assert begin(row, covered=3) is None
    assert (row.lease_by, row.lease_until, row.queued) == (None, None, 0)


def test_failures_are_tried_again_ever_later(row):
    """Quickly at first; after many it is left to the sweep."""
    waits = [mailbox.give_up(row, at=NOON) for _ in range(MAX_QUICK_RETRIES + 1)]

    assert waits == [*RETRY_DELAYS, *[RETRY_DELAYS[-1]] * (MAX_QUICK_RETRIES - len(RETRY_DELAYS)), None]
    assert row.due_at == NOON + SLOW_RETRY


def test_what_is_urgent_does_not_wait(row):
    """However often it failed."""
    row.attempts = MAX_QUICK_RETRIES + 5

    assert mailbox.give_up(row, at=NOON, is_urgent=True) == timedelta(0)
    assert row.due_at == NOON


@pytest.mark.parametrize(
    ("waiting", "queue", "queued"),
    [(0, "later", 1), (0, "now", 2), (1, "later", None), (1, "now", 2), (2, "later", None), (2, "now", None)],
)
def test_an_urgent_job_does_not_wait_behind_a_slow_one(sessions, waiting, queue, queued):
    """One job waits in each queue at most, and none in `later` once one waits in `now`."""
    engine = InlineEngine()
    job = Job("review", (1,), queue)

    with sessions() as session:
        assert mailbox.enqueue(session, engine, waiting, job) == (queued or waiting)
    assert list(engine.waiting) == ([job] if queued else [])


@pytest.mark.parametrize(
    ("changed", "is_stale"),
    [
        ({}, True), ({"queued": 1}, False), ({"latest": 0}, False),
        ({"lease_by": "j/x", "lease_until": NOON + LEASE}, False), ({"lease_by": "j/x", "lease_until": NOON}, True),
        ({"due_at": NOON + LEASE}, False), ({"due_at": NOON}, True),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("subject", "covered"), [("pull request", Pull.evaluated), ("head", LicenseCheck.judged)])
def test_a_sweep_finds_what_nobody_looks_after(sessions, subject, covered, changed, is_stale):
    """Something new, no job that waits, no run that holds it, and its time has come."""
    row = SUBJECTS[subject](**{"latest": 1, "queued": 0} | changed)
    with sessions() as session:
        session.add(row)
        session.flush()
        here = mailbox.lock(session, type(row), col(type(row).repository_id) == 1)
        found = session.exec(select(type(row)).where(mailbox.is_stale(type(row), covered, at=NOON))).all()

    assert here is row
    assert bool(found) is is_stale
