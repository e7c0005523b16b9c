"""Files that the commands read from the project's root are found, in a checkout as in a wheel."""

import tomllib
from pathlib import Path

import pytest

from bot import shipped_files

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", shipped_files.ROOTED)
def test_every_shipped_name_is_found_in_a_checkout(name):
    assert shipped_files.path(name).exists()


def test_a_wheel_ships_the_same():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {place: f"bot/_shipped/{name}" for name, place in shipped_files.ROOTED.items()}


def test_another_name_is_refused():
    with pytest.raises(KeyError):
        shipped_files.path("pyproject.toml")
