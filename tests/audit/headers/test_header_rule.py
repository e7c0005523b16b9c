"""A header is written with the year and the holder, and compared by its words."""

import pytest

from audit.headers.header_rule import HeaderRule, fits, words_of
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


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("src/**", "src/a.c", True), ("src/**", "src/b/c/a.c", True), ("src/**", "src", False), ("src/**", "lib/src/a.c", False),
        ("src", "src/a.c", True), ("src", "lib/src/a.c", True), ("/src", "lib/src/a.c", False), ("/src", "src/a.c", True), ("src/", "lib/src/a.c", True),
        ("**/vendor/**", "vendor/a.c", True), ("**/vendor/**", "x/y/vendor/z/a.c", True), ("**/vendor/**", "vendor", False),
        ("*.py", "a.py", True), ("*.py", "x/y/a.py", True), ("*.py", "x/a.pyc", False), ("src/*.py", "src/a.py", True), ("src/*.py", "src/x/a.py", False),
        ("src/**/*.py", "src/a.py", True), ("src/**/*.py", "src/x/y/a.py", True), ("src/**/test_*", "src/x/test_a/b.py", True),
        ("./src/a.c", "src/a.c", True), ("a?c.[ch]", "abc.h", True), ("A.c", "a.c", False), ("**", "a", True), ("*", "x/y", True), ("/", "a", True),
        ("**/**/a", "a", True), ("a/**/**", "a/b", True), ("a/**/**", "a", False),
    ],
)  # fmt: skip
def test_what_a_glob_names(glob, path, expected):
    """Alone, and beside one that fits nothing."""
    assert fits([glob], path) is expected
    assert fits(["no/such/thing", glob], path) is expected
    assert not fits([], path)


def test_a_glob_that_could_take_long():
    """It doesn't: all ways through it are gone at once."""
    assert not fits(["**/a/" * 200 + "b"], "/".join(["a"] * 2_000))
    assert not fits(["*a" * 100 + "b"], "a" * 250)
