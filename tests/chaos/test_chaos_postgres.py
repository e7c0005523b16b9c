"""A little chaos on PostgreSQL in each run of the tests, by a seed that is shown; `make chaos` is the long one."""

import pytest

from tests.chaos import phases, run


@pytest.mark.slow
@pytest.mark.usefixtures("postgres_server")
def test_kills_under_load_lose_nothing_on_postgresql():
    result = phases.kills("postgres", 16, count=3, share=0.4, roles=("web", "worker"), hastened=True)
    assert result.is_good, run.report(result)
