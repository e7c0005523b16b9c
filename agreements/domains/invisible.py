"""Characters that show nothing, also those that are letters by category."""

import unicodedata

_RANGES = (
    # Default_Ignorable_Code_Point: DerivedCoreProperties.txt of Unicode 14.0
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
    # Empty by name: the Braille pattern without dots, two blank hieroglyphs
    (0x2800, 0x2800), (0x13441, 0x13442),
    # No characters at all, for good (Noncharacter_Code_Point)
    (0xFDD0, 0xFDEF), *((plane + 0xFFFE, plane + 0xFFFF) for plane in range(0, 0x110000, 0x10000)),
)  # fmt: skip

INVISIBLE_CHARACTERS = frozenset(chr(code) for first, last in _RANGES for code in range(first, last + 1))
"""Characters that show nothing by themselves; some, such as joiners and variation selectors, have their place inside a word."""

_HIDDEN_CATEGORIES = ("C", "Z")  # Unicode's first letters for control, format, private and separator characters


def shows_nothing(char: str) -> bool:
    """Whether a character is a control, format or separator character, or a letter or mark that renders as nothing."""
    return unicodedata.category(char)[0] in _HIDDEN_CATEGORIES or char in INVISIBLE_CHARACTERS
