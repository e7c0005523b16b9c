"""Fixtures of the flows: a scene with the real parts, a simulated GitHub and jobs run by hand."""

import pytest

from tests.bot.flows.scene import Scene


@pytest.fixture(name="database_url")
def _database_url(request, tmp_path):
    """A fresh database: SQLite, or what the test's own parametrisation says (indirect)."""
    if getattr(request, "param", "sqlite") == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'test.db'}"


@pytest.fixture(name="staged")
def _staged(tmp_path, key, gate, database_url):
    """A maker of the scene, for tests that choose the rulebook."""
    made = []

    def make(**options):
        made.append(Scene(tmp_path, key, gate, database_url, **options))
        return made[-1]

    yield make
    for scene in made:
        scene.close()


@pytest.fixture(name="scene")
def _scene(staged):
    """The usual scene."""
    return staged()
