"""What strangers answer is read within bounds: sizes, depth, types, letters that nobody can write."""

import pytest

from audit.facts import Learned, Place, Source
from audit.sources.answers import ALL_OF_THEM, LARGEST, SILENT, Answer, Garbled, Stated, known, parsed, together, words


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no JSON"),
        (b"<html>", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[1]", "no object"),
        (b'{"a":' * 100_000, "nested|no JSON"),
        (b"[" * 100_000 + b"]" * 100_000, "nested"),
        (b'{"n": ' + b"9" * 10_000 + b"}", "no JSON"),
        (b" " * (LARGEST + 1), "more than"),
    ],
)
def test_what_is_no_answer(data, why):
    """One exception for all of it, and no other."""
    with pytest.raises(Garbled, match=why):
        parsed(data)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("MIT", "MIT"),
        ("  Apache-2.0\n OR\tMIT ", "Apache-2.0 OR MIT"),
        ("UNLICENSED", "UNLICENSED"),
        ("SEE LICENSE IN LICENSE.md", None),
        ("", None),
        ("NOASSERTION", None),
        (None, None),
        (7, None),
        ({"type": "MIT"}, None),
        ("MIT " * 300, None),
        ("MIT\x1b[31m", None),
        ("Foo\ud800", None),
        ("MIT\u202e", None),
    ],
)
def test_words_of_a_licence(value, plain):
    """What can be read as a licence, on one line; nothing that could do something to a terminal."""
    assert words(value) == plain


def test_free_text_must_be_a_name():
    """Any word could be an id; where no id was asked for, it has to be one that is known."""
    assert known("Apache 2.0") == "Apache 2.0"
    assert known("BSD") == "BSD"
    assert known("Custom") is None
    assert known("MIT OR Custom") is None


def test_several_of_which_nobody_says_how_they_relate():
    """All of them count; one that can't be read leaves nothing."""
    assert together(["MIT", "Apache-2.0 OR GPL-2.0-only", "MIT"]) == Stated(
        "MIT AND (Apache-2.0 OR GPL-2.0-only)", ALL_OF_THEM
    )
    assert together(["MIT"]) == Stated("MIT")
    assert together([]) == together(["MIT", "SEE LICENSE IN X"]) == together(["MIT", None]) == SILENT
    assert together(f"LicenseRef-{number}" for number in range(21)) == SILENT


def test_an_answer_is_learned_with_its_address():
    """Who says so, and where; nothing where nobody does."""
    said = Answer(Stated("MIT", "note"), Source.REGISTRY, "https://pypi.org/pypi/x/1/json")

    assert said.learned == Learned("MIT", Source.REGISTRY, Place("https://pypi.org/pypi/x/1/json", None, "note"))
    assert Answer(address="https://pypi.org/pypi/x/1/json").learned == Learned()
