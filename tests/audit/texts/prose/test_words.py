"""The lists of words do not contradict each other."""

from audit.texts.prose import words


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
