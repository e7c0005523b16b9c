"""Comparison finds every word that differs, and tells the words that may."""

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
    ("word", "other", "licence", "text"),
    [
        ("lazy", "very lazy", "", "very"), ("lazy ", "", "lazy", ""), ("lazy", "busy", "lazy", "busy"), ("the quick", "a quick", "the", "a"),
        ("the quick", "quick", "the", ""), (" a day", " a", "day", ""), ("a day", "a night", "day", "night"), ("dog and", "dog dog and", "", "dog"),
        ("over the", "over the over the", "", "over the"),
    ],
)  # fmt: skip
def test_each_different_word_is_found(word, other, licence, text):
    found = compare(LICENCE, SENTENCE.replace(word, other).split())
    assert [(" ".join(each.licence), " ".join(each.text)) for each in found.differences] == [(licence, text)]
    assert not found.is_confirmed


def test_words_around_a_licence_are_not_part_of_it():
    found = compare(LICENCE, ["x", "y", *LICENCE, "z"])
    assert (found.differences, found.start, found.end, found.equal) == ((), 2, 2 + len(LICENCE), len(LICENCE))
    assert found.is_confirmed


def test_a_text_with_nothing_in_common_is_all_missing():
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
def test_a_name_may_fill_a_field_and_one_word_may_be_two(licence, text, may):
    assert Difference(licence, text, 0).is_replaceable() is may


def test_a_changed_word_in_repeated_words_is_never_missed():
    chance = random.Random(5)
    for _ in range(300):
        licence = [chance.choice("abcdefgh") for _ in range(80)]
        text, at = list(licence), chance.randrange(80)
        change = chance.choice(["drop", "insert", "replace"])
        text[at : at + (change != "insert")] = [] if change == "drop" else [chance.choice("abcdefgh")]
        found = compare(licence, text)
        is_behind = text[:80] == licence  # a word after the text's end: the text is there, whole
        assert found.is_confirmed is (text == licence or is_behind), (change, at)


def test_comparing_takes_linear_time():
    start = time.process_time()
    compare(["a"] * 20_000, ["a"] * 20_000)
    compare([str(number) for number in range(20_000)], [str(number) for number in range(20_000, 0, -1)])
    compare([str(number % 1000) for number in range(20_000)], [str(number % 999) for number in range(20_000)])
    assert time.process_time() - start < 5


@pytest.mark.slow
def test_each_optional_part_stands_once_in_its_text():
    """After a change of how texts are read, `make data` derives them anew."""
    forms = {license_id: normalize(texts()[license_id]).form for license_id in TABLE}
    assert [] == [
        (value, part) for value, parts in TABLE.items() for part in parts if forms[value].count(f" {part} ") != 1
    ]
    assert len(TABLE) > 300


def test_an_optional_part_that_is_missing_is_left_out():
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


def test_an_altered_optional_part_is_not_left_out():
    title = "glwt good luck with that public license".split()  # noqa: SIM905 - words as they stand in a form
    licence = (*title, "everyone", "is", "permitted")
    assert without_missing("GLWTPL", licence, ("everyone", "is", "permitted")) == ("everyone", "is", "permitted")
    for gone in range(len(title)):
        assert without_missing("GLWTPL", licence, (*title[:gone], *title[gone + 1 :], "everyone")) == licence
