"""Failed deliveries that matter are requested again, and lost deliveries are recorded."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.flows import redelivery
from bot.github.delivery_log import DeliveryAttempt
from bot.github.ports import Missing, RepositoryPlace
from bot.monitoring.operating_facts import LOST_AFTER
from bot.store import service_record, sweeps
from bot.store.records import DeliveryRecord

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HERE = RepositoryPlace(1, "cann", "ops", 900)


def failed(number, *, event="pull_request", attempts=1, repository=900, status=502):
    """One failure."""
    return DeliveryAttempt(
        id=number, guid=f"g{number}", event=event, repository_id=repository, at=NOON, status=status, attempts=attempts
    )


class Log:
    """GitHub's log: these failures; what was asked for is kept."""

    def __init__(self, *found):
        self.found, self.since, self.sent, self.taken = found, None, [], frozenset()
        self.newest = Missing("no such log")

    def failed_deliveries(self, since):
        """The literal list."""
        self.since = since
        return self.found

    def taken_deliveries(self, since):
        """Asked back to the oldest of those that are not here."""
        assert since == NOON
        return self.taken

    def newest_deliveries(self):
        """As told; an older server has no such log."""
        if isinstance(self.newest, Missing):
            raise self.newest
        return self.newest

    def redeliver(self, delivery_id):
        """GitHub takes up the deliveries with an odd number."""
        self.sent.append(delivery_id)
        return delivery_id % 2 == 1


def test_only_failed_deliveries_that_matter_and_did_not_arrive_are_redelivered(sessions):
    with sessions() as session:
        session.add(DeliveryRecord(guid="g3", event="push", action="", received_at=NOON, state="done", ids={}))
    log = Log(
        failed(1),
        failed(2, event="star"),
        failed(3),
        failed(5, attempts=redelivery.MAX_ATTEMPTS, status=400),
        failed(6),
    )

    assert redelivery.redeliver(log, sessions, since=NOON - timedelta(hours=1), at=NOON) == (1, 5)

    assert log.sent == [1, 6]
    assert log.since == NOON - timedelta(hours=1)


@pytest.mark.parametrize(
    ("status", "is_given_up"),
    [(0, False), (401, False), (404, False), (502, False), (503, False), (400, True), (413, True)],
)
def test_a_refused_delivery_is_given_up_and_a_delivery_that_a_long_outage_lost_is_not(sessions, status, is_given_up):
    log = Log(failed(1, attempts=3 * redelivery.MAX_ATTEMPTS, status=status))
    redelivery.redeliver(log, sessions, since=NOON, at=NOON)
    assert log.sent == ([] if is_given_up else [1])
    assert recorded(sessions)[0] == 1  # it is lost all the same
    log.sent.clear()
    redelivery.redeliver(log, sessions, since=NOON, at=NOON, with_refused=True)
    assert log.sent == [1], "an operator may ask for it once the cause is gone"


def test_redelivery_goes_back_three_days_at_most(sessions):
    log = Log()
    assert redelivery.redeliver(log, sessions, since=NOON - timedelta(days=30), at=NOON) == (0, 0)
    assert log.since == NOON - redelivery.GITHUB_RETENTION


@pytest.mark.parametrize(("count", "sent"), [(redelivery.MAX_REDELIVERED, 500), (redelivery.MAX_REDELIVERED + 1, 500)])
def test_a_round_redelivers_the_oldest_up_to_a_limit(sessions, count, sent):
    log = Log(*(failed(number) for number in range(count)))
    redelivery.redeliver(log, sessions, since=NOON, at=NOON)
    assert log.sent == list(range(sent))


def test_deliveries_that_were_ignored_after_a_redelivery_do_not_fill_the_limit(sessions):
    ignored = [failed(number, event="push") for number in range(redelivery.MAX_REDELIVERED)]
    log = Log(*ignored, failed(1001))
    log.taken = frozenset(delivery.guid for delivery in ignored)

    assert redelivery.redeliver(log, sessions, since=NOON, at=NOON) == (1, 501)
    assert log.sent == [1001]


def recorded(sessions):
    """How many are lost, since when, and when that was asked."""
    with sessions() as session:
        known = service_record.state(session)
    return known.lost_deliveries, known.lost_since, known.asked_at


def test_lost_deliveries_are_recorded_until_a_round_finds_none(sessions):
    with sessions() as session:
        session.add(DeliveryRecord(guid="g3", event="push", action="", received_at=NOON, state="done", ids={}))
    found = []
    for hours, failures in enumerate(([failed(2, event="star"), failed(3)], [failed(1), failed(6)], [failed(6)], [])):
        at = NOON + timedelta(hours=hours)
        redelivery.redeliver(Log(*failures), sessions, since=NOON, at=at)
        found.append(recorded(sessions))
    first = NOON + timedelta(hours=1)
    assert [(lost, since) for lost, since, _ in found] == [(0, None), (2, first), (1, first), (0, None)]
    assert [at for *_, at in found] == [NOON + timedelta(hours=hours) for hours in range(4)]


class WholeLog(Log):
    """GitHub's log that answers for the time that is asked for."""

    def failed_deliveries(self, since):
        """Those that failed since then."""
        self.since = since
        return tuple(attempt for attempt in self.found if attempt.at >= since)


REFUSED = {"attempts": redelivery.MAX_ATTEMPTS, "status": 400}
TEN_MINUTES, OVERLAP = timedelta(minutes=10), timedelta(minutes=5)


def swept(sessions, log, rounds):
    """How many are lost after each of so many sweeps, of which each asks for the time since the one before."""
    found = []
    for number in range(rounds):
        at = NOON + timedelta(minutes=3) + number * TEN_MINUTES
        redelivery.redeliver(log, sessions, since=at - TEN_MINUTES - OVERLAP, at=at)
        found.append(recorded(sessions)[0])
    return found


def test_what_was_given_up_stays_lost_after_the_sweep_that_found_it(sessions):
    log = WholeLog(failed(1, **REFUSED), failed(6, event="star"))
    assert swept(sessions, log, 4) == [1, 1, 1, 1]
    known = service_record.state
    with sessions() as session:
        assert known(session).asked_at - known(session).lost_since >= LOST_AFTER
    assert log.sent == []

    at = NOON + timedelta(hours=1)  # An operator asks for less than all.
    assert redelivery.redeliver(log, sessions, since=at - timedelta(minutes=1), at=at, with_refused=True) == (0, 0)
    assert recorded(sessions)[0] == 1

    log.taken = frozenset({"g1"})
    redelivery.redeliver(log, sessions, since=at, at=at)
    assert recorded(sessions)[0] == 0
    redelivery.redeliver(log, sessions, since=at, at=at)
    assert log.since == at, "as long as none is lost, only what is new is asked for"


def test_what_was_sent_again_and_did_not_fail_once_more_is_not_lost(sessions):
    assert swept(sessions, WholeLog(failed(1)), 4) == [1, 1, 0, 0]


def test_what_was_given_up_is_forgotten_with_githubs_log(sessions):
    log = WholeLog(failed(1, **REFUSED))
    swept(sessions, log, 1)
    at = NOON + redelivery.GITHUB_RETENTION + TEN_MINUTES
    redelivery.redeliver(log, sessions, since=at - TEN_MINUTES, at=at)
    assert recorded(sessions)[0] == 0


def sent(number, minutes, status=202):
    """What GitHub sent so long after noon, and the status that a server answered."""
    at = NOON + timedelta(minutes=minutes)
    return DeliveryAttempt(id=number, guid=f"g{number}", event="push", repository_id=900, at=at, status=status)


def test_deliveries_taken_by_another_server_are_recorded_as_lost(sessions):
    with sessions() as session:
        service_record.served(session, at=NOON - timedelta(days=3))
        session.add(DeliveryRecord(guid="g4", event="push", action="", received_at=NOON, state="done", ids={}))
    last = service_record.LastDelivery(lambda: NOON)
    last.note()
    last.store(sessions)
    log = Log()
    log.newest = (sent(6, 40), sent(5, 30, 502), sent(4, 20), sent(3, 10), sent(2, 4), sent(1, -60))

    redelivery.redeliver(log, sessions, since=NOON, at=NOON + timedelta(minutes=59))
    assert recorded(sessions)[0] == 0
    redelivery.redeliver(log, sessions, since=NOON, at=NOON + timedelta(minutes=61))
    assert recorded(sessions)[0] == 2

    with sessions() as session:  # they had come before the database was set back
        sweeps.restored(session, at=NOON + timedelta(minutes=59))
    redelivery.redeliver(log, sessions, since=NOON, at=NOON + timedelta(hours=3))
    assert recorded(sessions)[0] == 0


def test_without_a_log_of_deliveries_nothing_is_recorded_as_lost(sessions):
    with sessions() as session:
        service_record.served(session, at=NOON - timedelta(days=3))
    redelivery.redeliver(Log(), sessions, since=NOON, at=NOON)
    assert recorded(sessions) == (0, None, NOON)
