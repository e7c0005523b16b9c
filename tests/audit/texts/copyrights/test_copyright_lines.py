"""Copyright notices are told from sentences of a licence, and nothing that must be heeded hides in one."""

import re

import pytest

from audit.licenses.spdx import texts
from audit.texts.copyrights.copyright_lines import MAX_NOTICES, conditional, lowered, notices
from audit.texts.vocabulary import SENTENCE


def test_whose_years_are_in_the_line_below():
    """In small letters, too; never a line that says more."""
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
def test_a_notice(line):
    """Years, names, addresses and "All rights reserved", behind any comment sign."""
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
def test_no_notice(line):
    """A sentence, and a notice that says more than who and when; at most its first sentence is taken."""
    assert line not in taken(f"Before\n\n{line}\n\nafter it")
    assert not any("not" in one.lower() or "commercial" in one.lower() for one in taken(line))


def test_the_names_that_go_on_below():
    """Lines right below hold names only; the first that holds more ends them."""
    text = "Copyright (c) 2020 Ada Lovelace,\n  Grace Hopper and others\n  Alan Turing <alan@example.org>\nThis software is free"
    assert taken(text) == [
        "Copyright (c) 2020 Ada Lovelace,",
        "Grace Hopper and others",
        "Alan Turing <alan@example.org>",
    ]


def test_a_notice_that_a_licence_quotes():
    """In quotation marks, wherever its lines break."""
    quoted = '"Copyright (c)\n2001, 2002 Python Software Foundation;\nAll Rights Reserved"'
    assert taken(f"i.e., {quoted} are retained") == [quoted]


def test_what_follows_copyright_in_the_texts_is_known():
    """Of the words behind a "copyright" in small letters, each is a sentence's, and so is no name."""
    found = {word for text in texts().values() for word in re.findall(r"\bcopyright\s+([a-z]+)", text)}
    assert found - SENTENCE <= {"by", "the"}


def test_names_that_are_words_too():
    """A large first letter makes a name of some; in capitals alone nothing does."""
    assert not conditional("Will May Grant")
    assert conditional("Will may grant")
    assert conditional("WILL MAY GRANT")


def test_small_letters_keep_their_places():
    """A letter that becomes two would move all others."""
    assert lowered("ÀB") == "àb"
    assert lowered("İB") == "İb"


def test_so_many_lines_are_looked_at():
    """A file of two million characters may hold a hundred thousand, and nobody's has them."""
    assert len(list(notices("Copyright 2020 Foo\n" * (MAX_NOTICES + 10)))) == MAX_NOTICES
