"""hex.pm: one list for all versions."""

import pytest

from audit.licenses.declared_license import ALL_OF_THEM
from audit.sources import hex_pm


@pytest.mark.parametrize(
    ("answer", "licence", "note"),
    [
        ({"meta": {"licenses": ["Apache-2.0"]}}, "Apache-2.0", hex_pm.OF_ALL),
        ({"meta": {"licenses": ["MIT", "ISC"]}}, "MIT AND ISC", f"{ALL_OF_THEM}; {hex_pm.OF_ALL}"),
        ({"meta": {"licenses": []}}, None, ""),
        ({"meta": ["MIT"]}, None, ""),
        ({}, None, ""),
    ],
)
def test_forms(answer, licence, note):
    """That it is not said of the version is told."""
    found = hex_pm.read(answer)
    assert (found.expression, found.note) == (licence, note)


def test_path():
    """A package."""
    assert hex_pm.path("plug", "1.0.0") == ("api", "packages", "plug")
