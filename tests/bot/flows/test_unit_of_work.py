"""From one call to GitHub to the next there is one transaction; no call is made in it, and nothing of a failure stays."""

from dataclasses import replace

import pytest
from sqlalchemy import event

from bot.flows.review import review
from bot.flows.unit_of_work import unit_of_work
from bot.store.pulls import pull_state
from bot.store.pulls.review_mailbox import find


@pytest.fixture(name="pull")
def _pull(scene):
    """A pull request that we know and have not judged."""
    pull, _ = scene.pull()
    scene.hear()
    return pull


@pytest.fixture(name="commits")
def _commits(scene):
    """The transactions that were committed and had written something: SQLite's begin with that."""
    seen = []

    def committed(connection):
        if connection.connection.dbapi_connection.in_transaction:
            seen.append(connection)

    with scene.sessions() as session:
        engine = session.get_bind().engine
    event.listen(engine, "commit", committed)
    yield seen
    event.remove(engine, "commit", committed)


def label(scene, services, pull, name):
    """Something written in a block of its own."""
    with services.sessions() as session:
        pull_state.labelled(session, find(session, pull.repository.id, pull.number).id, name)


def test_what_is_written_between_two_calls_is_one_transaction(scene, pull, commits):
    """It is committed before the call is made, and what follows at the end."""
    with unit_of_work(scene.services) as services:
        label(scene, services, pull, "one")
        label(scene, services, pull, "two")
        assert commits == []
        seen = []
        scene.weather.before.append(("POST", "/labels$", lambda: seen.append((len(commits), scene.row(pull).label))))
        services.hub.create_label(scene.place, "three", "ffffff", "")
        assert seen == [(1, "two")]
        before = len(commits)
        label(scene, services, pull, "four")
        assert len(commits) == before
    assert scene.row(pull).label == "four"


def test_who_asks_the_records_sees_what_was_written(scene, pull):
    """They are asked on another connection."""
    with unit_of_work(scene.services) as services:
        label(scene, services, pull, "one")
        services.look_ups().close()
        assert scene.row(pull).label == "one"


def test_a_block_that_fails_takes_its_transaction_with_it_and_not_what_was_committed(scene, pull):
    """The next block begins anew."""
    with unit_of_work(scene.services) as services:
        label(scene, services, pull, "one")
        services.look_ups().close()
        label(scene, services, pull, "two")
        with pytest.raises(ZeroDivisionError), services.sessions():
            raise ZeroDivisionError
        assert scene.row(pull).label == "one"
        label(scene, services, pull, "three")
    assert scene.row(pull).label == "three"


def test_an_error_between_blocks_keeps_what_they_wrote(scene, pull):
    """As if each had been committed by itself: what was known before the failure is said in the check."""
    with unit_of_work(scene.services) as services:
        label(scene, services, pull, "one")
        with pytest.raises(ZeroDivisionError):
            raise ZeroDivisionError
        label(scene, services, pull, "two")
    assert scene.row(pull).label == "two"
    with pytest.raises(ZeroDivisionError):
        dies(scene, pull)
    assert scene.row(pull).label == "two"


def dies(scene, pull):
    """A run that does not end as it should."""
    with unit_of_work(scene.services) as services:
        label(scene, services, pull, "three")
        raise ZeroDivisionError


def test_a_red_verdict_takes_few_writing_transactions(scene, pull, commits):
    """Of which each waits for the disk; the very first one also learns who is served, and makes the label."""
    review(scene.row(pull).id, "first", scene.services)
    second, _ = scene.pull("Second", branch="second")
    scene.hear()
    scene.calls()
    before = len(commits)
    review(scene.row(second).id, "job", scene.services)
    assert scene.conclusion(second) == "failure"
    assert len(scene.calls()) == 5
    assert len(commits) - before <= 7


def test_small_history_is_no_call(scene, pull, commits):
    """All commits came with the first look: nobody is asked, so nothing has to be committed for it; else it is."""
    snapshot = scene.hub.fetch_snapshot(scene.place, pull.number, ())
    with unit_of_work(scene.services) as services:
        label(scene, services, pull, "one")
        assert services.hub.history(snapshot).complete
        assert commits == []
        services.hub.history(replace(snapshot, cursor="rest:2"))
        assert len(commits) == 1


def test_one_run_judges_by_the_same_texts_from_beginning_to_end(scene):
    """They are read once, also where a text is released meanwhile; the next run has that."""
    found = iter(range(9))
    counting = replace(scene.services, texts=lambda: next(found))
    for expected in (0, 1):
        with unit_of_work(counting) as services:
            assert [services.catalog, services.catalog] == [expected] * 2
