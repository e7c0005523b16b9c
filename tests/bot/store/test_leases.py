"""Due rows are claimed in fair lots, each by one run, and rows that a run left behind are repaired."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from bot.job_queue import Job
from bot.store.leases import LEASE, MAX_CLAIMS, enqueue_once
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import PullRecord
from bot.store.retry_policy import MAX_CLOCK_SKEW, MAX_QUICK_RETRIES, RETRY_DELAYS, SLOW_RETRY
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
LEASES = REVIEWS


def add(sessions, count=1, *, start=1, **values):
    """Pull requests that are due at noon, unless said otherwise; their ids."""
    about = {
        "repository_id": 1,
        "installation_id": 5,
        "owner_id": 4,
        "owner": "",
        "name": "",
        "latest": 1,
        "due_at": NOON,
    }
    ids = list(range(start, start + count))
    with sessions() as session:
        session.add_all([PullRecord(id=pull_id, number=pull_id, **(about | values)) for pull_id in ids])
    return ids


def claim(sessions, job="j1", queue="later", at=NOON, **how):
    """A job takes what it may."""
    with sessions() as session:
        return LEASES.claim(session, InlineEngine(), queue, job, at=at, **how)


def ids(leases):
    """Which rows these are about."""
    return [lease.row.id for lease in leases]


def rows(sessions):
    """All of them, by id."""
    with sessions() as session:
        return {row.id: row for row in session.exec(select(PullRecord)).all()}


def test_a_claim_takes_the_sixteen_rows_that_are_longest_due(sessions):
    add(sessions, 20)
    taken = claim(sessions)

    assert ids(taken) == list(range(1, MAX_CLAIMS + 1))
    assert len({lease.holder for lease in taken}) == 1
    assert {(row.due_at, row.lease_until) for row in rows(sessions).values() if row.lease_by} == {(None, NOON + LEASE)}
    assert ids(claim(sessions, "j2")) == [17, 18, 19, 20]
    assert claim(sessions, "j3") == []


@pytest.mark.parametrize(
    ("changed", "is_taken"),
    [
        ({}, True), ({"due_at": None}, False), ({"due_at": NOON + SECOND}, False), ({"latest": 0}, True), ({"latest": 0, "open": False}, False),
        ({"lease_by": "j2/x", "lease_until": NOON + SECOND}, False), ({"lease_by": "j2/x", "lease_until": NOON}, True),
        ({"lease_by": "j1/x", "lease_until": NOON + SECOND, "due_at": None}, True),
        ({"lease_by": "j12/x", "lease_until": NOON + SECOND, "due_at": None}, False),
        ({"lease_by": "j2/x", "lease_until": NOON + LEASE + MAX_CLOCK_SKEW}, False),
        ({"lease_by": "j2/x", "lease_until": NOON + LEASE + timedelta(hours=1)}, True),
    ],
)  # fmt: skip
def test_a_row_is_claimed_if_it_is_due_and_not_held(sessions, changed, is_taken):
    add(sessions, **changed)
    with sessions() as session:
        assert LEASES.is_held_by(session, "j1") is (changed.get("lease_by") == "j1/x")

    assert bool(claim(sessions)) is is_taken


def test_urgent_rows_are_claimed_first(sessions):
    others, urgent = add(sessions, 3), add(sessions, 2, start=10, urgent=True, due_at=NOON + SECOND)
    with sessions() as session:
        assert LEASES.depth(session, at=NOON + SECOND) == {"now": 2, "later": 3}
        assert LEASES.due(session, at=NOON) == ("later",)
        assert LEASES.due(session, at=NOON + SECOND) == ("now", "later")

    assert ids(claim(sessions, queue="now", at=NOON + SECOND, limit=1)) == urgent[:1]
    assert ids(claim(sessions, "j2", at=NOON + SECOND, limit=3)) == [urgent[1], *others[:2]]
    assert claim(sessions, "j3", "now", NOON + SECOND) == []
    assert not any(row.urgent for row in rows(sessions).values())


def test_a_newcomer_is_in_the_first_lot_during_a_storm(sessions):
    add(sessions, 100)
    first, second = (
        add(sessions, start=200, installation_id=6, due_at=NOON + SECOND),
        add(sessions, 3, start=300, installation_id=7),
    )

    taken = ids(claim(sessions, at=NOON + SECOND))
    assert len(taken) == MAX_CLAIMS
    assert {*first, *second} <= set(taken)
    assert set(taken[:3]) == {1, *first, second[0]}


def test_concurrent_claims_take_no_row_twice(sessions):
    everything = add(sessions, 90)

    def worker(name):
        taken = []
        for number in range(40):
            taken += ids(claim(sessions, f"{name}{number}"))
        return taken

    with ThreadPoolExecutor(4) as pool:
        taken = [pull_id for some in pool.map(worker, "abcd") for pull_id in some]
    assert sorted(taken) == everything


def test_an_overtaken_run_neither_holds_nor_gives_back_its_row(sessions):
    add(sessions)
    (lost,), late = claim(sessions), NOON + LEASE
    with sessions() as session:
        assert LEASES.hold(session, lost, at=NOON + SECOND)
        assert LEASES.repair(session, InlineEngine(), at=late) == 1
    (mine,) = claim(sessions, "j2", at=late)

    with sessions() as session:
        assert not LEASES.hold(session, lost, at=late)
        LEASES.give_back(session, InlineEngine(), lost, at=late)
        assert LEASES.hold(session, mine, at=late + LEASE * 3 / 4)
    assert rows(sessions)[1].lease_until == late + LEASE * 7 / 4


def test_a_row_given_back_is_due_as_before(sessions):
    add(sessions, urgent=True)
    (held,) = claim(sessions)
    with sessions() as session:
        LEASES.give_back(session, InlineEngine(), held, at=NOON + SECOND)

    row = rows(sessions)[1]
    assert (row.due_at, row.urgent, row.lease_by, row.lease_until) == (NOON, True, None, None)
    assert ids(claim(sessions, "j2")) == [1]


@pytest.mark.parametrize(
    ("changed", "is_found"),
    [
        ({"due_at": None}, True), ({}, False), ({"due_at": None, "latest": 0}, False),
        ({"due_at": NOON + SLOW_RETRY, "attempts": MAX_QUICK_RETRIES + 1}, False), ({"due_at": NOON + SLOW_RETRY * 99, "latest": 0}, False),
        ({"due_at": NOON + SLOW_RETRY + 2 * MAX_CLOCK_SKEW, "attempts": MAX_QUICK_RETRIES + 1}, True),
        ({"due_at": NOON + RETRY_DELAYS[-1]}, False), ({"due_at": NOON + SLOW_RETRY}, True),
        ({"due_at": NOON + RETRY_DELAYS[-1], "attempts": 1}, False), ({"due_at": NOON + SLOW_RETRY, "attempts": 1}, True),
        ({"due_at": NOON + SLOW_RETRY, "lease_until": NOON + SLOW_RETRY}, False),
        ({"due_at": None, "lease_by": "j/x", "lease_until": NOON + SECOND}, False),
        ({"due_at": None, "lease_by": "j/x", "lease_until": NOON}, True),
    ],
)  # fmt: skip
def test_a_row_that_no_run_would_look_at_is_repaired(sessions, changed, is_found):
    add(sessions, **changed)
    with sessions() as session:
        assert LEASES.repair(session, InlineEngine(), at=NOON) == is_found

    assert (rows(sessions)[1].due_at == NOON) is (is_found or not changed)


def test_a_transaction_stores_a_job_once(sessions):
    jobs = InlineEngine()
    with sessions() as session:
        for _ in range(3):
            enqueue_once(session, jobs, Job("review", (), "now"))
        enqueue_once(session, jobs, Job("review", (), "later"))
    assert len(jobs.waiting) == 2

    with sessions() as session:
        savepoint = session.begin_nested()
        enqueue_once(session, jobs, Job("review", (), "now"))
        savepoint.rollback()
        enqueue_once(session, jobs, Job("review", (), "now"))
    assert jobs.waiting.count(Job("review", (), "now")) == 2
