"""Concurrent writes of several threads are one transaction, in which an error concerns its own write alone."""

import threading

import pytest
from sqlalchemy import event
from sqlmodel import select

from bot.clock import monotonic
from bot.flows.group_commit import MAX_WAIT_SECONDS, GroupCommit
from bot.store import sweeps
from bot.store.owners import Owner


@pytest.fixture(name="commits")
def _commits(sessions):
    """How often something was committed."""
    seen = []
    with sessions() as session:
        event.listen(session.get_bind(), "commit", seen.append)
    seen.clear()
    return seen


def on_threads(*steps):
    """What each gives or raises, in their order."""
    found = [None] * len(steps)

    def run(place):
        try:
            found[place] = steps[place]()
        except LookupError as error:
            found[place] = error

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(steps))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return found


def adding(number):
    """Writes the row of that account, and gives its number."""

    def add(session):
        session.add(Owner(account_id=number))
        session.flush()
        return number

    return add


def stored(sessions):
    """The accounts that have a row."""
    with sessions() as session:
        return sorted(session.exec(select(Owner.account_id)))


def test_concurrent_writes_are_one_transaction_with_an_answer_each(sessions, commits):
    group = GroupCommit(sessions, 3)
    assert on_threads(
        *(lambda number=number: group.write(adding(number), place=(number,)) for number in (1, 2, 3))
    ) == [1, 2, 3]
    assert len(commits) == 1
    assert stored(sessions) == [1, 2, 3]


def test_an_error_of_one_write_leaves_the_others_written(sessions):
    group = GroupCommit(sessions, 3)

    def fail(session):
        adding(2)(session)
        raise LookupError

    first, second, third = on_threads(
        lambda: group.write(adding(1), place=(1,)),
        lambda: group.write(fail, place=(2,)),
        lambda: group.write(adding(3), place=(3,)),
    )
    assert (first, type(second), third) == (1, LookupError, 3)
    assert stored(sessions) == [1, 3]


def test_a_write_does_not_wait_long_for_a_slow_or_departed_member(sessions):
    group = GroupCommit(sessions, 2)
    begun = monotonic()
    assert group.write(adding(1), place=(1,)) == 1
    assert monotonic() - begun < 20 * MAX_WAIT_SECONDS
    group.left()
    assert group.write(adding(2), place=(2,)) == 2
    assert stored(sessions) == [1, 2]


def test_a_write_of_a_single_member_is_one_transaction(sessions, commits):
    assert GroupCommit(sessions, 1).write(sweeps.state, place=()).restored_at is None
    assert len(commits) == 1


def test_rows_are_locked_in_the_order_of_their_places(sessions):
    order, group = [], GroupCommit(sessions, 3)
    on_threads(
        *(lambda number=number: group.write(lambda _: order.append(number), place=(number,)) for number in (3, 1, 2))
    )
    assert order == [1, 2, 3]
