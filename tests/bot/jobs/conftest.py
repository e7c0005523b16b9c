"""A started engine, and what it ran."""

import pytest

from tests.bot.jobs.engines import Ran, durable


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
