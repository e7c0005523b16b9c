"""The matrix is OSADL's, cell by cell, and other data are refused."""

import copy
import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.licenses import osadl
from audit.licenses.osadl import MatrixInvalid, OsadlAnswer

DATA = Path(osadl.__file__).parents[1] / "data"
MATRIX = osadl.shipped()
RAW = {
    "timestamp": "2026-02-12T10:00:00+0000",
    "licenses": [
        {"name": name, "compatibilities": [
            {"name": other, "compatibility": "Same" if name == other else "No",
             "explanation": f"{other} is not {name} &quot;"}
            for other in ("A", "A-B")]}
        for name in ("A", "A-B")
    ],
}  # fmt: skip


def test_every_cell_of_the_matrix_is_counted_as_osadl_published_it():
    counted = Counter(MATRIX.answer(name, other) for name in MATRIX.names for other in MATRIX.names)
    assert {str(answer): number for answer, number in counted.items()} == {
        "Yes": 8613, "No": 3419, "Unknown": 1018, "Same": 115, "Check dependency": 60,
    }  # fmt: skip
    assert len(MATRIX.names) == 115
    assert MATRIX.date == "2024-11-04"


def test_every_answer_has_an_explanation_with_places_for_two_names():
    said = "Software under a copyleft license such as the {I} license normally cannot be redistributed under a non-copyleft license"
    assert [answer for answer, words in MATRIX.kinds if words.startswith(said)] == [OsadlAnswer.NO]
    assert len(MATRIX.kinds) == 38
    assert set(re.findall(r"[{].*?[}]", "".join(words for _, words in MATRIX.kinds))) == {"{O}", "{I}"}


def test_the_matrix_has_no_answer_for_an_unknown_licence():
    assert MATRIX.answer("MIT", "Nobody-1.0") is None
    assert MATRIX.answer("Nobody-1.0", "MIT") is None


def test_every_licence_of_the_matrix_has_a_copyleft_word():
    assert set(osadl.copyleft().values()) == {"No", "Yes", "Yes (restricted)", "Questionable"}
    assert set(MATRIX.names) <= set(osadl.copyleft())


@pytest.mark.parametrize(
    "source", json.loads((DATA / "sources.json").read_text()), ids=lambda source: source["package"]
)
def test_the_shipped_files_are_those_that_were_derived_from_their_sources(source):
    assert hashlib.sha256((DATA / source["file"]).read_bytes()).hexdigest() == source["sha256"]
    assert all(source[key] for key in ("package", "version", "member_sha256", "data", "license", "attribution"))
    assert source["file"] in (DATA / "README.md").read_text()


def test_every_shipped_file_is_named_in_the_readme():
    page = (DATA / "README.md").read_text()
    assert [] == [file.name for file in DATA.iterdir() if f"`{file.name}`" not in page and file.name != "README.md"]


def test_a_packed_matrix_reads_back_the_same():
    matrix = osadl.unpack(json.loads(json.dumps(osadl.pack(RAW))))
    assert matrix.answer("A", "A-B") is OsadlAnswer.NO
    assert [words for answer, words in matrix.kinds if answer is OsadlAnswer.NO] == ['{I} is not {O} "']
    assert matrix.answer("A", "A") is OsadlAnswer.SAME
    assert matrix.date == "2026-02-12"


def changed(*path, to):
    """The small matrix with one value exchanged."""
    data = copy.deepcopy(RAW)
    *way, last = path
    place = data
    for step in way:
        place = place[step]
    place[last] = to
    return data


CELL = ("licenses", 0, "compatibilities", 1)
WRONG = [
    (None, "'timestamp' is missing"), ([], "missing"), ({}, "missing"), ("x", "missing"),
    (changed("timestamp", to="yesterday"), "no timestamp"), (changed("timestamp", to=7), "a text"), (changed("timestamp", to="2026-02-12"), "no timestamp"),
    (changed("licenses", to=[]), "0 licences"), (changed("licenses", to={}), "a list"), (changed("licenses", to=[RAW["licenses"][0]] * 2), "twice"),
    (changed("licenses", to=[{"name": str(n)} for n in range(1001)]), "1001 licences"), (changed(*CELL, to=RAW["licenses"][0]["compatibilities"][0]), "does not name just"),
    (changed(*CELL, "compatibility", to="Perhaps"), "'Perhaps' is no answer"), (changed(*CELL, "compatibility", to=None), "is no answer"),
    (changed(*CELL, "explanation", to="{O}"), "holds {O}"), (changed(*CELL, "explanation", to="x" * 5001), "at most 5000"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "said"), WRONG, ids=range(len(WRONG)))
def test_a_matrix_of_another_shape_is_refused_with_its_reason(raw, said):
    with pytest.raises(MatrixInvalid, match=said) as caught:
        osadl.pack(raw)
    assert "\n" not in str(caught.value)


PACKED = osadl.pack(RAW)


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        ({**PACKED, "rows": PACKED["rows"][:1]}, "not square"), ({**PACKED, "rows": ["0", "0"]}, "not square"),
        ({**PACKED, "rows": ["zz", "zz"]}, "not there"), ({**PACKED, "kinds": [["No"]]}, "not an answer"), ({**PACKED, "rows": ["000", "00"]}, "at most 2"),
        ({**PACKED, "kinds": None}, "a list"), ({}, "missing"), (None, "missing"),
    ],
)  # fmt: skip
def test_a_packed_matrix_of_another_shape_is_refused(packed, said):
    with pytest.raises(MatrixInvalid, match=said):
        osadl.unpack(packed)


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda strategy: (
            st.lists(strategy)
            | st.dictionaries(st.sampled_from(["timestamp", "licenses", "name"]) | st.text(), strategy)
        ),
    )
)
def test_any_data_raises_only_that_the_matrix_is_invalid(data):
    for read in (osadl.pack, osadl.unpack):
        with pytest.raises(MatrixInvalid):
            read(data)
