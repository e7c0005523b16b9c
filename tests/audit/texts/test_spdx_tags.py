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


@pytest.mark.parametrize(
    ("line", "expression"),
    [
        ("/* SPDX-License-Identifier: GPL-3.0-only */ static int x;", "GPL-3.0-only"), ("/*! SPDX-License-Identifier: MIT */!function(){" + "x" * 5_000 + "}", "MIT"),
        ("<!-- SPDX-License-Identifier: MIT --><p>", "MIT"), ("{# SPDX-License-Identifier: ISC #}<p>", "ISC"), ("/* SPDX-License-Identifier: MIT */ /* Copyright X */", "MIT"),
        ("|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception        *|", "Apache-2.0 WITH LLVM-exception"), ("// SPDX-License-Identifier: MIT.", "MIT"),
        ("# SPDX-License-Identifier: GPL-2.0-or-later -*- mode: sh -*-", "GPL-2.0-or-later"), ("// SPDX-License-Identifier: MIT - Copyright (c) 2026 Ann Lee", "MIT"),
        ("// SPDX-License-Identifier: MIT. See licenses/XMB-MIT.txt", "MIT"), ("// SPDX-License-Identifier: Apache-2.0, see LICENSE-APACHE", "Apache-2.0"),
        ("// SPDX-License-Identifier: Apache-2.0 (https://www.apache.org/licenses/LICENSE-2.0)", "Apache-2.0"), ("# SPDX-License-Identifier: MIT #src", "MIT"),
        ("// SPDX-License-Identifier: MIT, Ann Lee, 2021.", "MIT"), (" * SPDX-License-Identifier: Apache-2.0 (c) Copyright IBM Corporation 2008.", "Apache-2.0"),
    ],
)  # fmt: skip
def test_code_boxes_and_plain_remarks_behind_an_expression_are_none_of_it(line, expression):
    assert [str(tag.expression) for tag in tags(f"{line}\n", only_known=False)] == [expression]


@pytest.mark.parametrize(
    "value",
    [
        "MIT, GPL-3.0-only", "MIT; GPL-3.0-only", "MIT - GPL-3.0-only", "MIT, but lib/ is GPL-3.0-only", "MIT // GPL-3.0-only", "Apache-2.0, MIT", "MIT + GPL-3.0-only",
        "MIT unless used commercially", "MIT - non-commercial use only", "MIT (except lib)", "MIT, with additions", "MIT, see LICENSE; commercial use needs a fee",
        "(GPL-3.0-only OR", "GPL-3.0-only OR", "Foo Bar AND", "See COPYING.gpl in the root", "SEE LICENSE IN LICENSE", "NONE", "NOASSERTION", "<GPL-3.0-only>",
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_a_tag_and_no_licence(value):
    text = f"// SPDX-License-Identifier: {value}\n"
    assert [str(tag.expression) for tag in tags(text, only_known=False)] == [f"“{value}”"]
    assert said(text) == []


def test_a_second_tag_of_a_line_and_a_long_value_are_not_passed_over():
    two = "/* SPDX-License-Identifier: MIT */ /* SPDX-License-Identifier: GPL-3.0-only */\n"
    long = f"# SPDX-License-Identifier: {'MIT AND ' * 400}GPL-3.0-only\n"
    for text in (two, long):
        assert [str(tag.expression)[:4] for tag in tags(text, only_known=False)] == ["“MIT"]


@pytest.mark.parametrize(
    "line",
    [
        "# SPDX-License-Identifier: {SPDX}", "# SPDX-License-Identifier: {{ license }}", "// SPDX-License-Identifier: $license", "// SPDX-License-Identifier: %s",
        '// SPDX-License-Identifier: ${names.join(" AND ")}', "# SPDX-License-Identifier: [identifier]", "# SPDX-License-Identifier: <SPDX License Expression>",
        "'// SPDX-License-Identifier: BSD-3-Clause (',", '    "// SPDX-License-Identifier: " + license', '"SPDX-License-Identifier: (.*)"', "# SPDX-License-Identifier: @LICENSE@",
        "^// SPDX-License-Identifier: .*$", "# SPDX-License-Identifier: ...", "- SPDX-License-Identifier: tags are required in all files", "  # SPDX-License-Identifier: header of text files only",
    ],
)  # fmt: skip
def test_templates_blanks_strings_and_sentences_on_tags_are_no_tags(line):
    assert tags(f"{line}\n", only_known=False) == ()


def test_several_tags_have_their_lines():
    text = "# a\n# SPDX-License-Identifier: MIT\n```\n# SPDX-License-Identifier: ISC\n```\n\r\n# SPDX-License-Identifier: Zlib\n"
    assert [(str(tag.expression), tag.line) for tag in tags(text)] == [("MIT", 2), ("Zlib", 7)]
    assert isinstance(tags(text)[0], Tag)
