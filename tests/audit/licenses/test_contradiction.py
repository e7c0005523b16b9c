"""What files state differently counts together, and nothing that one of them says takes it away."""

import pytest

from audit.facts import Learned, Place, Source
from audit.licenses import contradiction
from audit.licenses.expression import Atom, read


def stated(*expressions):
    """A statement of each, in files that are called a, b and so on."""
    return [
        Learned(one, Source.LOCK_FILE, Place(name, 1, one or ""))
        for name, one in zip("abcdef", expressions, strict=False)
    ]


@pytest.mark.parametrize(
    ("expressions", "expected"),
    [
        (["MIT", "GPL-3.0-only"], ["GPL-3.0-only", "MIT"]),
        (["MIT", "The MIT License", "mit"], ["MIT"]),
        (["MIT OR Apache-2.0", "Apache-2.0 OR MIT"], ["MIT OR Apache-2.0"]),
        (["MIT AND Apache-2.0", "Apache-2.0 OR MIT"], ["Apache-2.0 OR MIT", "MIT AND Apache-2.0"]),
        (["BSD", "BSD-3-Clause"], ["BSD-3-Clause"]),
        (["BSD", "MIT"], ["BSD", "MIT"]),
        ([None, "NOASSERTION", "", "NONE", "MIT"], ["MIT"]),
        (["See license in x", "MIT"], ["MIT"]),
        (["SEE LICENSE IN x", "SEE LICENSE IN y"], ["SEE LICENSE IN x", "SEE LICENSE IN y"]),
        (["UNLICENSED", "MIT"], ["MIT", "UNLICENSED"]),
        ([], []),
    ],
)
def test_what_differs(expressions, expected):
    """Spelling, order and what says nothing do not; the order of files does not matter."""
    assert [one.expression for one in contradiction.different(stated(*expressions))] == expected
    backwards = contradiction.different(stated(*reversed(expressions)))
    assert len(backwards) == len(expected)


def test_all_of_them_count():
    """With the first one's source, and who says what beside its place."""
    found = contradiction.joined(contradiction.different(stated("MIT", "GPL-3.0-only OR ISC")))

    assert found.expression == "(GPL-3.0-only OR ISC) AND MIT"
    assert (found.source, found.place) == (
        Source.LOCK_FILE,
        Place("b", 1, "b:1 says GPL-3.0-only OR ISC, a:1 says MIT"),
    )
    assert contradiction.joined(stated("MIT")) == stated("MIT")[0]


@pytest.mark.parametrize("words", ["x) OR (MIT", "ask us (by mail)", "MIT OR", "A" * 30_000])
def test_words_that_are_no_expression(words):
    """They are a part that nobody knows, and open no way around the others."""
    found = read(contradiction.joined(contradiction.different(stated("GPL-3.0-only", words))).expression)
    assert set(found.parts) == {Atom("GPL-3.0-only"), Atom("unreadable")}


def test_the_finding():
    """Names the sources, the first ten of them."""
    found = contradiction.finding("pkg:npm/a@1", stated("GPL-3.0-only", "MIT"))
    assert (found.code, found.place) == ("license/contradiction", Place("b", 1))
    assert found.message == "pkg:npm/a@1: a:1 says GPL-3.0-only, b:1 says MIT. All of them count."
    nowhere = [Learned("MIT", Source.REGISTRY), Learned("ISC", Source.METADATA)]
    assert contradiction.finding("x", nowhere).place == Place(".")
    many = [Learned(f"x{at}", Source.REGISTRY) for at in range(20)]
    assert contradiction.finding("x", many).message.count(" says ") == 10
