"""/livez says that the process answers, /readyz that it can do its work; neither says more."""

import pytest
from flask import Flask

import migrations
from bot import db
from bot.health import make_health


@pytest.fixture(name="client")
def _client(database_url):
    """A browser before both, on a database that is still empty."""
    engine = db.open_engine(database_url)
    app = Flask("health-under-test")
    app.register_blueprint(make_health(engine))
    app.extensions["database"] = engine
    yield app.test_client()
    engine.dispose()


def ready(client):
    """Status and answer of /readyz."""
    answer = client.get("/readyz")
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.status_code, answer.get_json()


@pytest.mark.from_nothing
def test_ready_from_empty_to_migrated(client):
    """503 with the command to run until the schema is this release's."""
    assert client.get("/livez").get_json() == {"status": "alive"}
    why = "the database has an older schema: run countersign migrate"
    assert ready(client) == (503, {"status": "not ready", "why": why})

    migrations.upgrade(client.application.extensions["database"])

    assert ready(client) == (200, {"status": "ready"})


@pytest.mark.parametrize(
    "url", ["sqlite:////nowhere/at/all.db", "postgresql://countersign:secret@127.0.0.1:9/x?connect_timeout=1"]
)
def test_without_a_database(url):
    """Alive and not ready; neither address nor password is told."""
    engine = db.open_engine(url)
    app = Flask("health-under-test")
    app.register_blueprint(make_health(engine))
    client = app.test_client()

    assert client.get("/livez").status_code == 200
    assert ready(client) == (503, {"status": "not ready", "why": "the database does not answer"})
    engine.dispose()
