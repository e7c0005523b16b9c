"""Licences that files state differently are joined, and all of them count."""

from dataclasses import replace

import pytest

from audit.facts import Dependency, Learned, Place, Source, Usage
from audit.licenses import contradiction
from audit.licenses.expression import Atom, read


def stated(*expressions):
    """A statement of each, in files that are called a, b and so on."""
    return [
        Learned(expression, Source.LOCK_FILE, Place(name, 1, expression or ""))
        for name, expression in zip("abcdef", expressions, strict=False)
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
def test_statements_differ_by_meaning_and_not_by_spelling_or_order(expressions, expected):
    assert [statement.expression for statement in contradiction.different(stated(*expressions))] == expected
    assert len(contradiction.different(stated(*reversed(expressions)))) == len(expected)


def test_a_manifest_or_lock_file_decides_how_the_ids_of_an_sbom_are_joined():
    """SBOM tools join ids as they like."""
    [_, sbom], [lock] = stated("", "MIT AND Apache-2.0"), stated("Apache-2.0 OR MIT")
    assert contradiction.different([replace(sbom, source=Source.SBOM), lock]) == [lock]


def test_contradicting_statements_are_joined_with_and_by_source():
    found = contradiction.joined(contradiction.different(stated("MIT", "GPL-3.0-only OR ISC")))

    assert found.expression == "(GPL-3.0-only OR ISC) AND MIT"
    assert (found.source, found.place) == (Source.LOCK_FILE, Place("b", 1, "b says GPL-3.0-only OR ISC, a says MIT"))


@pytest.mark.parametrize("words", ["x) OR (MIT", "ask us (by mail)", "MIT OR", "A" * 30_000])
def test_unreadable_words_are_one_unknown_part_of_the_joined_licence(words):
    found = read(contradiction.joined(contradiction.different(stated("GPL-3.0-only", words))).expression)
    assert set(found.parts) == {Atom("GPL-3.0-only"), Atom("unreadable")}


def test_each_contradicted_package_is_settled_once():
    dependency = Dependency(name="a", version="1", purl="pkg:npm/a@1", license=Learned("MIT", Source.LOCK_FILE))
    other = replace(dependency, name="b", purl="pkg:npm/b@1")
    statements = {"pkg:npm/a@1": stated("MIT", "GPL-3.0-only"), "pkg:npm/b@1": stated("MIT", "mit")}
    found, findings = contradiction.settle([dependency, other, replace(dependency, usage=Usage.TEST_ONLY)], statements)

    assert [each.license.expression for each in found] == ["GPL-3.0-only AND MIT", "MIT", "GPL-3.0-only AND MIT"]
    assert [(each.code, each.place, each.message) for each in findings] == [
        ("license/contradiction", Place("a", 1),
         "pkg:npm/a@1: b says GPL-3.0-only, a says MIT; all of them count, unless the rulebook says which")
    ]  # fmt: skip


def test_the_finding_names_the_first_ten_sources_at_the_last_one_s_place():
    found = contradiction.finding("x", stated("GPL-3.0-only", "MIT"), "a counts")
    assert (found.place, found.message) == (Place("b", 1), "x: a says GPL-3.0-only, b says MIT; a counts")
    nowhere = [Learned("MIT", Source.REGISTRY), Learned("ISC", Source.METADATA)]
    assert contradiction.finding("x", nowhere, "").place == Place(".")
    many = [Learned(f"x{at}", Source.REGISTRY) for at in range(20)]
    assert contradiction.finding("x", many, "").message.count(" says ") == 10
