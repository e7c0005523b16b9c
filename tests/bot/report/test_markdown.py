"""Foreign text stands in our Markdown as itself and does nothing."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.report.markdown import MAX_SHOWN_CHARACTERS, address, code, fit, mailboxes, row, table

HOSTILE = [
    "@cann/everyone",
    "[click](https://evil.example)",
    "![x](https://evil.example/pixel.png)",
    "<img src=x onerror=alert(1)>",
    "</details><script>",
    "`closing` a span",
    "``` fence",
    "` | ` | x",
    "a | b | c",
    "\\| \\\\| \\\\\\|",
    "ends with \\",
    "`",
    "``",
    "\n# heading\n\n- item",
    "fixes #1, cann/ops-math#2, https://evil.example",
    "&#64;cann &lt;b&gt;",
    "--- \n| --- |",
]


def parsed(markdown):
    """The inline tokens that GitHub's kind of Markdown makes of it."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown)
    blocks = [token.type for token in tokens]
    inline = [child for token in tokens for child in token.children or ()]
    return blocks, inline


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_becomes_one_code_span_in_a_paragraph(text):
    blocks, inline = parsed(f"Signed by {code(text)}.")
    assert blocks == ["paragraph_open", "inline", "paragraph_close"]
    assert [token.type for token in inline] == ["text", "code_inline", "text"]
    assert inline[0].content + inline[2].content == "Signed by ."


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_cannot_leave_its_cell(text):
    _, inline = parsed("\n".join(table(["A", "B"], [row([code(text), "ours"])])))
    assert [token.type for token in inline] == ["text", "text", "code_inline", "text"]
    assert inline[-1].content == "ours"


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("`|\\\\ a@<>[]()!*_~#&;\n\t-\u200b中"), min_size=1, max_size=30).filter(str.strip))
def test_any_markdown_characters_stay_one_code_span(text):
    _, inline = parsed(f"x {code(text)} y")
    assert [token.type for token in inline] == ["text", "code_inline", "text"]
    _, cells = parsed("\n".join(table(["A", "B"], [row([code(text), "ours"])])))
    assert [token.type for token in cells] == ["text", "text", "code_inline", "text"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ada", "`Ada`"),
        ("", ""),
        ("  a \n b\t", "`a b`"),
        ("a`b", "``a`b``"),
        ("`a", "`` `a ``"),
        ("mail ada@huawei.com now", "`mail a…a@huawei.com now`"),
        ("a\u200bb\u202ec", "`a\\u200bb\\u202ec`"),
        ("x" * 500, "`" + "x" * (MAX_SHOWN_CHARACTERS - 1) + "…`"),
    ],
)
def test_code_is_one_masked_line_with_invisible_characters_escaped(text, shown):
    assert code(text) == shown


def test_a_links_target_cannot_end_the_link():
    assert address("https://x.example/sign/icla?pr=a/b&n=7") == "https://x.example/sign/icla?pr=a/b&n=7"
    hostile = address("https://x.example/a) <b> [c](d) `e` é")
    _, inline = parsed(f"[go]({hostile})")
    assert [token.type for token in inline] == ["link_open", "text", "link_close"]


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("a b", "a%20b"),
        ("(x)", "%28x%29"),
        ("`|`", "%60%7C%60"),
        ("é", "%C3%A9"),
        ("中", "%E4%B8%AD"),
        ("\ud800", "%3F"),
        ("", ""),
    ],
)
def test_a_links_target_is_escaped_as_utf_8(url, written):
    assert address(url) == written


def test_the_text_is_cut_by_whole_lines_that_are_counted():
    lines = [f"line {number:04}" for number in range(1000)]
    cut = fit(lines, 200, "and {count} more")
    assert len(cut) <= 200
    kept = cut.split("\n")
    assert kept[:-1] == lines[: len(kept) - 1]
    assert kept[-1] == f"and {1000 - len(kept) + 1:,} more"
    for limit in (200, 30):
        assert fit(lines[:3], limit, "x") == "line 0000\nline 0001\nline 0002"
    assert fit(lines[:3], 29, "{count} more") == "3 more"


def test_a_long_hostile_text_is_cheap():
    before = time.monotonic()
    for text in ("`" * 1_000_000, "\\" * 1_000_000 + "|", "@" * 1_000_000, "| " * 500_000):
        row([code(text), text[:1000]])
    assert time.monotonic() - before < 5


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@types/node", "@types/node"),
        ("left-pad@1.2.3", "left-pad@1.2.3"),
        ("node_modules/@a/b", "node_modules/@a/b"),
        ("by ada.lovelace@rd.huawei.com, 1843", "by a…e@rd.huawei.com, 1843"),
        ("a\u202eb", "a\\u202eb"),
    ],
)
def test_scopes_and_versions_of_packages_are_no_mailboxes(text, shown):
    assert mailboxes(text) == shown
    assert code(text, mask=mailboxes) == f"`{shown}`"
