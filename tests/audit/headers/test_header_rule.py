"""A header is written with the year and the holder, and compared by its words."""

from audit.headers.header_rule import HeaderRule, words_of
from audit.licenses.expression import read

TEXT = HeaderRule(
    text="Copyright {years} {holder}\n\nLicensed under the Apache License.\n", holder="The Example Authors"
)
SPDX = "SPDX-License-Identifier: Apache-2.0"


def test_headers_as_they_are_written():
    """Years and holder filled in; the tag as SPDX spells it."""
    assert HeaderRule(spdx="Apache-2.0", holder="The Example Authors").lines("2026") == (
        "SPDX-FileCopyrightText: 2026 The Example Authors",
        SPDX,
    )
    assert HeaderRule(spdx="mit or apache 2").lines("2026") == ("SPDX-License-Identifier: MIT OR Apache-2.0",)
    assert TEXT.lines("2026")[:2] == ("Copyright 2026 The Example Authors", "")
    assert HeaderRule(text="\n\n * a {years}  \n\n   b\t\n").lines("2026") == (" * a 2026", "", "   b")
    assert HeaderRule(text="XX\n{holder}|\nXX").lines("2026") == ("XX", "|", "XX")
    assert (TEXT.license, HeaderRule(text=SPDX).license) == (None, read("Apache-2.0"))


def test_the_words_that_are_compared():
    """In small letters, without signs; a line of code keeps apart what is around it, years are left open."""
    assert words_of(["One, two (c)", "", None, "Three"]) == " one two c \n three "
    assert TEXT.wanted == ("copyright", "the example authors licensed under the apache license")
    assert HeaderRule(spdx="MIT").wanted == ()
