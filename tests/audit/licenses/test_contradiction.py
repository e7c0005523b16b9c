"""What files state differently counts together, and nothing that one of them says takes it away."""

from dataclasses import replace

import pytest

from audit.facts import Dependency, Learned, Place, Source, Usage
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
        (["MIT OR Apache-2.0", "Apache-2.0 OR MIT"], ["Apache-2.0 OR MIT"]),
        (["MIT AND Apache-2.0", "Apache-2.0 OR MIT"], ["MIT AND Apache-2.0"]),
        (["MIT OR Apache-2.0", "MIT"], ["MIT"]),
        (["MIT OR Apache-2.0", "MIT OR ISC"], ["MIT OR Apache-2.0", "MIT OR ISC"]),
        (["BSD", "BSD-3-Clause"], ["BSD-3-Clause"]),
        (["BSD", "MIT"], ["BSD", "MIT"]),
        (["GPL-2.0-only", "GPL-2.0-only WITH Classpath-exception-2.0"], ["GPL-2.0-only", "GPL-2.0-only WITH Classpath-exception-2.0"]),
        ([None, "NOASSERTION", "", "NONE", "MIT"], ["MIT"]),
        (["See license in x", "MIT"], ["MIT"]),
        (["LICENSE.txt", "MIT"], ["MIT"]),
        (["file: COPYING", "Other/Proprietary License", "MIT"], ["MIT"]),
        (["SEE LICENSE IN x", "SEE LICENSE IN y"], ["SEE LICENSE IN x", "SEE LICENSE IN y"]),
        (["UNLICENSED", "MIT"], ["MIT", "UNLICENSED"]),
        ([], []),
    ],
)  # fmt: skip
def test_what_differs(expressions, expected):
    """Spelling, order and what says less do not; the order of files does not matter."""
    assert [one.expression for one in contradiction.different(stated(*expressions))] == expected
    assert len(contradiction.different(stated(*reversed(expressions)))) == len(expected)


def test_an_sbom_joins_ids_as_it_likes():
    """Of the same ids a manifest or a lock file says whether all of them count, or one is enough."""
    [_, sbom], [lock] = stated("", "MIT AND Apache-2.0"), stated("Apache-2.0 OR MIT")
    assert contradiction.different([replace(sbom, source=Source.SBOM), lock]) == [lock]


def test_all_of_them_count():
    """With the first one's source, and who says what beside its place."""
    found = contradiction.joined(contradiction.different(stated("MIT", "GPL-3.0-only OR ISC")))

    assert found.expression == "(GPL-3.0-only OR ISC) AND MIT"
    assert (found.source, found.place) == (Source.LOCK_FILE, Place("b", 1, "b says GPL-3.0-only OR ISC, a says MIT"))


@pytest.mark.parametrize("words", ["x) OR (MIT", "ask us (by mail)", "MIT OR", "A" * 30_000])
def test_words_that_are_no_expression(words):
    """They are a part that nobody knows, and open no way around the others."""
    found = read(contradiction.joined(contradiction.different(stated("GPL-3.0-only", words))).expression)
    assert set(found.parts) == {Atom("GPL-3.0-only"), Atom("unreadable")}


def test_each_package_is_settled_once():
    """However often it is used; what nobody contradicts stays as it is."""
    one = Dependency(name="a", version="1", purl="pkg:npm/a@1", license=Learned("MIT", Source.LOCK_FILE))
    other = replace(one, name="b", purl="pkg:npm/b@1")
    statements = {"pkg:npm/a@1": stated("MIT", "GPL-3.0-only"), "pkg:npm/b@1": stated("MIT", "mit")}
    found, findings = contradiction.settle([one, other, replace(one, usage=Usage.TEST_ONLY)], statements)

    assert [each.license.expression for each in found] == ["GPL-3.0-only AND MIT", "MIT", "GPL-3.0-only AND MIT"]
    assert [(each.code, each.place, each.message) for each in findings] == [
        ("license/contradiction", Place("a", 1),
         "pkg:npm/a@1: b says GPL-3.0-only, a says MIT; all of them count, unless the rulebook says which")
    ]  # fmt: skip


def test_the_finding():
    """Names the sources, the first ten of them, at the last one's place."""
    found = contradiction.finding("x", stated("GPL-3.0-only", "MIT"), "a counts")
    assert (found.place, found.message) == (Place("b", 1), "x: a says GPL-3.0-only, b says MIT; a counts")
    nowhere = [Learned("MIT", Source.REGISTRY), Learned("ISC", Source.METADATA)]
    assert contradiction.finding("x", nowhere, "").place == Place(".")
    many = [Learned(f"x{at}", Source.REGISTRY) for at in range(20)]
    assert contradiction.finding("x", many, "").message.count(" says ") == 10
