"""Licence tags of a file: in its head and in its snippets, but not in text that it writes elsewhere."""

import time

import pytest

from audit.texts.file_tags import file_tags, without_json


def said(path, content):
    """`licence:line` of each tag, with `s` for one of a snippet."""
    return [f"{tag.expression}:{tag.line}{'s' if tag.snippet else ''}" for tag in file_tags(path, content)]


TAG = "SPDX-License-Identifier: MIT"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.js", f"/*\n * {TAG}\n */\n"), ("a.ts", f"// {TAG}\n"), ("a.html", f"<!DOCTYPE html>\n<!-- {TAG} -->\n"), ("a.css", f"/* {TAG} */\n"),
        ("a.rst", f".. {TAG}\n"), ("a.rst", f"..\n  SPDX-FileCopyrightText: X\n\n  {TAG}\n"), ("a.md", f"<!--\n{TAG}\n-->\n"), ("a.lua", f"-- {TAG}\n"),
        ("a.sql", f"-- {TAG}\n"), ("a.vhd", f"-- {TAG}\n"), ("a.v", f"// {TAG}\n"), ("a.php", f"<?php\n// {TAG}\n"), ("a.vue", f"<!-- {TAG} -->\n<template>"),
        ("a.bat", f"@REM {TAG}\n"), ("a.ini", f"; {TAG}\n"), ("a.toml", f"# {TAG}\n"), ("a.yml", f"---\n# {TAG}\n"), ("Dockerfile", f"# {TAG}\n"),
        ("a.tex", f"% {TAG}\n"), ("a.vim", f'" {TAG}\n'), ("a.ml", f"(* {TAG} *)\n"), ("a.f90", f"! {TAG}\n"), ("a.m4", f"dnl {TAG}\n"),
        ("a.j2", f"{{# {TAG} #}}\n"), ("a.el", f";;; {TAG}\n"), ("a.py", f'"""What it does.\n\n{TAG}\n"""\n'), ("a.proto", f"// {TAG}\n"), ("a.ld", f"/* {TAG} */\n"),
        ("a.ipynb", '{"cells": [{"source": [\n  "# ' + TAG + '\\n",\n  "x"\n]}]}'), ("run", f"#!/bin/sh\n# {TAG}\n"), ("a.rs", f"#![no_std]\n// {TAG}\n"),
    ],
)  # fmt: skip
def test_a_tag_is_read_in_the_comments_of_every_language(path, content):
    assert [line.rpartition(":")[0] for line in said(path, content)] == ["MIT"]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.py", f'TEMPLATE = """\n# {TAG}\n"""\n'), ("a.py", f"x = '''\n// {TAG}\n'''\n"), ("a.ts", f"const t = `\n// {TAG}\n`;\n"), ("a.go", f"var t = `\n// {TAG}\n`\n"),
        ("a.sh", f"cat > x <<EOF\n# {TAG}\nEOF\n"), ("a.rb", f"x = <<~'TEXT'\n# {TAG}\nTEXT\n"), ("configure", f"cat <<_ACEOF\n# {TAG}\n_ACEOF\n"),
        ("a.yml", f"run: |\n  # {TAG}\n"), ("a.py", "x = 1\n" * 4_000 + f"# {TAG}\n"), ("a.java", f'String t = """\n  // {TAG}\n  """;\n'), ("a.py", f'x = "# {TAG}"\n'),
        ("a.md", f"```\n# {TAG}\n```\n"), ("a.py", f"# REUSE-IgnoreStart\n# {TAG}\n# REUSE-IgnoreEnd\n"),
    ],
)  # fmt: skip
def test_strings_here_documents_and_far_lines_are_no_tags(path, content):
    assert said(path, content) == []


def test_a_closed_string_hides_no_tag_below_it():
    assert said("a.py", f'x = """a"""\ny = """\n"""\n# {TAG}\n') == ["MIT:4"]
    assert said("a.sh", f"cat <<A\nx\nA\n# {TAG}\n") == ["MIT:4"]
    assert said("a.c", f"x << EOF;\n// {TAG}\n") == ["MIT:2"]


def test_snippets_are_told_apart_wherever_they_stand():
    far = "x = 1\n" * 4_000
    content = f"# {TAG}\n{far}# SPDX-SnippetBegin\n# SPDX-SnippetBegin\n# SPDX-License-Identifier: ISC\n# SPDX-SnippetEnd\n# SPDX-License-Identifier: Zlib\n# SPDX-SnippetEnd\n"
    assert said("a.py", content) == ["MIT:1", "ISC:4004s", "Zlib:4006s"]
    assert said("a.py", f"# SPDX-SnippetBegin\n# {TAG}\n") == ["MIT:2s"]


def test_lines_of_notebook_cells_are_read_from_their_strings():
    assert without_json('{\n "a \\"b\\"\\n",\n "c"\n}') == '{\na "b"\nc\n}'


HOSTILE = {
    "tags": f"# {TAG}\n" * 2_000, "fences": f"```\n# {TAG}\n" * 1_500, "comments of rst": "..\n" + "  x\n" * 3_000 + f"  {TAG}\n" * 1_000,
    "here documents": "cat <<A <<B\n" * 5_000 + f"# {TAG}\n", "quotes": '"""' * 20_000 + f"\n# {TAG}\n", "snippets": "SPDX-SnippetBegin" * 3_500 + f"\n# {TAG}\n",
    "edges": ("# SPDX-License-Identifier: MIT" + " *|" * 600 + "x\n") * 30, "remarks": ("# SPDX-License-Identifier: MIT" + ", (see" * 300 + "\n") * 30,
    "blanks": ("# SPDX-License-Identifier: MIT" + " " * 1_900 + "x\n") * 30,
    "one string": '" ' * 30_000 + f"\n# {TAG}\n",
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("path", ["a.py", "a.sh", "a.ts", "a.ipynb"])
def test_hostile_heads_are_read_in_time(kind, path):
    start = time.process_time()
    file_tags(path, HOSTILE[kind])
    assert time.process_time() - start < 2
