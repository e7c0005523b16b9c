"""A header is added where it belongs, once, and nothing else changes."""

import pytest

from audit.headers.header_insertion import with_header
from audit.headers.header_rule import HeaderRule
from audit.headers.license_headers import HeaderStatus, check_header

TAG, HELD = HeaderRule(spdx="MIT"), HeaderRule(spdx="MIT", holder="Ann")
SPDX = "SPDX-License-Identifier: MIT"
COPY = "SPDX-FileCopyrightText: 2026 Ann"


def fixed(path, text, header=TAG):
    """The text with its header."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return with_header(path, text, check_header(path, plain, header), header, "2026")


@pytest.mark.parametrize(
    ("path", "text", "header", "expected"),
    [
        ("a.py", "x = 1\n", TAG, f"# {SPDX}\n\nx = 1\n"), ("a.py", "x = 1\n", HELD, f"# {COPY}\n# {SPDX}\n\nx = 1\n"), ("a.py", "\nx\n", TAG, f"# {SPDX}\n\nx\n"),
        ("a.py", f"# {SPDX}\n\nx\n", HELD, f"# {COPY}\n# {SPDX}\n\nx\n"), ("a.py", "# Copyright Ann\nx\n", HELD, f"# {SPDX}\n# Copyright Ann\nx\n"),
        ("a.sh", "#!/bin/sh\nls\n", TAG, f"#!/bin/sh\n# {SPDX}\n\nls\n"), ("a.sh", "#!/bin/sh", TAG, f"#!/bin/sh\n# {SPDX}\n"), ("a.py", "x", TAG, f"# {SPDX}\n\nx"),
        ("a.py", "#!/usr/bin/python\n# -*- coding: utf-8 -*-\nx\n", TAG, f"#!/usr/bin/python\n# -*- coding: utf-8 -*-\n# {SPDX}\n\nx\n"),
        ("a.c", "int x;\n", HELD, f"/*\n * {COPY}\n * {SPDX}\n */\n\nint x;\n"), ("a.cc", "int x;\n", TAG, f"// {SPDX}\n\nint x;\n"),
        ("a.go", "//go:build linux\n\npackage x\n", TAG, f"// {SPDX}\n\n//go:build linux\n\npackage x\n"), ("a.sql", "select 1;\n", TAG, f"-- {SPDX}\n\nselect 1;\n"),
        ("a.html", "<!DOCTYPE html>\n<p>\n", TAG, f"<!DOCTYPE html>\n<!--\n  {SPDX}\n-->\n\n<p>\n"), ("a.xml", '<?xml version="1.0"?>\n<a/>\n', TAG, f'<?xml version="1.0"?>\n<!--\n  {SPDX}\n-->\n\n<a/>\n'),
        ("a.php", "<?php\necho 1;\n", TAG, f"<?php\n/*\n * {SPDX}\n */\n\necho 1;\n"), ("a.erl", "-module(a).\n", TAG, f"% {SPDX}\n\n-module(a).\n"),
        ("a.el", "(x)\n", TAG, f";; {SPDX}\n\n(x)\n"), ("a.bat", "dir\n", TAG, f"@REM {SPDX}\n\ndir\n"), ("a.ml", "let x = 1\n", TAG, f"(*\n * {SPDX}\n *)\n\nlet x = 1\n"),
        ("a.css", '@charset "utf-8";\na {}\n', TAG, f'@charset "utf-8";\n/*\n * {SPDX}\n */\n\na {{}}\n'), ("a.m4", "x\n", TAG, f"dnl {SPDX}\n\nx\n"),
        ("a.vb", "x\n", TAG, f"' {SPDX}\n\nx\n"), ("a.lua", "x()\n", TAG, f"-- {SPDX}\n\nx()\n"), ("a.j2", "x\n", TAG, f"{{#\n  {SPDX}\n#}}\n\nx\n"),
        # Line ends and the byte order mark stay.
        ("a.cc", "int x;\r\nint y;\r\n", HELD, f"// {COPY}\r\n// {SPDX}\r\n\r\nint x;\r\nint y;\r\n"), ("a.cc", "\ufeffint x;\n", TAG, f"\ufeff// {SPDX}\n\nint x;\n"),
        ("a.sh", "#!/bin/sh\r\nls\r\n", TAG, f"#!/bin/sh\r\n# {SPDX}\r\n\r\nls\r\n"), ("a.cc", "int x;\r\n", TAG, f"// {SPDX}\r\n\r\nint x;\r\n"),
        # A text of several paragraphs.
        ("a.py", "x\n", HeaderRule(text="Copyright {years} {holder}\n\n  See LICENSE.", holder="Ann"), "# Copyright 2026 Ann\n#\n#   See LICENSE.\n\nx\n"),
    ],
)  # fmt: skip
def test_a_header_is_added_at_its_place_in_each_language_and_only_once(path, text, header, expected):
    found = fixed(path, text, header)
    assert found == expected
    assert check_header(path, found.removeprefix("\ufeff").replace("\r\n", "\n"), header).kind is HeaderStatus.PRESENT
    assert fixed(path, found, header) is None


@pytest.mark.parametrize(
    ("path", "text", "header"),
    [
        ("a.py", "# SPDX-License-Identifier: ISC\n", TAG), ("a.py", "# Copyright Bob\n", HELD), ("a.py", f"# {SPDX}\n", TAG), ("a.php", "<p>\n<?php\n", TAG),
        ("a.json", "{}\n", TAG), ("a.py", "x\ry\r", TAG), ("a.c", "int x;\n", HeaderRule(text="all of it */ int y;")), ("a.html", "<p>\n", HeaderRule(text="a -- b")),
        ("a.cc", "int x;\n", HeaderRule(text="a \\\nb")), ("a.html", "<!DOCTYPE html><p>\n", TAG),
    ],
)  # fmt: skip
def test_another_header_or_an_unknown_place_is_left_to_people(path, text, header):
    assert fixed(path, text, header) is None
