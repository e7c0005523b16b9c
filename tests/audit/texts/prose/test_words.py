"""The lists of words do not contradict each other."""

import pytest

from audit.texts.prose import words
from audit.texts.prose.license_names import worded
from audit.texts.prose.words import is_reviewed


def test_a_narrowing_word_is_in_no_list_of_harmless_words():
    for some in (words.BESIDE, words.GRANTING, words.POINTING, words.WORK):
        assert some.isdisjoint(words.HARD | words.NEGATED)


def test_no_word_names_both_a_part_and_the_work():
    assert words.PARTS.isdisjoint(words.WORK)


def test_words_that_lead_to_a_choice_are_told():
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
def test_a_reviewed_sentence_is_recognised(sentence):
    assert is_reviewed(worded(sentence).words)


@pytest.mark.parametrize(
    "sentence",
    ["This repository uses 2 different licenses, one of which you must buy.", "None of these files may be sold.", "Kiwi is distributed in the hope that you pay.", "at our option."],
)  # fmt: skip
def test_a_reviewed_sentence_with_a_duty_more_is_not_recognised(sentence):
    assert not is_reviewed(worded(sentence).words)
