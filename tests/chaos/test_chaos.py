"""A little chaos on SQLite in each run of the tests, by a seed that is shown; `make chaos` is the long one."""

import pytest

from tests.chaos import phases, run


@pytest.mark.nightly
def test_kills_under_load_lose_nothing_on_sqlite():
    result = phases.kills("sqlite", 16, count=2, hastened=True)
    assert result.is_good, run.report(result)
