"""The differences of two texts are few and in words, and both texts can be read from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreements.catalog import Catalog
from bot.portal.text import text_differences
from bot.portal.text.text_differences import DiffSegment, Paragraph


def changes(old, new):
    """The paragraphs that are not the same."""
    return [paragraph for hunk in text_differences.compare(old, new) if not hunk.same for paragraph in hunk.paragraphs]


def test_only_the_changed_words_are_marked_removed_before_added():
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


def test_changed_words_in_a_row_are_one_change():
    (changed,) = changes("We take the red apple home now.", "We take the green pear home now.")

    assert [(piece.kind, piece.text) for piece in changed.pieces[1:3]] == [
        ("removed", "red apple"),
        ("added", "green pear"),
    ]


def test_chinese_is_compared_by_characters_across_line_breaks():
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
def test_another_wrapping_of_lines_is_no_change(old, new):
    assert changes(old, new) == []


def test_whole_paragraphs_are_added_removed_or_replaced():
    assert [change.kind for change in changes("a b c\n\nd e f\n", "a b c\n\nx y z w\n\nd e f\n")] == ["added"]
    assert [change.kind for change in changes("a b c\n\nx y z w\n\nd e f\n", "a b c\n\nd e f\n")] == ["removed"]
    assert [change.kind for change in changes("The sun shines.", "你好")] == ["added", "removed"]


def test_one_sentence_added_to_the_icla_is_the_only_difference():
    source = Catalog.load().get("icla", "2.0", "en").source
    found = text_differences.compare(source, source.replace("## 1.", "A new sentence.\n\n## 1.", 1))

    assert [hunk.same for hunk in found] == [True, False, True]
    assert found[1].paragraphs == (Paragraph("added", (DiffSegment("added", "A new sentence."),)),)


TEXTS = st.lists(st.sampled_from(["a", "b b", "许可", "x, y.", "- item", "# Head", "one two three four"]), max_size=8)


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_from_their_differences(old, new):
    hunks = text_differences.compare("\n\n".join(old), "\n\n".join(new))

    def read(without):
        paragraphs = (paragraph for hunk in hunks for paragraph in hunk.paragraphs)
        kept = (
            "".join(p.text for p in paragraph.pieces if p.kind != without)
            for paragraph in paragraphs
            if paragraph.kind != without
        )
        return [text for text in kept if text]

    assert read("added") == old
    assert read("removed") == new
