"""The letters and digits of every script."""

import unicodedata
from itertools import pairwise

import pytest

from agreements.dco import alphanumeric
from agreements.dco.alphanumeric import is_alphanumeric


@pytest.mark.parametrize(
    "char", [*"aZ9éß张각अक", "\u093f", "\u0345", "\u05b0", "ⓐ", "①", "Ⅷ", "½", "٣", "\U00031350", "\U000323b0"]
)
def test_letters_digits_and_dependent_vowel_signs_of_every_script_are_alphanumeric(char):
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
def test_viramas_accents_symbols_and_invisible_characters_are_not_alphanumeric(char):
    assert not is_alphanumeric(char)


def test_the_ranges_are_in_order_and_hold_no_joining_mark_or_lone_accent():
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
