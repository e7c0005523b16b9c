"""Comments are read and written in each language's own way."""

import pytest

from audit.headers.comment_styles import comment_lines, kind_of, preamble, style_of


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.c", "c"), ("src/b/a.CPP", "slashes"), ("a.py", "python"), ("x/Makefile", "hash"), ("CMakeLists.txt", "hash"), ("a.cmake", "hash"),
        ("a.sql", "dashes"), ("a.html", "markup"), ("a.vue", "component"), ("a.erl", "percent"), ("a.el", "semicolons"), ("a.bat", "batch"), ("a.m4", "dnl"),
        ("a.php", "php"), ("a.json", None), ("notes.txt", None), ("README", None), ("a.tar.gz", None), (".gitignore", "configuration"), ("a.", None),
        ("a.S", "c"), ("a.R", "hash"), ("a.m", None), ("a.v", None),
    ],
)  # fmt: skip
def test_the_style_of_comments_is_told_by_file_name_and_then_by_ending(path, kind):
    assert kind_of(path) == kind
    assert (style_of(path) is None) == (kind is None)


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("a.c", "/* one\n * two\n */\n// three\nint x;", ["one", "two", "", "three", None]), ("a.c", "/* one */ int x;\nint y;", ["one", None]),
        ("a.c", "/**\n * one", ["", "one"]), ("a.sh", "#!/bin/sh\n# one\n\nls", ["bin/sh", "one", "", None]), ("a.py", '"""One\n\ntwo"""\nx', ["One", "", "two", None]),
        ("a.html", "<!-- one\n  two -->\n<p>", ["one", "two", None]), ("a.sql", "-- one\nselect", ["one", None]), ("a.bat", "@REM one\nrem two\n:: three", ["one", "two", "three"]),
        ("a.css", "#x {}\n/* one */", [None, "one"]), ("a.lua", "--[[ one\ntwo ]]", ["one", "two"]),
        ("a.rst", ".. one\n\nTitle", ["one", "", None]),
    ],
)  # fmt: skip
def test_comments_are_read_line_by_line_without_their_signs(path, text, said):
    found = list(comment_lines(text, style_of(path)))
    assert [number for number, _ in found] == list(range(1, len(said) + 1))
    assert [text for _, text in found] == said


@pytest.mark.parametrize(
    ("kind", "text", "lines"),
    [
        ("hash", "#!/bin/sh\nls", 1), ("hash", "ls", 0), ("hash", "", 0), ("slashes", "#![no_std]\n", 0), ("slashes", "#!/usr/bin/env rust\n", 1),
        ("python", "#!/usr/bin/env python\n# -*- coding: latin-1 -*-\nx", 2), ("python", "# coding=utf-8\nx", 1), ("python", "# vim: set x :\n", 1),
        ("hash", "# frozen_string_literal: true\nx", 1), ("hash", "# syntax=docker/dockerfile:1\nFROM x", 1), ("hash", "# escape = `\nFROM x", 1),
        ("semicolons", ";;; a.el --- x  -*- lexical-binding: t -*-\n", 1), ("hash", "# checks that\n", 0),
        ("python", "# Greetings\n# -*- coding: koi8-r -*-\nx", 2), ("python", "\n# coding: koi8-r\n", 2), ("python", "x = 1\n# coding: koi8-r\n", 0), ("hash", "#!/bin/sh\n# A tool\nls", 1),
        ("css", '@charset "utf-8";\na {}', 1), ("c", "/* x */", 0), ("slashes", "//go:build linux\n\npackage x", 0),
        ("php", "<?php\necho 1;", 1), ("php", "#!/usr/bin/env php\n<?php\n", 2), ("php", "<?php echo 1; ?>\n", None), ("php", "<html>\n<?php\n", None), ("php", "", None),
        ("markup", '<?xml version="1.0"?>\n<a/>', 1), ("markup", '<?xml version="1.0"?>\n<!DOCTYPE a\n  SYSTEM "x">\n<a/>', 3), ("markup", "<!DOCTYPE html>\n", 1),
        ("markup", '<?xml version="1.0"?><a/>', None), ("markup", "<!DOCTYPE html><html>", None), ("markup", "<?xml", None), ("markup", "<a/>", 0),
        ("markup", "---\ntitle: x\n---\n# x", 3), ("markup", "---\ntitle: x", None), ("markup", "<!DOCTYPE a [\n<!ENTITY b 'c'>\n]>\n<a/>", None),
    ],
)  # fmt: skip
def test_the_lines_that_must_stay_first_are_counted(kind, text, lines):
    assert preamble(text.split("\n"), kind) == lines
