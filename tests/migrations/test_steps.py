"""The steps are numbered, and each runs on its own on what the one before left."""

import pytest
from sqlalchemy import inspect

from bot import db
from migrations.steps import apply, modules, scripts


def steps():
    """Every step, oldest first."""
    return list(reversed(list(scripts().walk_revisions())))


def test_revisions_are_numbers_that_can_be_compared():
    """An older release compares its own with one that it does not know."""
    names = [step.revision for step in steps()]
    assert all(len(name) == 4 and name.isdecimal() for name in names)
    assert names == sorted(names)


@pytest.mark.slow
@pytest.mark.from_nothing
def test_each_step_runs_alone_after_those_before_it(database_url):
    engine = db.open_engine(database_url)
    for step in steps():
        with engine.begin() as connection:
            assert apply(connection, step.revision) == (step.revision,)
        assert [module.revision for module in modules(step.revision)][:1] == [step.revision]
    with engine.connect() as connection:
        assert inspect(connection).has_table("signature")
    engine.dispose()
    assert list(modules(None)) == []
