"""Untrusted words are shown without invisible characters, and as plain text in Markdown."""

import pytest
from markdown_it import MarkdownIt

from audit import display_text
from audit.display_text import markdown

GITHUB = MarkdownIt("gfm-like", {"linkify": False})

HOSTILE = [
    "a|b", "`code`", "**bold** _it_ ~~no~~", "<img src=x onerror=alert(1)>", "[x](javascript:1)", "![x](http://a/b)", "a\n# h\n|x|",
    "\\| \\` \\", "$$x$$", "&lt;b&gt; &copy;", "<!-- x -->", "x\u202ey", "1. a", "\x00\x1b[31m", "--- | ---", "a]b", "https://a.b/c", "www.a.b",
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("a\r\nb\rc\x0bd\u2028e", "a\nb\nc\nd\ne"),
        ("a\x00b\x1b[31mc\x7f", "ab[31mc"),
        ("\u202eevil\u202c\u2066x\u2069\ufeff", "evilx"),
        ("half \ud83d of a letter", "half \ufffd of a letter"),
        ("中文 é 😀\tx", "中文 é 😀\tx"),
    ],
)
def test_control_characters_and_turned_directions_are_removed(words, shown):
    assert shown == display_text.text(words)


def test_a_count_has_the_right_word_and_commas():
    assert display_text.count(1, "use", "uses") == "1 use"
    assert display_text.count(1200, "use", "uses") == "1,200 uses"


def test_a_line_is_one_line_of_limited_length():
    assert display_text.line("  a\n\n b\t c ") == "a b c"
    assert display_text.line("x" * 50, 10) == "x" * 9 + "…"


@pytest.mark.parametrize("words", HOSTILE)
def test_a_table_cell_stays_one_cell(words):
    page = GITHUB.render(f"| a | b |\n| --- | :-: |\n| {markdown(words)} | x |")
    body = page.partition("<tbody>")[2]

    assert body.count("<td") == 2
    assert not any(sign in body for sign in ("<a ", "<img", "<code", "<strong", "<em", "<s>", "<h1", "<b>"))


@pytest.mark.parametrize("words", ["a|b", "x_y_z", "C#", "a*b*c", "<T>", "x & y", "a~b", "\\d"])
def test_rendered_markdown_shows_the_written_text(words):
    shown = GITHUB.renderInline(markdown(words)).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")

    assert words == shown


def test_mentions_and_addresses_do_not_become_links():
    assert markdown("@octocat #12") == "&#64;octocat &#35;12"
    assert markdown("https://a.b www.a.b") == "https<!-- -->://a.b www<!-- -->.a.b"
    assert markdown("pkg:npm/x@1.2") == "pkg:npm/x@1.2"
