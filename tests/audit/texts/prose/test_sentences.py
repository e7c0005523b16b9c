"""Paragraphs, items, headings and sentences, with their lines."""

import pytest

from audit.texts.prose.sentences import is_line, section, sentences


def read(text):
    """Each sentence with its line; `#` for a heading, `-` for an item."""
    marks = {(True, False): "#", (False, True): "-"}
    return [
        f"{marks.get((sentence.heading, sentence.item), '')}{sentence.line}:{sentence.text}"
        for sentence in sentences(text)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One is here. Two is\nthere.\n", ["1:One is here.", "1:Two is there."]),
        ("Licensing\n=========\n\nAll of it.\n", ["#1:Licensing", "4:All of it."]),
        ("## License\n\nAll of it.\n", ["#1:License", "3:All of it."]),
        ("Some:\n- one\n- two\n  goes on\n", ["1:Some:", "-2:one", "-3:two goes on"]),
        ("- one is\n\n  also this\n\nOther text here, and more.\n", ["-1:one is also this", "5:Other text here, and more."]),
        ("under either A\n\n  or (as you choose)\n\nunder B.\n", ["1:under either A or (as you choose) under B."]),
        ("Copyright (C) 2020 Ada\n(c) 2021 Grace\nAll rights reserved.\nThe rest.\n", ["4:The rest."]),
        ("See e.g. The Book of v. 2.0 here.", ["1:See e.g. The Book of v. 2.0 here."]),
        ("Licensed under either of\n\n- A\n", ["1:Licensed under either of", "-3:A"]),
        ("", []),
    ],
)  # fmt: skip
def test_paragraphs_items_headings_and_sentences_have_their_lines(text, found):
    assert read(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Kiwi\n\nA fruit.\n\n## License\n\nMIT.\n\n## Thanks\n\nAda\n", "\nMIT.\n"),
        ("Kiwi\n====\n\nLicensing\n---------\nMIT.\n", "---------\nMIT.\n"),
        ("# License\n\nMIT.\n\n# Copyright and License\n\nBSD.\n", ""),
        ("# Kiwi\n\nUnder a licence.\n", ""),
    ],
)
def test_the_one_section_on_licences_of_a_readme_is_found(text, found):
    assert section(text) == found


def test_separating_lines_are_told():
    assert all(map(is_line, ("----", " ==== ", "* * *", "~~~~~\t")))
    assert not any(map(is_line, ("", "--", "-- a --")))
