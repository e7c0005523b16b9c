"""deps.dev: SPDX expressions whose relation is unspecified, and what has no id."""

import pytest

from audit.licenses.declared_license import ALL_OF_THEM
from audit.sources import deps_dev


@pytest.mark.parametrize(
    ("answer", "licence"),
    [
        ({"licenses": ["MIT"]}, "MIT"),
        ({"licenses": ["Apache-2.0 OR MIT"]}, "Apache-2.0 OR MIT"),
        ({"licenses": ["Apache-2.0", "BSD-3-Clause"]}, "Apache-2.0 AND BSD-3-Clause"),
        ({"licenses": ["non-standard"]}, None),
        ({"licenses": ["MIT", "non-standard"]}, None),
        ({"licenses": ["non-standard"], "licenseDetails": [{"license": "MIT or GPL-2.0", "spdx": "non-standard"}]}, "MIT or GPL-2.0"),
        ({"licenses": ["non-standard"], "licenseDetails": [{"license": "Corp Terms", "spdx": "non-standard"}]}, None),
        ({"licenses": ["MIT"], "licenseDetails": [{"license": "The MIT License", "spdx": "MIT"}]}, "MIT"),
        ({"licenses": []}, None),
        ({"licenses": "MIT"}, None),
        ({"licenses": [["MIT"]]}, None),
        ({"licenses": None, "licenseDetails": {"spdx": "MIT"}}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_forms(answer, licence):
    """Of several all count; one without an id is unknown unless its words are a licence's name."""
    assert deps_dev.read(answer).expression == licence


def test_several_are_told_to_be_unrelated():
    """Nobody is to believe that the authors wrote AND."""
    assert deps_dev.read({"licenses": ["MIT", "ISC"]}).note == ALL_OF_THEM


def test_path():
    """The system's own name for it."""
    assert deps_dev.path("golang", "github.com/x/y", "v1.0.0")[:5] == (
        "v3",
        "systems",
        "go",
        "packages",
        "github.com/x/y",
    )
