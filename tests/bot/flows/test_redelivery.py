"""Which of the failed deliveries are worth sending again."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.flows import redelivery
from bot.github.deliveries import DeliveryAttempt
from bot.github.ports import RepositoryPlace
from bot.store.records import DeliveryRecord

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HERE = RepositoryPlace(1, "cann", "ops", 900)


def failed(number, *, event="pull_request", attempts=1, repository=900):
    """One failure."""
    return DeliveryAttempt(
        id=number, guid=f"g{number}", event=event, repository_id=repository, at=NOON, status=502, attempts=attempts
    )


class Log:
    """GitHub's log: these failures; what was asked for is kept."""

    def __init__(self, *found):
        self.found, self.since, self.sent, self.taken = found, None, [], frozenset()

    def failed_deliveries(self, since):
        """The literal list."""
        self.since = since
        return self.found

    def taken_deliveries(self, since):
        """Asked back to the oldest of those that are not here."""
        assert since == NOON
        return self.taken

    def redeliver(self, delivery_id):
        """Every odd one is taken up."""
        self.sent.append(delivery_id)
        return delivery_id % 2 == 1


def test_what_we_act_on_and_did_not_get(sessions):
    """Not a star, not what arrived after all, not what we refused five times."""
    with sessions() as session:
        session.add(DeliveryRecord(guid="g3", event="push", action="", received_at=NOON, state="done", ids={}))
    log = Log(failed(1), failed(2, event="star"), failed(3), failed(5, attempts=redelivery.MAX_ATTEMPTS), failed(6))

    assert redelivery.redeliver(log, sessions, since=NOON - timedelta(hours=1), at=NOON) == (1, 5)

    assert log.sent == [1, 6]
    assert log.since == NOON - timedelta(hours=1)


def test_no_further_back_than_github_remembers(sessions):
    """Three days."""
    log = Log()
    assert redelivery.redeliver(log, sessions, since=NOON - timedelta(days=30), at=NOON) == (0, 0)
    assert log.since == NOON - redelivery.GITHUB_RETENTION


@pytest.mark.parametrize(("count", "sent"), [(redelivery.MAX_REDELIVERED, 500), (redelivery.MAX_REDELIVERED + 1, 500)])
def test_so_many_in_one_go(sessions, count, sent):
    """The oldest first; the next sweep takes the others."""
    log = Log(*(failed(number) for number in range(count)))
    redelivery.redeliver(log, sessions, since=NOON, at=NOON)
    assert log.sent == list(range(sent))


def test_what_came_when_it_was_sent_again_is_not_sent_for_ever(sessions):
    """A push to somebody's branch asks nothing of us and is stored nowhere: it must not take the place of what is lost."""
    ignored = [failed(number, event="push") for number in range(redelivery.MAX_REDELIVERED)]
    log = Log(*ignored, failed(1001))
    log.taken = frozenset(one.guid for one in ignored)

    assert redelivery.redeliver(log, sessions, since=NOON, at=NOON) == (1, 501)
    assert log.sent == [1001]
