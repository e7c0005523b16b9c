"""The differences of two texts are few, true, and in words: from them alone both texts can be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreements.catalog import Catalog
from bot.portal.text import text_differences
from bot.portal.text.text_differences import DiffSegment, Paragraph


def changes(old, new):
    """The paragraphs that are not the same."""
    return [one for hunk in text_differences.compare(old, new) if not hunk.same for one in hunk.paragraphs]


def test_one_word():
    """Only the words that changed are marked, removed before added."""
    assert changes("# A\n\nYou grant a copyright licence.\n", "# A\n\nYou grant a patent licence.\n") == [
        Paragraph(
            "changed",
            (
                DiffSegment("same", "You grant a "),
                DiffSegment("removed", "copyright"),
                DiffSegment("added", "patent"),
                DiffSegment("same", " licence."),
            ),
        )
    ]


def test_words_in_a_row_are_one_change():
    """A blank between two changed words does not tear them apart."""
    (changed,) = changes("We take the red apple home now.", "We take the green pear home now.")

    assert [(piece.kind, piece.text) for piece in changed.pieces[1:3]] == [
        ("removed", "red apple"),
        ("added", "green pear"),
    ]


def test_chinese_by_characters():
    """A character is a word; a line break between two is none."""
    (changed,) = changes("您授予版权\n许可。", "您授予专利许可。")

    assert [(piece.kind, piece.text) for piece in changed.pieces] == [
        ("same", "您授予"), ("removed", "版权"), ("added", "专利"), ("same", "许可。"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("one two\nthree four\n\nfive", "one two three\nfour\n\nfive\n"),
        ("- a\n- b\n", "- a\n\n- b"),
        ("# Title\ntext", "# Title\n\ntext"),
    ],
)
def test_how_lines_are_broken_is_no_change(old, new):
    """Wrapped otherwise, with other empty lines: the same."""
    assert changes(old, new) == []


def test_whole_paragraphs():
    """Added, removed, and replaced by something that is not like it."""
    assert [one.kind for one in changes("a b c\n\nd e f\n", "a b c\n\nx y z w\n\nd e f\n")] == ["added"]
    assert [one.kind for one in changes("a b c\n\nx y z w\n\nd e f\n", "a b c\n\nd e f\n")] == ["removed"]
    assert [one.kind for one in changes("The sun shines.", "你好")] == ["added", "removed"]


def test_a_real_text():
    """One sentence added to the ICLA: all else is the same."""
    source = Catalog.load().get("icla", "2.0", "en").source
    found = text_differences.compare(source, source.replace("## 1.", "A new sentence.\n\n## 1.", 1))

    assert [hunk.same for hunk in found] == [True, False, True]
    assert found[1].paragraphs == (Paragraph("added", (DiffSegment("added", "A new sentence."),)),)


TEXTS = st.lists(st.sampled_from(["a", "b b", "许可", "x, y.", "- item", "# Head", "one two three four"]), max_size=8)


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_from_it(old, new):
    """Without what was added it is the old text, without what was removed the new one."""
    hunks = text_differences.compare("\n\n".join(old), "\n\n".join(new))

    def read(without):
        paragraphs = (one for hunk in hunks for one in hunk.paragraphs)
        kept = ("".join(p.text for p in one.pieces if p.kind != without) for one in paragraphs if one.kind != without)
        return [text for text in kept if text]

    assert read("added") == old
    assert read("removed") == new
