"""Comparing shows every word that differs, and tells what may."""

import random
import time

import pytest

from audit.texts.comparison import PLACE, Difference, compare

SENTENCE = "the quick brown fox jumps over the lazy dog and then goes home to its own family for ever and a day"
LICENCE = SENTENCE.split()


@pytest.mark.parametrize(
    ("one", "other", "licence", "text"),
    [
        ("lazy", "very lazy", "", "very"), ("lazy ", "", "lazy", ""), ("lazy", "busy", "lazy", "busy"), ("the quick", "a quick", "the", "a"),
        ("the quick", "quick", "the", ""), (" a day", " a", "day", ""), ("a day", "a night", "day", "night"), ("dog and", "dog dog and", "", "dog"),
        ("over the", "over the over the", "", "over the"),
    ],
)  # fmt: skip
def test_differences(one, other, licence, text):
    """Each word more, less or other, wherever it stands."""
    found = compare(LICENCE, SENTENCE.replace(one, other).split())
    assert [(" ".join(each.licence), " ".join(each.text)) for each in found.differences] == [(licence, text)]
    assert not found.is_confirmed


def test_what_stands_around():
    """Is not part of it."""
    found = compare(LICENCE, ["x", "y", *LICENCE, "z"])
    assert (found.differences, found.start, found.end, found.equal) == ((), 2, 2 + len(LICENCE), len(LICENCE))
    assert found.is_confirmed


def test_nothing_in_common():
    """All is missing."""
    found = compare(LICENCE, ["x"] * 30)
    assert not found.is_confirmed
    assert found.equal == 0
    assert not compare([], []).is_confirmed


@pytest.mark.parametrize(
    ("licence", "text", "may"),
    [
        ((PLACE,), ("google", "inc"), True), ((PLACE,), ("not", "google"), False), ((PLACE,), (), False), (("sub", "license"), ("sublicense",), True),
        (("docu", "mentation"), ("documentation",), True), (("may",), ("must",), False), ((), ("not",), False), (("not",), (), False), ((), (), True),
    ],
)  # fmt: skip
def test_what_may_differ(licence, text, may):
    """A name where a place for it is, and a word that is written in two."""
    assert Difference(licence, text, 0).is_replaceable() is may


def test_random_changes_are_never_missed():
    """One word changed somewhere in a text of repeated words: seen, whatever it is."""
    chance = random.Random(5)
    for _ in range(300):
        licence = [chance.choice("abcdefgh") for _ in range(80)]
        text, at = list(licence), chance.randrange(80)
        change = chance.choice(["drop", "insert", "replace"])
        text[at : at + (change != "insert")] = [] if change == "drop" else [chance.choice("abcdefgh")]
        found = compare(licence, text)
        is_behind = text[:80] == licence  # a word after the text's end: the text is there, whole
        assert found.is_confirmed is (text == licence or is_behind), (change, at)


def test_the_time_grows_with_the_length():
    """Also where all words are the same, and where nothing fits."""
    start = time.perf_counter()
    compare(["a"] * 20_000, ["a"] * 20_000)
    compare([str(number) for number in range(20_000)], [str(number) for number in range(20_000, 0, -1)])
    compare([str(number % 1000) for number in range(20_000)], [str(number % 999) for number in range(20_000)])
    assert time.perf_counter() - start < 5
