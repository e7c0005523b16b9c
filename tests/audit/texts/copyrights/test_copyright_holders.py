"""The copyright lines of a work are those of its holders."""

import pytest

from audit.licenses.expression import read
from audit.licenses.spdx import texts
from audit.texts.copyrights.copyright_holders import copyrights


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("Copyright (c) 2020 Ada Example <ada@example.org>", True),
        ("Copyright 2020 Example, Inc. <https://example.org/>", True),
        (" * Copyright 2020 The Authors", True),
        ("Copyright [yyyy] [name of copyright owner]", False),
        ("Copyright (C) <year>  <name of author>", False),
        ("Copyright notice, this list of conditions", False),
    ],
)
def test_a_filled_in_copyright_line_is_kept_and_a_blank_form_is_not(line, kept):
    assert bool(copyrights([f"{line}\n"])) is kept


@pytest.mark.parametrize("name", ["GPL-3.0-or-later", "MPL-2.0", "LGPL-2.1-only", "Apache-2.0", "MIT"])
def test_a_licence_text_alone_names_no_holder(name):
    assert copyrights([texts()[name]], read(name)) == ()


def test_a_licence_s_own_line_is_ignored_however_the_sign_is_written():
    line = "Copyright (C) 2007 Free Software Foundation, Inc. <https://fsf.org/>"

    assert copyrights([line, line.replace("(C)", "©")], read("GPL-3.0-only")) == ()


def test_each_copyright_line_is_told_once_in_order():
    assert copyrights(["Copyright 2021 B\n\nCopyright 2020 A\n", "Copyright 2020 A\n"]) == (
        "Copyright 2021 B",
        "Copyright 2020 A",
    )


def test_a_notice_of_several_lines_is_one_line():
    text = "/*\n * Copyright (c) 2020 Ada Example,\n * Grace Example\n * All rights reserved.\n *\n * Copyright 2021 B\n */\n\nAll rights reserved.\n"

    assert copyrights([text]) == (
        "Copyright (c) 2020 Ada Example, Grace Example All rights reserved.",
        "Copyright 2021 B",
    )
