"""Each job reaches its flow; a job of another release is an error that an operator sees."""

from dataclasses import fields

import pytest

from agreements.catalog import Catalog
from bot import clock, db
from bot.flows.flow_services import Services
from bot.job_queue import Job
from bot.runner import UnknownJob, make_runner
from bot.store.pulls import posts, pull_state
from bot.store.pulls.posts import PullRequestIdentity
from tests.bot.jobs.inline import InlineEngine

BOX = PullRequestIdentity(repository_id=11, number=5, installation_id=1, owner_id=7, owner="cann", name="ge")


@pytest.fixture(name="parts")
def _parts(engine):
    """As much of the parts as jobs need that find nothing to do."""
    needed = {
        "sessions": db.sessions(engine),
        "look_ups": None,
        "engine": InlineEngine(),
        "clock": clock.now,
        "texts": Catalog.load,
    }
    return Services(**{field.name: needed.get(field.name) for field in fields(Services)} | {"hub": object()})


@pytest.mark.parametrize(
    "job",
    [
        Job("review"),
        Job("licenses"),
        Job("merge-group"),
        Job("review", (10**9,)),
        Job("licenses", (10**9, "a" * 40)),
        Job("merge-group", (10**9, "a" * 40)),
        Job("event", ("g",)),
        Job("answer", ("g",)),
        Job("pushed-commits", ("g",)),
        Job("resolve", ("e1", "e2")),
    ],
)
def test_a_job_about_an_unknown_row_ends(parts, job):
    make_runner(parts)(job, "id")

    assert parts.engine.waiting == ()


def test_a_recheck_reaches_the_persons_pull_requests(parts):
    with parts.sessions() as session:
        pull_id, _ = posts.post(session, InlineEngine(), BOX)
        pull_state.replace_participants(session, pull_id, {42})

    make_runner(parts)(Job("recheck", (41, 42)), "id")

    assert parts.engine.waiting == (Job("review"),)


@pytest.mark.parametrize(
    "job",
    [
        Job("audit", (1,)),
        Job("review", ("1",)),
        Job("review", (1, 2)),
        Job("licenses", (1,)),
        Job("event", (1,)),
        Job("recheck", (1, "2")),
        Job("recheck"),
        Job("resolve", (1,)),
    ],
)
def test_a_job_that_this_release_does_not_know_is_an_error(parts, job):
    with pytest.raises(UnknownJob, match=rf"^job '{job.name}' with {len(job.ids)} ids$"):
        make_runner(parts)(job, "id")
