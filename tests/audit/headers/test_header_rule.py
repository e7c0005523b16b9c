"""A header is written with the year and the holder, and compared by its words."""

import pytest

from audit.headers.header_rule import HeaderRule, fits, words_of
from audit.licenses.expression import read

TEXT = HeaderRule(
    text="Copyright {years} {holder}\n\nLicensed under the Apache License.\n", holder="The Example Authors"
)
SPDX = "SPDX-License-Identifier: Apache-2.0"


def test_a_header_is_written_with_years_holder_and_spdx_tag():
    assert HeaderRule(spdx="Apache-2.0", holder="The Example Authors").lines("2026") == (
        "SPDX-FileCopyrightText: 2026 The Example Authors",
        SPDX,
    )
    assert HeaderRule(spdx="mit or apache 2").lines("2026") == ("SPDX-License-Identifier: MIT OR Apache-2.0",)
    assert TEXT.lines("2026")[:2] == ("Copyright 2026 The Example Authors", "")
    assert HeaderRule(text="\n\n * a {years}  \n\n   b\t\n").lines("2026") == (" * a 2026", "", "   b")
    assert HeaderRule(text="XX\n{holder}|\nXX").lines("2026") == ("XX", "|", "XX")
    assert (TEXT.license, HeaderRule(text=SPDX).license) == (None, read("Apache-2.0"))


def test_words_are_compared_in_lower_case_with_years_left_open():
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
def test_a_glob_names_its_files_alone_and_beside_others(glob, path, expected):
    assert fits([glob], path) is expected
    assert fits(["no/such/thing", glob], path) is expected
    assert not fits([], path)


@pytest.mark.slow
def test_a_glob_of_many_stars_is_matched_fast():
    assert not fits(["**/a/" * 200 + "b"], "/".join(["a"] * 2_000))
    assert not fits(["*a" * 100 + "b"], "a" * 250)
