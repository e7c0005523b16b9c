"""The code from before the newest step of the schema runs on it: its own tests of what it stores, on today's tables."""

import io
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import migrations

ROOT = Path(__file__).parents[1]
STEPS = Path("migrations/versions")
TESTS = ("tests/bot/store/pulls", "tests/bot/webhook/test_ingest.py", "tests/agreements/store/ledger")
"""Of that release: its statements on its tables, deliveries, pull requests, records, the log."""
MORE = (*TESTS, "tests/bot/store", "tests/agreements/store")
"""All that it has of this kind."""


def git(*arguments):
    """Git's answer about our repository; None when it has none."""
    told = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False)
    return told.stdout if told.returncode == 0 else None


@pytest.fixture(name="before")
def _before(tmp_path):
    """The tree as it was before the newest step came, with today's steps in it."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        newest = next((ROOT / STEPS).glob(f"{migrations.newest()}_*.py")).relative_to(ROOT)
        came = (git("log", "--diff-filter=A", "--format=%H", "-1", "--", str(newest)) or b"").decode().strip()
        tree = git("archive", "--format=tar", f"{came}^" if came else "HEAD")
    else:
        tree = None
    if tree is None:
        pytest.skip("the history of this repository is not here (a shallow clone, or none)")
    with tarfile.open(fileobj=io.BytesIO(tree)) as packed:
        packed.extractall(tmp_path / "before", filter="data")
    shutil.rmtree(tmp_path / "before" / STEPS)
    shutil.copytree(ROOT / STEPS, tmp_path / "before" / STEPS, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "before"


@pytest.mark.slow
@pytest.mark.parametrize("tests", [TESTS, pytest.param(MORE, marks=pytest.mark.nightly)], ids=["heart", "whole"])
def test_the_release_before_runs_on_the_newest_schema(before, tests):
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(before), "PYTHONDONTWRITEBYTECODE": "1"}  # noqa: TID251 - of a child
    asked = "import bot, migrations; print(bot.__file__, migrations.newest())"
    whose = subprocess.run(
        [sys.executable, "-c", asked], cwd=before, env=environ, capture_output=True, text=True, check=True
    )
    assert whose.stdout.split() == [str(before / "bot" / "__init__.py"), migrations.newest()]

    told = subprocess.run(
        [sys.executable, "-m", "pytest", *tests, "-q", "-p", "no:cacheprovider", "-k", "not postgres", "-x"],
        cwd=before,
        env=environ,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert told.returncode == 0, told.stdout[-3000:] + told.stderr[-1000:]
    assert " passed" in told.stdout
