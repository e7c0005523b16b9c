"""Forewords that say whose licence follows are read unless they narrow it or name another."""

import pytest

from audit.licenses.spdx import texts
from audit.texts import forewords
from audit.texts.identification import detect

MIT = texts()["MIT"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Foolib is available for use under the following license, commonly known as the MIT license:",
        "Unless otherwise specified, files in the foolib source distribution are subject to the following license:",
        "The files hostmatch.c and hostmatch.h bear the following license:",
        "This contains code that is from foodb, and that code is under the following license:",
        "Foolib is licensed for use as follows:",
        "COPYRIGHT NOTICE",
        "Part 3: Foo Broadband Ltd. copyright notice (MIT)",
        "License for libfooext",
        "buf.c and buf.h are derived from the bufferlib project with some modifications",
        "Each commit is copyright by its respective author or author's employer.\n\nLicensed under the MIT License:",
        "The following is the MIT license, agreed upon by most contributors. They may also add themselves to the list below.",
        "Written by: Ada Lovelace\nEmail local part: ada\nEmail domain: example.org",
        "The FOO distribution is Copyright (c) 1997 Ada Lovelace",
    ],
)
def test_a_foreword_says_that_the_licence_below_applies(sentence):
    assert detect(f"{sentence}\n\n{MIT}", is_license=True).spdx == "MIT"


@pytest.mark.parametrize(
    "sentence",
    [
        "Foolib is available to students under the following license:",
        "Unless you sell it, files in foolib are subject to the following license:",
        "The files a.c and b.c bear the following license, which expires in 2030:",
        "This evaluation copy is under the following license:",
        "Foolib is available under the following Apache license:",
        "Foolib is available for non-commercial use under the following license:",
        "Foolib is licensed for academic use as follows:",
        "Foolib is available under the following license until 2030:",
        "License for internal use",
        "buf.c and buf.h are derived from code that nobody may sell",
        "Choose either the following license or pay:",
    ],
)
def test_a_foreword_with_a_condition_is_not_read(sentence):
    assert detect(f"{sentence}\n\n{MIT}", is_license=True).spdx is None


def test_a_long_row_of_words_is_read_in_time():
    assert not list(forewords.ends("foo " * 50_000, 0, {"mit"}))
