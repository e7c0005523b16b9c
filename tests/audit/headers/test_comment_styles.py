"""Comments are read and written in each language's own way."""

import pytest

from audit.headers.comment_styles import comment_lines, kind_of, style_of


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.c", "c"), ("src/b/a.CPP", "slashes"), ("a.py", "python"), ("x/Makefile", "hash"), ("CMakeLists.txt", "hash"), ("a.cmake", "hash"),
        ("a.sql", "dashes"), ("a.html", "markup"), ("a.vue", "component"), ("a.erl", "percent"), ("a.el", "semicolons"), ("a.bat", "batch"), ("a.m4", "dnl"),
        ("a.php", "php"), ("a.json", None), ("notes.txt", None), ("README", None), ("a.tar.gz", None), (".gitignore", "configuration"), ("a.", None),
        ("a.S", "c"), ("a.R", "hash"), ("a.m", None), ("a.v", None),
    ],
)  # fmt: skip
def test_which_style(path, kind):
    """By name first, then by ending in any case; what several languages share is left alone."""
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
def test_what_comments_say(path, text, said):
    """Line by line, without the signs."""
    found = list(comment_lines(text, style_of(path)))
    assert [number for number, _ in found] == list(range(1, len(said) + 1))
    assert [one for _, one in found] == said
