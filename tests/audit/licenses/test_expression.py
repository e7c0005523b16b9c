"""Licence expressions are understood as written, or not at all."""

import itertools
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from audit.licenses import spdx
from audit.licenses.expression import And, Atom, Or, all_of, any_of, atoms, read, spelled

TABLE = (Path(__file__).parents[2] / "cases/licenses/expressions.txt").read_text(encoding="utf-8")
CASES = [line.rsplit(" | ", 1) for line in TABLE.splitlines() if line.strip() and not line.startswith("#")]


@pytest.mark.parametrize(("written", "understood"), CASES)
def test_each_written_form_is_understood_as_the_table_says(written, understood):
    found = read(f" {written}\n")
    assert (str(found) if found else "-") == understood


@pytest.mark.parametrize("text", [None, "", " ", "\n", "NONE", "x" * 20_001, "(" * 60 + "MIT OR Zlib" + ")" * 60])
def test_empty_and_far_too_long_texts_are_no_expression(text):
    assert read(text) is None


def test_expressions_that_are_equal_in_sense_are_equal():
    found = read("MIT AND (Zlib OR GPL-2.0+ WITH Classpath-exception-2.0)")
    assert found == And((Atom("MIT"), Or((Atom("Zlib"), Atom("GPL-2.0-or-later", "Classpath-exception-2.0")))))
    assert atoms(found) == (Atom("MIT"), Atom("Zlib"), Atom("GPL-2.0-or-later", "Classpath-exception-2.0"))
    assert {found: 1}[read("mit and (zlib or GPL-2.0-or-later with classpath-exception-2.0)")]


def test_every_id_of_the_list_is_understood_in_any_case():
    deprecated = spdx.lists().deprecated - {"Net-SNMP", "Nunit"}
    for license_id in spdx.lists().licenses:
        assert str(read(license_id.upper())) == str(read(license_id))
        if license_id not in deprecated:
            assert read(license_id) == Atom(license_id)
        else:
            assert str(read(license_id)) != license_id
            assert all(atom.license not in deprecated for atom in atoms(read(license_id)))


def test_every_name_of_the_list_is_understood_as_its_own_licence():
    missed = [
        (license_id, name)
        for license_id, name in spdx.lists().licenses.items()
        if read(name) not in (read(license_id), None)
    ]
    assert missed == []


def test_more_than_three_hundred_licences_are_no_expression():
    assert read(" AND ".join(f"A-{n}" for n in range(300))) is not None
    assert read(" AND ".join(f"A-{n}" for n in range(301))) is None


def test_reading_is_linear():
    start = time.process_time()
    for text in (
        "MIT OR " * 2857,
        "(" * 20_000,
        "( " * 10_000,
        "a" * 20_000,
        "a " * 10_000,
        "v2.0" * 5000,
        ">= " * 6000,
        "MIT+" * 5000,
    ):
        read(text)
    assert time.process_time() - start < 2


LICENSES = st.sampled_from(["MIT", "Apache-2.0", "GPL-2.0-only", "LicenseRef-x", "BSD", "Nobody-1.0"]).map(
    Atom
) | st.just(Atom("GPL-2.0-only", "Classpath-exception-2.0"))
TREES = st.recursive(
    LICENSES,
    lambda below: st.builds(
        lambda parts, join: join(tuple(parts)),
        st.lists(below, min_size=1, max_size=4),
        st.sampled_from([all_of, any_of]),
    ),
    max_leaves=12,
)


@pytest.mark.slow
@settings(max_examples=200)
@given(TREES)
def test_a_written_expression_reads_back_the_same(tree):
    assert read(str(tree)) == tree


def by_packaging(text):
    """Whether PEP 639's reader, which knows ids alone, takes it."""
    try:
        return bool(canonicalize_license_expression(text))
    except InvalidLicenseExpression:
        return False


@pytest.mark.slow
def test_each_short_row_of_tokens_is_read_as_the_packaging_library_does():
    for count in range(1, 6):
        for row in itertools.product(("(", ")", "AND", "OR", "WITH", "LicenseRef-x", "LLVM-exception"), repeat=count):
            found = read(" ".join(row))
            if bare(row):
                continue
            assert (found is not None) is by_packaging(" ".join(row)), row
            assert found is None or read(str(found)) == found


@pytest.mark.parametrize("operators", list(itertools.product(("AND", "OR"), repeat=3)))
def test_and_binds_before_or(operators):
    text = "a1 {} b1 {} (c1 OR a1) {} d1".format(*operators)
    for values in itertools.product((True, False), repeat=4):
        chosen = dict(zip(("a1", "b1", "c1", "d1"), values, strict=True))
        assert holds(read(text), chosen) is bool(eval(text.lower(), {}, chosen))


def holds(expression, chosen):
    """Whether it is fulfilled where these licences are."""
    if isinstance(expression, Atom):
        return chosen[expression.license]
    return (all if isinstance(expression, And) else any)(holds(part, chosen) for part in expression.parts)


def bare(row):
    """An exception in the place of a licence, or the reverse: ids to us, of which the rules have something to say."""
    before = ("", *row)
    return any(
        (word == "LLVM-exception", word == "LicenseRef-x")[place == "WITH"]
        for word, place in zip(row, before, strict=False)
    )


@pytest.mark.parametrize(
    "text",
    ["MIT WITH " * 2_000, "(" * 50 + "MIT" + " OR a)" * 50, "(MIT OR " * 51 + "a" + ")" * 51, "MIT\0OR Zlib", "\ud800"],
)
def test_hostile_texts_are_read_without_failing(text):
    found = read(text)
    assert found is None or read(str(found)) == found


@settings(max_examples=300)
@given(st.text())
def test_any_text_is_read_without_failing(text):
    found = read(text)
    assert found is None or read(str(found)) == found


def test_the_longest_text_is_read_and_a_longer_one_is_not():
    longest = "MIT".ljust(20_000)
    assert (str(read(longest)), read(f"{longest} ")) == ("MIT", None)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Apache 2.0", "Apache-2.0"),
        (" MIT ", "MIT"),
        ("see below", "see below"),
        ("", None),
        (None, None),
        ("NONE", "NONE"),
    ],
)
def test_an_expression_is_shown_in_its_spdx_spelling_or_as_written(text, shown):
    assert spelled(text) == shown
