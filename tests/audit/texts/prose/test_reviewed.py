"""Sentences that were read once; what comes near them is not."""

import pytest

from audit.texts.prose.license_names import worded
from audit.texts.prose.reviewed import is_reviewed


@pytest.mark.parametrize(
    "sentence",
    [
        "This repository uses 2 different licenses:",
        "Different licenses apply to different files in this package.",
        "Kiwi is distributed in the hope that it will be useful, but WITHOUT ANY WARRANTY; without even the implied warranty of MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.",
        "You should have received a copy of the GNU General Public License along with this program.",
        "None of these files end up in the binaries being built.",
        "at your option.",
    ],
)  # fmt: skip
def test_reviewed(sentence):
    """It neither gives nor takes."""
    assert is_reviewed(worded(sentence).words)


@pytest.mark.parametrize(
    "sentence",
    ["This repository uses 2 different licenses, one of which you must buy.", "None of these files may be sold.", "Kiwi is distributed in the hope that you pay.", "at our option."],
)  # fmt: skip
def test_not_reviewed(sentence):
    """A duty more, or other words."""
    assert not is_reviewed(worded(sentence).words)
