"""Databases as a step finds them."""

import pytest

from bot import db


@pytest.fixture(name="engine")
def _engine(database_url):
    """An open engine on a database that is empty, or as the module's step found it (`from_nothing`, `from_step`)."""
    engine = db.open_engine(database_url)
    yield engine
    engine.dispose()
