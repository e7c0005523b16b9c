"""Comparing shows every word that differs, and tells what may."""

import json
import random
import time
from importlib import resources

import pytest

from audit.licenses.spdx import texts
from audit.texts.comparison import Difference, compare, without_missing
from audit.texts.normalization import normalize
from audit.texts.template_fields import PLACEHOLDER

SENTENCE = "the quick brown fox jumps over the lazy dog and then goes home to its own family for ever and a day"
LICENCE = SENTENCE.split()
TABLE = json.loads((resources.files("audit") / "data/license-optional.json").read_text(encoding="utf-8"))


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
        ((PLACEHOLDER,), ("google", "inc"), True), ((PLACEHOLDER,), ("not", "google"), False), ((PLACEHOLDER,), (), False), (("sub", "license"), ("sublicense",), True),
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
    start = time.process_time()
    compare(["a"] * 20_000, ["a"] * 20_000)
    compare([str(number) for number in range(20_000)], [str(number) for number in range(20_000, 0, -1)])
    compare([str(number % 1000) for number in range(20_000)], [str(number % 999) for number in range(20_000)])
    assert time.process_time() - start < 5


def test_each_part_stands_once_in_its_text():
    """In the form in which it is compared; whoever changes how texts are read runs `make data`."""
    forms = {one: normalize(texts()[one]).form for one in TABLE}
    assert [] == [(one, part) for one, parts in TABLE.items() for part in parts if forms[one].count(f" {part} ") != 1]
    assert len(TABLE) > 300


def test_a_part_is_left_out_where_the_text_has_none():
    """And stays where it has; the other words stay in any case."""
    licence = ("without", "specific", "prior", "written", "permission")
    assert without_missing("BSD-3-Clause", licence, ("without", "prior", "written", "permission")) == (
        "without",
        "prior",
        "written",
        "permission",
    )
    assert without_missing("BSD-3-Clause", licence, licence) == licence
    assert without_missing("BSD-3-Clause", licence, ("without", "permission"))[1:] == ("prior", "written", "permission")
    assert without_missing("no-such-id", licence, ()) == licence


def test_a_part_that_was_altered_is_not_left_out():
    """It is there or not; what is there with a word less is neither."""
    title = "glwt good luck with that public license".split()  # noqa: SIM905 - words as they stand in a form
    licence = (*title, "everyone", "is", "permitted")
    assert without_missing("GLWTPL", licence, ("everyone", "is", "permitted")) == ("everyone", "is", "permitted")
    for gone in range(len(title)):
        assert without_missing("GLWTPL", licence, (*title[:gone], *title[gone + 1 :], "everyone")) == licence
