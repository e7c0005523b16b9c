"""Letters and digits of every script, and nothing else."""

import unicodedata
from itertools import pairwise

import pytest

from agreements.dco import alphanumeric
from agreements.dco.alphanumeric import is_alphanumeric


@pytest.mark.parametrize(
    "char", [*"aZ9éß张각अक", "\u093f", "\u0345", "\u05b0", "ⓐ", "①", "Ⅷ", "½", "٣", "\U00031350", "\U000323b0"]
)
def test_letters_and_digits(char):
    """Also dependent vowel signs, points, circled letters, and ideographs that are newer than some Pythons."""
    assert is_alphanumeric(char)


@pytest.mark.parametrize(
    "char",
    [
        *"-_@. €–·😀",
        "\u094d",
        "\u0301",
        "\u0308",
        "\u200b",
        "\u00ad",
        "\ufffd",
        "\ue000",
        "\x80",
        "\U0010ffff",
    ],
)
def test_anything_else(char):
    """Viramas, accents, symbols, punctuation, what shows nothing, what is no character."""
    assert not is_alphanumeric(char)


def test_the_ranges():
    """They stand in order, apart from each other, and hold no mark that joins or accents alone."""
    found = alphanumeric._RANGES
    assert all(first <= last for first, last in found)
    assert all(last + 1 < first for (_, last), (first, _) in pairwise(found))
    held = [chr(code) for first, last in found for code in range(first, last + 1)]
    assert {unicodedata.category(char) for char in held} <= {
        "Mn",
        "Mc",
        "So",
        "Cn",
        "Lo",
        "Lu",
        "Ll",
        "Lm",
        "Nd",
        "Nl",
        "No",
    }
