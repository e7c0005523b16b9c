"""Every attack on the running product, in short: nothing gets through."""

import importlib.util
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ATTACKS = sorted(
    path
    for path in HERE.glob("*.py")
    if path.name not in ("program.py", "victim.py") and not path.name.startswith("test_")
)


@pytest.mark.slow
@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_no_attack_gets_through(path):
    spec = importlib.util.spec_from_file_location(f"attack_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    assert [] == module.attack(short=True, say=print)
