"""An altered text still comes nearest to the one that it was."""

import json
from importlib import resources

import pytest

from audit.licenses import spdx
from audit.texts.normalization import normalize
from audit.texts.shingles import near, shingles
from tests.audit.build_index import derive_marks, rate


def words(license_id):
    """Of the text's form."""
    return normalize(spdx.texts()[license_id]).form.split()


def test_the_file_is_what_the_texts_give():
    """Byte by byte; whoever changes how texts are read runs `make data`."""
    made = derive_marks(spdx.texts(), spdx.lists().deprecated)
    assert made == (resources.files("audit") / "data/license-marks.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("license_id", ["MIT", "Apache-2.0", "BSD-3-Clause", "GPL-3.0-only", "ISC", "MPL-2.0"])
def test_near(license_id):
    """With a word dropped in its middle."""
    altered = words(license_id)
    del altered[len(altered) // 2]
    assert license_id in near(altered)[:3]


def test_nothing_near():
    """Other words."""
    assert near(["word"] * 1000) == []
    assert near([]) == []


def test_samples():
    """The thinner one is part of the other; every text has some marks."""
    assert shingles(words("MPL-2.0"), 24) < shingles(words("MPL-2.0"))
    assert (rate(words("MIT")), rate(words("BSD-3-Clause")), rate(words("MPL-2.0"))) == (3, 3, 24)
    rows = json.loads((resources.files("audit") / "data/license-marks.json").read_text(encoding="utf-8"))
    assert [one for one, (_, *own) in rows.items() if not own] == []
