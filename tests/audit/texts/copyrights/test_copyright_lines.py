"""Copyright notices are told from sentences of a licence, and no condition hides in one."""

import re

import pytest

from audit.licenses.spdx import texts
from audit.texts.copyrights.copyright_lines import MAX_NOTICES, conditional, lowered, notices
from audit.texts.vocabulary import SENTENCE


def test_names_below_the_years_belong_to_the_notice():
    assert taken("Copyright (c) 2011, 2012,\n    pkgfoo authors (see AUTHORS file in source directory).\n\nPermission") == [
        "Copyright (c) 2011, 2012,", "pkgfoo authors (see AUTHORS file in source directory).",
    ]  # fmt: skip
    assert taken("Copyright (c) 2011\nfor students\n\nPermission") == ["Copyright (c) 2011"]
    for above in ("", "#\nAda Lovelace\n"):
        assert taken(f"{above}Copyright (c) 2011\nyou may not sell it\n") == ["Copyright (c) 2011"]
    assert taken("Portions copyright 1994, 1995,\n2002 by Foo Laboratory. Funded under\nGrant P41 by the National Institutes.\n")[1:] == [
        "2002 by Foo Laboratory. Funded under", "Grant P41 by the National Institutes.",
    ]  # fmt: skip


def taken(text):
    """The notices, as they were written."""
    return [text[start:end].strip() for start, end in notices(text)]


@pytest.mark.parametrize(
    "line",
    [
        "Copyright (c) 2020 Ada Lovelace",
        "Copyright 2010-2020, The Go Authors. All rights reserved.",
        "  * Copyright © 1999 by Grace M. Hopper <grace@example.org>",
        "# Copyright (C) 2013-present, Example Inc. and its affiliates.",
        "Copyright (c) Sindre Sorhus <sindre@example.com> (https://example.com)",
        "Copyright OpenJS Foundation and other contributors",
        "(c) 2012 Will May",
        "Copyright [yyyy] [name of copyright owner]",
        "Copyright (c) <year> <copyright holders>",
        "Portions Copyright (c) 1998 Example, see AUTHORS for details",
        "All rights reserved.",
    ],
)
def test_each_form_of_a_notice_is_taken(line):
    assert taken(f"Before\n{line}\nafter it") == [line.strip()]


@pytest.mark.parametrize(
    "line",
    [
        "copyright notice, this list of conditions and the following disclaimer.",
        "COPYRIGHT HOLDERS BE LIABLE FOR ANY DIRECT DAMAGES",
        "Copyright law applies.",
        '"Copyright" also means copyright-like laws',
        "Copyright 2020 Ada Lovelace, for non-commercial use only",
        "Copyright 2020 Ada <not for sale>",
        "COPYRIGHT (C) 2020 ADA. NO COMMERCIAL USE",
        "Copyright (c) 2020 Ada. You may not sell this",
        "All rights reserved by nobody else.",
        "The copyright 2020 belongs to Ada",
    ],
)
def test_a_sentence_of_conditions_is_not_taken_as_a_notice(line):
    assert line not in taken(f"Before\n\n{line}\n\nafter it")
    assert not any("not" in holder.lower() or "commercial" in holder.lower() for holder in taken(line))


def test_names_that_go_on_below_a_notice_are_taken():
    text = "Copyright (c) 2020 Ada Lovelace,\n  Grace Hopper and others\n  Alan Turing <alan@example.org>\nThis software is free"
    assert taken(text) == [
        "Copyright (c) 2020 Ada Lovelace,",
        "Grace Hopper and others",
        "Alan Turing <alan@example.org>",
    ]


def test_a_notice_that_a_licence_quotes_is_taken_across_lines():
    quoted = '"Copyright (c)\n2001, 2002 Python Software Foundation;\nAll Rights Reserved"'
    assert taken(f"i.e., {quoted} are retained") == [quoted]


def test_each_word_after_a_small_copyright_in_the_texts_is_no_name():
    found = {word for text in texts().values() for word in re.findall(r"\bcopyright\s+([a-z]+)", text)}
    assert found - SENTENCE <= {"by", "the"}


def test_a_large_first_letter_makes_a_name_of_an_ambiguous_word():
    assert not conditional("Will May Grant")
    assert conditional("Will may grant")
    assert conditional("WILL MAY GRANT")


def test_lower_case_keeps_the_length_of_a_text():
    assert lowered("ÀB") == "àb"
    assert lowered("İB") == "İb"


def test_notices_of_a_file_are_bounded():
    assert len(list(notices("Copyright 2020 Foo\n" * (MAX_NOTICES + 10)))) == MAX_NOTICES
