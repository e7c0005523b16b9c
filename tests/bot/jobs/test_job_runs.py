"""A job that raises is tried again, quickly and then later, and never runs twice at once."""

import json
from datetime import timedelta

from sqlalchemy import text

from bot.clock import now
from bot.job_queue import Job
from bot.jobs.retries import MAX_TRIES, QUICK_TRIES
from tests.bot.jobs.engines import put, row, table, until


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


def test_a_job_that_failed_for_a_day_is_kept_as_failed(sessions, engine, running, ran):
    ran.fail = {"always": 1000}
    (job_id,) = put(sessions, running, Job("always", (), "later", timedelta(hours=1)))
    arguments = json.dumps({"positionalArgs": ["always", [], "later", job_id, MAX_TRIES], "namedArgs": {}})
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {table(engine, 'workflow_input')} SET inputs = :to"), {"to": arguments})
        connection.execute(text(f"UPDATE {table(engine)} SET status = 'ENQUEUED'"))

    assert until(lambda: row(engine, job_id).status == "ERROR")
    assert len(ran.jobs) == QUICK_TRIES
    assert row(engine, f"{job_id}.{MAX_TRIES + 1}") is None


def dump(engine):
    """Everything in the engine's tables as one text."""
    with engine.connect() as connection:
        names = ("workflow_status", "workflow_input", "operation_outputs")
        return "".join(str(connection.execute(text(f"SELECT * FROM {table(engine, name)}")).all()) for name in names)
