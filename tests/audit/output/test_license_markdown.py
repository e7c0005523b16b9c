"""Names of strangers in Markdown show as they are and do nothing."""

import pytest
from markdown_it import MarkdownIt

from audit.output.license_markdown import inline

GITHUB = MarkdownIt("gfm-like", {"linkify": False})

HOSTILE = [
    "a|b", "`code`", "**bold** _it_ ~~no~~", "<img src=x onerror=alert(1)>", "[x](javascript:1)", "![x](http://a/b)", "a\n# h\n|x|",
    "\\| \\` \\", "$$x$$", "&lt;b&gt; &copy;", "<!-- x -->", "x\u202ey", "1. a", "\x00\x1b[31m", "--- | ---", "a]b", "https://a.b/c", "www.a.b",
]  # fmt: skip


@pytest.mark.parametrize("words", HOSTILE)
def test_a_cell_stays_one_cell(words):
    """Two cells a row, no element but those of the table."""
    page = GITHUB.render(f"| a | b |\n| --- | :-: |\n| {inline(words)} | x |")
    body = page.partition("<tbody>")[2]

    assert body.count("<td") == 2
    assert not any(sign in body for sign in ("<a ", "<img", "<code", "<strong", "<em", "<s>", "<h1", "<b>"))


@pytest.mark.parametrize("words", ["a|b", "x_y_z", "C#", "a*b*c", "<T>", "x & y", "a~b", "\\d"])
def test_it_shows_what_was_written(words):
    """Rendered, the words are the same."""
    shown = GITHUB.renderInline(inline(words)).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")

    assert words == shown


def test_nobody_is_called_and_nothing_becomes_a_link():
    """A mention, an issue, an address; a version behind an at sign stays as it is."""
    assert inline("@octocat #12") == "&#64;octocat &#35;12"
    assert inline("https://a.b www.a.b") == "https<!-- -->://a.b www<!-- -->.a.b"
    assert inline("pkg:npm/x@1.2") == "pkg:npm/x@1.2"
