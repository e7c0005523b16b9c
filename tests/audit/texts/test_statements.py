"""A sentence that only names licences may stand beside their texts; any other may not."""

import pytest

from audit.texts.statements import is_statement, offers_choice, without_purpose

TITLES = frozenset({"mit", "license", "apache", "2", "0"})


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
def test_statements(words, is_one, choice):
    """Names of licences, of what is licensed, and plain words; a choice is one only when it is said."""
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
def test_what_a_title_is_for(title, left):
    """A name of software behind "license for" says nothing; a condition does."""
    assert " ".join(without_purpose(title.split())) == left
