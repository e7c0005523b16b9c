"""A little chaos on SQLite in each run of the tests, by a seed that is shown; `make chaos` is the long one."""

import pytest

from tests.chaos import phases, run


@pytest.mark.story
def test_killed_again_and_again_on_sqlite():
    """Web, worker and database in one process, killed while people work; nobody sends again what was lost."""
    result = phases.kills("sqlite", 16, count=2, hastened=True)
    assert result.is_good, run.report(result)
