"""Fixtures of the stores' tests: an engine without threads."""

from datetime import UTC, datetime

import pytest

from tests.bot.jobs.inline import InlineEngine


@pytest.fixture(name="jobs")
def _jobs():
    """An engine that keeps and shows what was queued, at noon."""
    return InlineEngine(lambda: datetime(2026, 11, 21, 12, tzinfo=UTC))
