"""The pieces around licence texts: their places, and their meaning."""

import pytest

from audit.licenses.spdx import texts
from audit.texts.normalization import normalize
from audit.texts.remainders import (
    Effort,
    Meaning,
    Remainder,
    around,
    is_statement,
    meaning,
    offers_choice,
    without_purpose,
)
from audit.texts.text_index import text_index

TITLES = frozenset({"mit", "license", "apache", "2", "0"})


def test_pieces_before_between_and_behind_texts_have_their_places():
    form = normalize(f"Foo\n\n{texts()['Zlib']}\n\nBar\n\n{texts()['ISC']}\n\nBaz").form
    pieces = around(form, list(text_index().found(form)))
    assert [(piece.words[0], piece.opens, piece.closes) for piece in pieces] == [
        ("foo", True, False), ("bar", False, False), ("baz", False, True)
    ]  # fmt: skip
    assert all(form[piece.at : piece.end] == " ".join(piece.words) for piece in pieces)


def test_a_part_of_a_piece_has_the_place_of_its_first_word():
    whole = Remainder(("a", "bc", "d"), 10, opens=True, closes=True)
    assert whole.part(1, 2) == Remainder(("bc",), 12)
    assert whole.part(0, 1) == Remainder(("a",), 10, opens=True)
    assert whole.part(2, 3) == Remainder(("d",), 15, closes=True)


def test_a_piece_is_a_title_a_remark_or_unknown_words():
    gpl = text_index().of("GPL-2.0-only")
    told = tuple("this program is also available under a commercial license".split())  # noqa: SIM905 - read as one
    assert meaning(Remainder(("gpl", "version", "2"), 1), gpl, Effort()) is Meaning.PLAIN
    assert meaning(Remainder(told, 1), gpl, Effort()) is Meaning.TELLING
    assert meaning(Remainder(("you", "must", "pay"), 1), gpl, Effort()) is Meaning.UNKNOWN
    assert meaning(Remainder(told, 1), gpl, Effort(read=5_000)) is Meaning.UNKNOWN


def test_effort_charges_sentences_more_than_comparison():
    effort = Effort()
    assert effort.reads(3)
    assert effort.take(5)
    assert effort.work == 350
    assert not effort.reads(5_000)


@pytest.mark.parametrize(
    ("words", "is_one", "choice"),
    [
        ("this project is dual licensed under the mit and apache 2 0 licenses", True, True),
        ("licensed under either of apache license version 2 0 or mit license at your option", True, True),
        ("this software is licensed under both the mit and the apache license", True, False),
        ("mypy is licensed under the terms of the mit license reproduced below", True, False),
        ("this software is licensed under the mit license", True, False),
        ("this software is licensed under the mit license but not for commercial use", False, False),
        ("this software is not licensed under the mit license", False, False),
        ("you must not use foo licensed under the mit license", False, False),
        ("licensed under the gpl", False, False),
        ("mit license", False, False),
        ("license", False, False),
        ("licensed " * 200, False, False),
    ],
)
def test_a_statement_names_licences_and_offers_a_choice_only_in_words(words, is_one, choice):
    assert is_statement(words.split(), TITLES) is is_one
    if is_one:
        assert offers_choice(words.split()) is choice


@pytest.mark.parametrize(
    ("title", "left"),
    [
        ("bsd license for zstandard software", "bsd license"),
        ("mit license for the foo bar library", "mit license"),
        ("mit license for non commercial software", "mit license for non commercial software"),
        ("mit license for all your foo bar software", "mit license for all your foo bar software"),
        ("mit license", "mit license"),
    ],
)
def test_the_purpose_in_a_title_says_nothing_and_a_condition_does(title, left):
    assert " ".join(without_purpose(title.split())) == left
