"""A tag in a comment counts; an example of one does not."""

import pytest

from audit.texts.spdx_tags import TAG_SEARCH_CHARACTERS, Tag, tags


def said(text):
    """What the tags say."""
    return [str(tag.expression) for tag in tags(text)]


@pytest.mark.parametrize(
    "line",
    [
        "SPDX-License-Identifier: MIT", "# SPDX-License-Identifier: MIT", "// SPDX-License-Identifier: MIT\r", "  * SPDX-License-Identifier: MIT",
        "/* SPDX-License-Identifier: MIT */", "<!-- SPDX-License-Identifier: MIT -->", "-- SPDX-License-Identifier: MIT", "; SPDX-License-Identifier: MIT",
        "% SPDX-License-Identifier: MIT", "dnl SPDX-License-Identifier: MIT", "REM SPDX-License-Identifier: MIT", '" SPDX-License-Identifier: MIT',
        "{# SPDX-License-Identifier: MIT #}", "(* SPDX-License-Identifier: MIT *)", ".. SPDX-License-Identifier: MIT", '""" SPDX-License-Identifier: MIT """',
        "/*\n   SPDX-License-Identifier: MIT\n*/", '"""What it does.\n\n    SPDX-License-Identifier: MIT\n"""', "\ufeff# SPDX-License-Identifier: MIT",
        "#!/bin/sh\n# spdx-license-identifier: MIT", "{- SPDX-License-Identifier: MIT -}", "@REM SPDX-License-Identifier: MIT", ";;;; SPDX-License-Identifier: MIT",
        "{{/* SPDX-License-Identifier: MIT */}}", "{{- /* SPDX-License-Identifier: MIT */ -}}", "{{!-- SPDX-License-Identifier: MIT --}}", "{ SPDX-License-Identifier: MIT }",
        '<svg xmlns="x"><!-- SPDX-License-Identifier: MIT --></svg>', "### SPDX-License-Identifier: MIT ###", "[//]: # (SPDX-License-Identifier: MIT)",
        "=for comment SPDX-License-Identifier: MIT", "/+ SPDX-License-Identifier: MIT +/", "/* Copyright 2020 X   SPDX-License-Identifier: MIT */",
        "// Copyright X, Inc. or its affiliates. All Rights Reserved. SPDX-License-Identifier: MIT", "// SPDX-License-Identifier: MIT, see COPYING",
        "# SPDX-License-Identifier: MIT (see LICENSE)", "-- SPDX-License-Identifier: MIT - as the rest",
    ],
)  # fmt: skip
def test_a_tag_is_read_in_any_style_of_comment(line):
    assert said(f"{line}\nrest of the file\n") == ["MIT"]


@pytest.mark.parametrize(
    "text",
    [
        'print("SPDX-License-Identifier: MIT")', 'TAG = "SPDX-License-Identifier: MIT"', '    "SPDX-License-Identifier: MIT",', "'SPDX-License-Identifier: MIT'",
        "Write SPDX-License-Identifier: MIT at the top.", "`SPDX-License-Identifier: MIT`", "- `SPDX-License-Identifier: MIT`", "Text:\n\n    SPDX-License-Identifier: MIT\n",
        "```\n# SPDX-License-Identifier: MIT\n```", "~~~ python\n# SPDX-License-Identifier: MIT\n~~~", "> SPDX-License-Identifier: MIT",
        "# REUSE-IgnoreStart\n# SPDX-License-Identifier: MIT\n# REUSE-IgnoreEnd", "# SPDX-License-Identifier: <expression>", "# SPDX-License-Identifier:",
        "# SPDX-License-Identifier: NONE", "# SPDX-License-Identifier: no-such-licence", "# SPDX-License-Identifier: MIT OR", "# SPDX-License: MIT",
        "Text\n\n.. code-block:: c\n\n   // SPDX-License-Identifier: MIT", "Write, as in::\n\n   // SPDX-License-Identifier: MIT",
        "x = '<b><!-- SPDX-License-Identifier: MIT -->'", '# Copyright line, then "SPDX-License-Identifier: MIT"',
        "x" * TAG_SEARCH_CHARACTERS + "\n# SPDX-License-Identifier: MIT",
    ],
)  # fmt: skip
def test_an_example_or_a_string_is_no_tag(text):
    assert said(text) == []


@pytest.mark.parametrize(
    ("value", "expression"),
    [
        ("(MIT OR Apache-2.0)", "MIT OR Apache-2.0"), ("GPL-2.0-only WITH Linux-syscall-note", "GPL-2.0-only WITH Linux-syscall-note"),
        ("LicenseRef-Proprietary", "LicenseRef-Proprietary"), ("GPL-2.0", "GPL-2.0-only"), ("mit AND isc", "MIT AND ISC"),
    ],
)  # fmt: skip
def test_expressions_are_spelled_as_spdx_does(value, expression):
    assert said(f"// SPDX-License-Identifier: {value}\n") == [expression]


def test_several_tags_have_their_lines():
    text = "# a\n# SPDX-License-Identifier: MIT\n```\n# SPDX-License-Identifier: ISC\n```\n\r\n# SPDX-License-Identifier: Zlib\n"
    assert [(str(tag.expression), tag.line) for tag in tags(text)] == [("MIT", 2), ("Zlib", 7)]
    assert isinstance(tags(text)[0], Tag)
