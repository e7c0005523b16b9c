"""The lists of words do not contradict each other."""

import pytest

from audit.texts.prose import words
from audit.texts.prose.license_names import worded
from audit.texts.prose.words import is_reviewed


def test_what_narrows_is_no_word_of_a_closed_list():
    """A word for whom or for what is never one that may stand beside a licence."""
    for some in (words.BESIDE, words.GRANTING, words.POINTING, words.WORK):
        assert some.isdisjoint(words.HARD | words.NEGATED)


def test_a_part_is_not_the_work():
    """No word is both."""
    assert words.PARTS.isdisjoint(words.WORK)


def test_leads():
    """What comes before a list of licences between which one may choose."""
    assert words.LEAD.fullmatch("licensed under either of")
    assert words.LEAD.fullmatch("you may choose one of the two licenses below")
    assert not words.LEAD.fullmatch("licensed under either of if you pay")


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
