"""What strangers answer is read within bounds: sizes, depth, types, letters that nobody can write."""

import pytest

from audit.facts import Learned, Place, Source
from audit.sources.answers import LARGEST, Answer, Garbled, Stated, parsed


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


def test_an_answer_is_learned_with_its_address():
    """Who says so, and where; nothing where nobody does."""
    said = Answer(Stated("MIT", "note"), Source.REGISTRY, "https://pypi.org/pypi/x/1/json")

    assert said.learned == Learned("MIT", Source.REGISTRY, Place("https://pypi.org/pypi/x/1/json", None, "note"))
    assert Answer(address="https://pypi.org/pypi/x/1/json").learned == Learned()
