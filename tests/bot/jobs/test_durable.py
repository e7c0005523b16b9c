"""The durable engine keeps the port's promises on both databases, in one process."""

import json
import threading
import time
from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy import event, text

from bot.clock import new_id, now
from bot.job_queue import Job
from bot.jobs.durable import PURGE_BATCH_JOBS, DurableEngine
from bot.jobs.liveness import PollPace
from bot.store import executors

QUICK = PollPace(later_poll=0.1)


class Ran:
    """A runner that writes down what it was given."""

    def __init__(self):
        self.jobs, self.fail = [], {}

    def __call__(self, job, job_id):
        self.jobs.append((job, job_id))
        if self.fail.get(job.name, 0) > 0:
            self.fail[job.name] -= 1
            raise ValueError("ann@example.org is nobody's business")

    def names(self):
        return [job.name for job, _ in self.jobs]


def until(condition, seconds=10):
    """Wait until it is true; false when the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def durable(engine, **options):
    """A durable engine under a new executor id."""
    return DurableEngine(engine, executor_id=new_id(), **{"sole": True, "pace": QUICK, **options})


@pytest.fixture(name="ran")
def _ran():
    return Ran()


@pytest.fixture(name="running")
def _running(engine, ran):
    """A started engine."""
    subject = durable(engine)
    subject.start(ran)
    yield subject
    subject.stop()


def put(sessions, subject, *jobs):
    """Store jobs in one transaction; gives their ids."""
    with sessions() as session:
        return [subject.enqueue(session, job) for job in jobs]


def test_a_process_alone_says_that_it_lives(sessions, engine, ran):
    """Other programs count the processes that take jobs."""
    subject = durable(engine, pace=PollPace(beat=timedelta(seconds=0.1)))
    subject.start(ran)

    def beats():
        with sessions() as session:
            return list(executors.alive(session, since=now() - timedelta(minutes=1)).values())

    try:
        [first] = beats()
        assert until(lambda: max(beats()) > first)
    finally:
        subject.stop()
    assert beats() == []


def test_committed_jobs_run_and_rolled_back_ones_do_not(sessions, running, ran):
    def half_done():
        with sessions() as session:
            running.enqueue(session, Job("lost"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half_done()
    ids = put(
        sessions,
        running,
        Job("review", (2**53, "a-b")),
        Job("slow", (), "later"),
        Job("late", (), "later", timedelta(seconds=1)),
    )

    assert until(lambda: len(ran.jobs) == 3)
    assert sorted(ran.jobs, key=lambda pair: ids.index(pair[1])) == [
        (Job("review", (2**53, "a-b")), ids[0]),
        (Job("slow", (), "later"), ids[1]),
        (Job("late", (), "later"), ids[2]),
    ]
    assert ran.names()[-1] == "late"


def test_a_job_that_raises_is_tried_again_and_its_message_is_not_stored(sessions, engine, running, ran):
    ran.fail = {"twice": 2, "always": 1000}
    twice, always = put(sessions, running, Job("twice"), Job("always", (7,)))

    assert until(lambda: ran.names().count("always") == 3 and ran.names().count("twice") == 3)
    assert {job_id for job, job_id in ran.jobs if job.name == "twice"} == {twice}
    assert until(lambda: row(engine, f"{always}.2") is not None)
    again = row(engine, f"{always}.2")
    assert (again.status, again.queue_name) == ("DELAYED", "later")
    assert 3 < again.delay_until_epoch_ms / 1000 - now().timestamp() <= 5
    assert until(lambda: row(engine, always).status == "SUCCESS")
    everything = dump(engine)
    assert f"{always}.2" in everything
    assert "ann@example.org" not in everything


def test_a_failed_job_goes_on_under_its_own_id(sessions, engine, running, ran):
    """A lease by the job's id can then be taken again."""
    ran.fail = {"four": 3}
    (job_id,) = put(sessions, running, Job("four"))
    assert until(lambda: row(engine, f"{job_id}.2") is not None)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {table(engine)} SET delay_until_epoch_ms = 0 WHERE status = 'DELAYED'"))

    assert until(lambda: len(ran.jobs) == 4)
    assert {found for _, found in ran.jobs} == {job_id}


def test_arguments_are_json_and_never_pickles(sessions, engine, running):
    """Write access to the database must not become code in our process."""
    (job_id,) = put(sessions, running, Job("review", (5, "x"), "later", timedelta(hours=1)))

    with engine.begin() as connection:
        name = "workflow_input" if engine.dialect.name == "sqlite" else "dbos.workflow_input"
        stored = connection.execute(text(f"SELECT inputs FROM {name} WHERE workflow_uuid = '{job_id}'")).scalar_one()
    assert json.loads(stored) == {"namedArgs": {}, "positionalArgs": ["review", [5, "x"], "later", job_id, 1]}
    assert row(engine, job_id).serialization == "portable_json"
    assert row(engine, job_id).application_version == "1"


def test_a_process_that_only_stores_jobs_needs_no_start(sessions, engine, ran):
    web = durable(engine, sole=False)
    web.prepare()
    web.prepare()
    put(sessions, web, Job("stored"))

    worker = durable(engine, sole=False)
    worker.start(ran)
    try:
        assert until(lambda: ran.names() == ["stored"])
    finally:
        worker.stop()


def test_a_process_that_only_stores_jobs_is_no_worker(engine, ran):
    web, worker, alone = durable(engine, sole=False), durable(engine, sole=False), durable(engine)
    worker.start(ran)
    try:
        assert [worker.workers(), web.workers(), alone.workers()] == [1, 2, 1]  # whoever asks counts itself
    finally:
        worker.stop()


def test_stopping_is_bounded_and_the_next_process_goes_on(sessions, engine, ran):
    hold, begun = threading.Event(), []

    def stuck(job, job_id):
        begun.append(job_id)
        hold.wait(30)

    first = durable(engine)
    first.start(stuck)
    (job_id,) = put(sessions, first, Job("stuck"))
    assert until(lambda: begun == [job_id])
    before = time.monotonic()
    first.stop(timeout=1)
    assert time.monotonic() - before < 8
    first.stop()

    second = durable(engine)
    second.start(ran)
    try:
        assert until(lambda: [found for _, found in ran.jobs] == [job_id])
    finally:
        hold.set()
        second.stop()


def test_stopping_waits_until_finished_jobs_are_written(sessions, engine):
    done = threading.Event()

    @event.listens_for(engine, "before_cursor_execute")
    def slowly(_connection, _cursor, statement, *_):
        if done.is_set() and "UPDATE" in statement[:20] and "workflow_status" in statement:
            time.sleep(1.5)

    subject = durable(engine)
    subject.start(lambda *_: done.set())
    (job_id,) = put(sessions, subject, Job("quick"))
    assert done.wait(10)
    subject.stop()
    event.remove(engine, "before_cursor_execute", slowly)
    assert row(engine, job_id).status == "SUCCESS"
    assert not [one.name for one in threading.enumerate() if one.name.startswith("dbos-executor")]


def test_a_process_stops_and_starts_again_while_the_database_is_away(sessions, engine, ran):
    subject = durable(engine, sole=False)
    subject.start(ran)
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE executor RENAME TO away"))
    subject.stop()
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE away RENAME TO executor"))
    subject.start(ran)
    try:
        (job_id,) = put(sessions, subject, Job("after"))
        assert until(lambda: [found for _, found in ran.jobs] == [job_id])
    finally:
        subject.stop()


def test_a_job_that_was_begun_two_hundred_times_is_not_lost(sessions, engine, ran):
    subject = durable(engine)
    subject.prepare()
    (job_id,) = put(sessions, subject, Job("killed"))
    with engine.begin() as connection:
        begun = f"UPDATE {table(engine)} SET status = 'PENDING', executor_id = 'gone', recovery_attempts = 200"
        connection.execute(text(f"{begun} WHERE workflow_uuid = :id"), {"id": job_id})
    subject.start(ran)
    try:
        assert until(lambda: [found for _, found in ran.jobs] == [job_id])
    finally:
        subject.stop()


def test_a_job_committed_here_starts_at_once(sessions, engine, ran):
    subject = DurableEngine(
        engine, executor_id=new_id(), sole=True, pace=PollPace(now_poll=60, later_poll=60, later_workers=2)
    )
    subject.start(ran)
    try:
        put(sessions, subject, Job("first"), *[Job("many", (number,), "later") for number in range(6)])
        assert until(lambda: len(ran.jobs) == 7)
    finally:
        subject.stop()


def test_a_second_engine_in_a_process_is_refused(engine, running, ran):
    """DBOS is one per process."""
    with pytest.raises(RuntimeError, match="already"):
        durable(engine).start(ran)


def test_finished_jobs_before_a_moment_are_purged(sessions, engine, running, ran):
    (old,) = put(sessions, running, Job("old"))
    assert until(lambda: row(engine, old) is not None and row(engine, old).status == "SUCCESS")
    (waiting,) = put(sessions, running, Job("waiting", (), "later", timedelta(hours=1)))

    assert running.purge(before=now() - timedelta(hours=1)) == 0
    assert running.purge(before=now() + timedelta(seconds=2)) == 1
    assert (row(engine, old), row(engine, waiting).status) == (None, "DELAYED")


@contextmanager
def refusing(engine, operation, when):
    """The engine's table takes no such change, as a full disk would not."""
    where = table(engine)
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql(
                f"CREATE TRIGGER full_disk BEFORE {operation} ON {where} WHEN {when} "
                "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
            )
        else:
            connection.exec_driver_sql(
                "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
                "$$ BEGIN RAISE EXCEPTION 'disk full' USING ERRCODE = '57014'; END $$"
            )
            connection.exec_driver_sql(
                f"CREATE TRIGGER full_disk BEFORE {operation} ON {where} FOR EACH ROW WHEN ({when}) "
                "EXECUTE FUNCTION full_disk()"
            )
    yield
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "DROP TRIGGER full_disk" + ("" if engine.dialect.name == "sqlite" else f" ON {where}")
        )


RECOVERING = PollPace(later_poll=0.1, beat=timedelta(seconds=0.2), lost=timedelta(seconds=1))


@pytest.fixture(name="recovering")
def _recovering(engine, ran):
    """A started engine that looks for lost jobs all the time."""
    subject = DurableEngine(engine, executor_id=new_id(), sole=True, pace=RECOVERING)
    subject.start(ran)
    yield subject
    subject.stop()


def test_a_job_whose_end_could_not_be_written_is_done_once_more(sessions, engine, recovering, ran):
    with refusing(engine, "UPDATE", "NEW.status = 'SUCCESS'"):
        (job_id,) = put(sessions, recovering, Job("unended", (7,)))
        assert until(lambda: row(engine, job_id).recovery_attempts >= 3)
        assert row(engine, job_id).status in ("PENDING", "ENQUEUED")

    assert until(lambda: row(engine, job_id).status == "SUCCESS")
    time.sleep(1.5)
    assert row(engine, job_id).status == "SUCCESS", "what has ended is left alone"
    assert {found for _, found in ran.jobs} == {job_id}


def test_a_failed_job_that_could_not_be_queued_again_is_tried_again(sessions, engine, recovering, ran):
    ran.fail = {"always": 1000}
    with refusing(engine, "INSERT", "NEW.status = 'DELAYED'"):
        (job_id,) = put(sessions, recovering, Job("always"))
        assert until(lambda: ran.names().count("always") >= 3)
        time.sleep(0.5)
        assert row(engine, job_id).status in ("PENDING", "ENQUEUED")
    assert until(lambda: row(engine, f"{job_id}.2") is not None, 20)
    assert until(lambda: row(engine, job_id).status == "SUCCESS")


def test_a_job_that_runs_long_is_not_begun_again(sessions, engine, recovering, ran):
    hold, begun = threading.Event(), []

    def long(job, job_id):
        begun.append(job_id)
        hold.wait(20)

    recovering._runner = long
    (job_id,) = put(sessions, recovering, Job("long"))
    assert until(lambda: begun == [job_id])
    time.sleep(2.5)
    assert begun == [job_id]
    hold.set()
    assert until(lambda: row(engine, job_id).status == "SUCCESS")
    assert begun == [job_id]


def test_no_job_runs_twice_at_the_same_time(sessions, engine, recovering, ran):
    inside, most, begun = [], [], []

    def slow(job, job_id):
        inside.append(job_id)
        most.append(len(inside))
        begun.append(job_id)
        time.sleep(0.6)
        inside.remove(job_id)

    recovering._runner = slow
    (job_id,) = put(sessions, recovering, Job("slow"))
    assert until(lambda: begun == [job_id])
    taken = recovering._client._sys_db.reenqueue_for_recovery(job_id, [recovering._executor_id], "later")
    assert taken

    assert until(lambda: row(engine, job_id).status == "SUCCESS")
    assert (begun, max(most)) == ([job_id] * 2, 1)


def test_more_than_a_lot_is_purged_in_one_go(sessions, engine, running, ran):
    hold = Job("old", (), "later", timedelta(hours=1))
    put(sessions, running, *[hold] * (2 * PURGE_BATCH_JOBS + 1))
    (young,) = put(sessions, running, hold)
    month = int((now() - timedelta(days=30)).timestamp() * 1000)
    with engine.begin() as connection:
        ended = (
            f"UPDATE {table(engine)} SET status = 'SUCCESS', completed_at = {month} WHERE workflow_uuid <> '{young}'"
        )
        connection.execute(text(ended))
    assert running.purge(before=now()) == PURGE_BATCH_JOBS

    running._purge()

    with engine.connect() as connection:
        names = ("workflow_status", "workflow_input")
        left = [connection.execute(text(f"SELECT count(*) FROM {table(engine, name)}")).scalar_one() for name in names]
    assert left == [1, 1]


def table(engine, name="workflow_status"):
    """The engine's own table, where it keeps it."""
    return name if engine.dialect.name == "sqlite" else f"dbos.{name}"


def row(engine, workflow_id):
    """The engine's row of a job."""
    with engine.connect() as connection:
        query = text(f"SELECT * FROM {table(engine)} WHERE workflow_uuid = :id")
        return connection.execute(query, {"id": workflow_id}).one_or_none()


def dump(engine):
    """Everything in the engine's tables as one text."""
    with engine.connect() as connection:
        names = ("workflow_status", "workflow_input", "operation_outputs")
        return "".join(str(connection.execute(text(f"SELECT * FROM {table(engine, name)}")).all()) for name in names)
