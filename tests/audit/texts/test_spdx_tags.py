"""A tag in a comment counts; an example of one doesn't."""

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
def test_a_tag(line):
    """In any style of comment, and alone in a file that is named after another (`a.png.license`)."""
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
def test_no_tag(text):
    """In a string, in a sentence, shown as code, meant to be ignored, beyond reach, or of no licence."""
    assert said(text) == []


@pytest.mark.parametrize(
    ("value", "expression"),
    [
        ("(MIT OR Apache-2.0)", "MIT OR Apache-2.0"), ("GPL-2.0-only WITH Linux-syscall-note", "GPL-2.0-only WITH Linux-syscall-note"),
        ("LicenseRef-Proprietary", "LicenseRef-Proprietary"), ("GPL-2.0", "GPL-2.0-only"), ("mit AND isc", "MIT AND ISC"),
    ],
)  # fmt: skip
def test_expressions(value, expression):
    """As SPDX spells them."""
    assert said(f"// SPDX-License-Identifier: {value}\n") == [expression]


def test_several_tags_and_their_lines():
    """In order; after an example, too."""
    text = "# a\n# SPDX-License-Identifier: MIT\n```\n# SPDX-License-Identifier: ISC\n```\n\r\n# SPDX-License-Identifier: Zlib\n"
    assert [(str(tag.expression), tag.line) for tag in tags(text)] == [("MIT", 2), ("Zlib", 7)]
    assert isinstance(tags(text)[0], Tag)
