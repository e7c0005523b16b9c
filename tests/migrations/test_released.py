"""A step of the schema never changes once it was released: databases have run it, and servers of that release run beside it."""

import hashlib
from pathlib import Path

ROOT = Path(__file__).parents[2]
STEPS = ROOT / "migrations/versions"
RELEASED = ROOT / "tests/cases/migrations.sha256"
"""As `sha256sum *.py` writes it in that folder. A new step adds its line; no line ever changes."""


def test_released_steps_are_as_they_were():
    listed = dict(reversed(line.split()) for line in RELEASED.read_text().splitlines())
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in STEPS.glob("*.py")}
    assert found == listed
