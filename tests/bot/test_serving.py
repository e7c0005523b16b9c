"""What a web server's process loads: with the worker inside, or the web alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import migrations
from bot import db
from bot.demo.stage import Stage
from bot.settings import for_child
from tests.conftest import free_port

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, threading
from bot import serving
web = serving.{name}()
answer = web.test_client().get("/readyz")
print(json.dumps([answer.status_code, sorted(t.name for t in threading.enumerate())]))
"""


@pytest.fixture(name="stage")
def _stage(tmp_path):
    """A small GitHub that knows our App, settings that fit it, and a database with today's schema."""
    with Stage(tmp_path / "stage", port=free_port(), github_port=free_port()) as stage:
        stage.world.organization("cann", admins=[stage.world.user("boss")])
        engine = db.open_engine(stage.settings.database_url)
        migrations.upgrade(engine)
        engine.dispose()
        yield stage


def loaded(stage, name):
    """Status of /readyz and names of the threads in a process of its own that loads it; it ends by itself."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(name=name)], cwd=ROOT, env=for_child(stage.environment),
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    status, threads = json.loads(ran.stdout.splitlines()[-1])
    return status, threads


def test_the_whole_has_a_worker(stage):
    """The engine runs beside the web and is stopped at the end of the process."""
    status, threads = loaded(stage, "whole")

    assert status == 200
    assert len(threads) > 1


def test_the_web_alone_takes_no_jobs(stage):
    """No thread but the main one, the one that follows the key ring, and the one that finds out whom we serve."""
    assert loaded(stage, "web") == (200, ["MainThread", "accounts", "key-ring"])
