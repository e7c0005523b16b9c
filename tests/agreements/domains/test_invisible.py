"""The invisible characters of all Unicode categories."""

import unicodedata

import pytest

from agreements.domains.invisible import INVISIBLE_CHARACTERS


@pytest.mark.parametrize(
    "code",
    [
        0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x180B, 0x180F, 0x200B, 0x200D, 0x202E, 0x2060, 0x2065, 0x2800, 0x3164,
        0xFDD0, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF0, 0xFFFF, 0x13441, 0x1BCA0, 0x1D173, 0x3FFFE, 0xE0001, 0xE0041,
        0xE0100, 0xE01EF, 0xE0FFF, 0x10FFFF,
    ],
)  # fmt: skip
def test_fillers_joiners_selectors_and_tags_are_invisible(code):
    assert chr(code) in INVISIBLE_CHARACTERS


def test_letters_and_digits_are_visible_except_fillers_and_two_blank_hieroglyphs():
    among = {char for char in INVISIBLE_CHARACTERS if unicodedata.category(char)[0] in "LN"}
    assert among - {"\U00013441", "\U00013442"} == set("\u115f\u1160\u3164\uffa0")
    assert INVISIBLE_CHARACTERS.isdisjoint("Aa李ㅎ힣\u2801\U00031350")
